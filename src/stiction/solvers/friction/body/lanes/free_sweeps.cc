// How free_lanes.h solves: scales of contacts, sweeps, looks at the residual. Kernels go over batches.
#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/body/lanes/free_chunks.h"
#include "stiction/solvers/friction/body/lanes/free_contact.h"
#include "stiction/solvers/friction/body/lanes/free_lanes.h"
#include "stiction/solvers/friction/body/lanes/momentum.h"

namespace stiction::solvers {
namespace {

using lane::at;

constexpr double smallest_scale = 1e-12;  // m/s: there is no motion to compare with
constexpr double least_share = 1e-3;      // of the largest scale: bodies that nothing moves yet have none of their own

constexpr int check_first = 5, check_every = 10;  // sweeps until the first look at the residual, between two others
constexpr double stalled_share = 0.7;
constexpr int most_stalled_looks = 2;

constexpr size_t numbers_at_once = 4096;  // of a plain list, in one chunk

// Of |z_t| = z_n along a slip, relative: the next sweep goes on from there.
constexpr double slip_accuracy = 1e-5;

STICTION_INLINE Quad two(Quad x, Quad y) {
  return lane::root(x * x + y * y);
}

// Four numbers at these places of a list with one number per body.
STICTION_INLINE Quad gather_bodies(const std::vector<double>& list, const std::array<int, LaneBatch::lanes>& place) {
  return Quad{list[place[0] / lane::body_width], list[place[1] / lane::body_width], list[place[2] / lane::body_width],
              list[place[3] / lane::body_width]};
}

// x + momentum (x - what it was before the last sweep), and what it is now into `before`.
STICTION_INLINE void go_on(double momentum, size_t count, double* x, double* before) {
  for (size_t i = 0; i < count; i += LaneBatch::lanes) {
    const Quad now = *quad(x + i);
    *quad(x + i) = now + momentum * (now - *quad(before + i));
    *quad(before + i) = now;
  }
}
STICTION_WIDE void go_on_wide(double momentum, size_t count, double* x, double* before) {
  go_on(momentum, count, x, before);
}

}  // namespace

void FreeLanes::copy(const std::vector<double>& from, std::vector<double>& to) {
  to.resize(from.size());
  for_ranges(shared_by_, from.size(), numbers_at_once, [&](size_t begin, size_t end) {
    std::copy(from.begin() + begin, from.begin() + end, to.begin() + begin);
  });
}

template <bool two_sided>
STICTION_INLINE void FreeLanes::visit(size_t index, double momentum, double accuracy, double* change) {
  const LaneBatch& batch = batches_[index];
  Quad a[lane::width], b[lane::width];
  lane::gather(x_.data(), batch.place[0], a);
  if (two_sided) lane::gather(x_.data(), batch.place[1], b);
  const double* masses = inverse_mass_.data() + 2 * lanes * index;
  const Quad inverse_mass[2] = {*quad(masses), *quad(masses + lanes)};
  Quad sum = *quad(change);
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size;
    const size_t place = static_cast<size_t>(slot) * (lanes * lane::rows);
    double *z = z_.data() + place, *before = before_.data() + place;
    Quad u[lane::rows], from[lane::rows], to[lane::rows];
#pragma GCC unroll 3
    for (int r = 0; r < lane::rows; ++r) {
      const Quad now = *quad(z + lanes * r);
      from[r] = now + momentum * (now - *quad(before + lanes * r));
      *quad(before + lanes * r) = now;
      u[r] = *quad(bias_.data() + place + lanes * r);
    }
    lane::add_free_rates<two_sided>(values, a, b, u);
    lane::subtract_own(values, from, u);
    lane::free_law(values).solve(u, accuracy, slip_.data() + static_cast<size_t>(slot) * lanes, to);
#pragma GCC unroll 3
    for (int r = 0; r < lane::rows; ++r) {
      *quad(z + lanes * r) = to[r];
      to[r] -= from[r];
      sum += to[r] * to[r];
    }
    lane::add_free_impulses<two_sided>(values, inverse_mass, to, a, b);
  }
  *quad(change) = sum;
  lane::scatter(a, batch.place[0], x_.data());
  if (two_sided) lane::scatter(b, batch.place[1], x_.data());
}

// One sweep from z + momentum (z - what it was before the last one), x alike. Returns the squared change.
double FreeLanes::sweep(double momentum, double accuracy) {
  for_ranges(shared_by_, x_.size(), numbers_at_once, [&](size_t begin, size_t end) {
    double *x = x_.data() + begin, *before = x_before_.data() + begin;
    use_wide_registers ? go_on_wide(momentum, end - begin, x, before) : go_on(momentum, end - begin, x, before);
  });
  still_nobodies();
  std::fill(parts_.begin(), parts_.end(), 0.0);
  by_colours([&](int i, double* part, auto two_sided)
                 __attribute__((always_inline)) { visit<two_sided.value>(i, momentum, accuracy, part); });
  Quad change = {};
  for (int chunk = 0; chunk < chunks(); ++chunk)
    change += *quad(parts_.data() + static_cast<size_t>(chunk) * part_size);
  return (change[0] + change[1]) + (change[2] + change[3]);
}

void FreeLanes::still_nobodies() {
  std::fill(x_.begin() + static_cast<std::ptrdiff_t>(lane::body_width * bodies_.size()), x_.end(), 0.0);
}

// Raises both bodies of each lane.
void FreeLanes::raise_bodies(const LaneBatch& batch, const double* values, std::vector<double>& scale) const {
  for (int side = 0; side < (batch.two_sided ? 2 : 1); ++side) {
    for (int lane = 0; lane < lanes; ++lane) {
      double& own = scale[batch.place[side][lane] / lane::body_width];
      own = std::max(own, values[lane]);
    }
  }
}

// What the contacts of a batch see: of their bodies, without impulses and by loads alone; `fastest` holds the speeds at
// the start of the step of those that are to carry load.
template <bool two_sided>
STICTION_INLINE void FreeLanes::measure_batch(size_t index, double* fastest) {
  const LaneBatch& batch = batches_[index];
  Quad free[2][lane::width] = {}, start[2][lane::width] = {}, load[2][lane::width] = {};
  for (int side = 0; side < (two_sided ? 2 : 1); ++side) {
    lane::gather(x_free_.data(), batch.place[side], free[side]);
    lane::gather(x_start_.data(), batch.place[side], start[side]);
    for (int k = 0; k < lane::width; ++k) load[side][k] = free[side][k] - start[side][k];
  }
  Quad largest = {}, moving = *quad(fastest);
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size;
    const double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size;
    const double* bias = bias_.data() + static_cast<size_t>(slot) * (lanes * lane::rows);
    Quad u_free[lane::rows], u_start[lane::rows], own[lane::rows] = {}, other[lane::rows] = {};
#pragma GCC unroll 3
    for (int r = 0; r < lane::rows; ++r) {
      u_free[r] = *quad(bias + lanes * r);
      if (r == 0) u_free[r] -= *quad(open_.data() + static_cast<size_t>(slot) * lanes);
      u_start[r] = u_free[r];
    }
    lane::add_free_rates<two_sided>(values, free[0], free[1], u_free);
    lane::add_free_rates<two_sided>(values, start[0], start[1], u_start);
    lane::add_three(values, lane::FreeEntry::frame, load[0], own);
    if (two_sided) {  // what travels stands once, with the sign of side 1
#pragma GCC unroll 3
      for (int r = 0; r < lane::rows; ++r) own[r] = -own[r];
      lane::add_three(values, lane::FreeEntry::frame, load[1], other);
      lane::add_three(values, lane::FreeEntry::turn_1, load[1] + lane::axes, other);
    }
    lane::add_three(values, lane::FreeEntry::turn_0, load[0] + lane::axes, own);
    const Quad none = {};
    const auto carries = *quad(z_.data() + static_cast<size_t>(slot) * (lanes * lane::rows)) != none;
#pragma GCC unroll 3
    for (int r = 0; r < lane::rows; ++r) {
      const Quad unit = at(aspect, lane::AspectEntry::inverse_factor + r);
      const Quad speed = lane::larger(absolute(u_free[r]), lane::larger(absolute(own[r]), absolute(other[r])));
      largest = lane::larger(largest, unit * speed);
      moving = lane::larger(moving, carries ? unit * absolute(u_start[r]) : none);
    }
  }
  *quad(fastest) = moving;
  double values[lanes];
  *quad(values) = largest;
  raise_bodies(batch, values, static_scale_);
}

void FreeLanes::measure() {
  std::fill(parts_.begin(), parts_.end(), 0.0);
  by_colours([&](int i, double* part, auto two_sided)
                 __attribute__((always_inline)) { measure_batch<two_sided.value>(i, part); });
  start_speed_ = *std::max_element(parts_.begin(), parts_.end());
  std::fill(static_scale_.begin() + static_cast<std::ptrdiff_t>(bodies_.size()), static_scale_.end(), 0.0);
  fastest_ = *std::max_element(static_scale_.begin(), static_scale_.end());
  const double least = std::max(smallest_scale, least_share * fastest_);
  for (double& scale : static_scale_) scale = std::max(scale, least);
}

// x += M^-1 H^T z of a batch, and what impulses do to its bodies into their scales.
template <bool two_sided>
STICTION_INLINE void FreeLanes::accelerate(size_t index) {
  const LaneBatch& batch = batches_[index];
  Quad a[lane::width], b[lane::width];
  lane::gather(x_.data(), batch.place[0], a);
  if (two_sided) lane::gather(x_.data(), batch.place[1], b);
  const double* masses = inverse_mass_.data() + 2 * lanes * index;
  const Quad inverse_mass[2] = {*quad(masses), *quad(masses + lanes)};
  Quad push = {};
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size;
    const double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size;
    const double* own = z_.data() + static_cast<size_t>(slot) * (lanes * lane::rows);
    const Quad z[lane::rows] = {*quad(own), *quad(own + lanes), *quad(own + 2 * lanes)};
    lane::add_free_impulses<two_sided>(values, inverse_mass, z, a, b);
    const Quad w_t = at(values, lane::FreeEntry::free_w_t), w_o = at(values, lane::FreeEntry::free_w_o);
    const Quad W_tt = at(values, lane::FreeEntry::free_A_tt) + w_t * w_t;
    const Quad W_oo = at(values, lane::FreeEntry::free_A_oo) + w_o * w_o;
    push = lane::larger(push, at(aspect, lane::AspectEntry::inverse_factor) * z[0]);
    push = lane::larger(push, at(aspect, lane::AspectEntry::inverse_factor + 1) * absolute(W_tt * z[1]));
    push = lane::larger(push, at(aspect, lane::AspectEntry::inverse_factor + 2) * absolute(W_oo * z[2]));
  }
  lane::scatter(a, batch.place[0], x_.data());
  if (two_sided) lane::scatter(b, batch.place[1], x_.data());
  push = push < lane::all(fastest_) ? push : lane::all(fastest_);
  double pushes[lanes];
  *quad(pushes) = push;
  raise_bodies(batch, pushes, scale_);
}

// The worst residual of each lane of a batch.
template <bool two_sided>
STICTION_INLINE void FreeLanes::judge(size_t index, double* worst) const {
  const LaneBatch& batch = batches_[index];
  Quad a[lane::width], b[lane::width];
  lane::gather(x_.data(), batch.place[0], a);
  if (two_sided) lane::gather(x_.data(), batch.place[1], b);
  Quad scale = gather_bodies(scale_, batch.place[0]);
  if (two_sided) scale = lane::larger(scale, gather_bodies(scale_, batch.place[1]));
  Quad largest = {};
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size;
    const double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size;
    const size_t place = static_cast<size_t>(slot) * (lanes * lane::rows);
    const double* z = z_.data() + place;
    Quad u[lane::rows];
    for (int r = 0; r < lane::rows; ++r) u[r] = *quad(bias_.data() + place + lanes * r);
    lane::add_free_rates<two_sided>(values, a, b, u);
    const Quad normal = *quad(z), z_t = *quad(z + lanes), z_o = *quad(z + 2 * lanes);
    const Quad step = at(aspect, lane::AspectEntry::friction_step), radius = lane::larger(normal, Quad{});
    const Quad to_t = z_t - step * u[1], to_o = z_o - step * u[2], reach = two(to_t, to_o);
    const Quad shrink = reach > radius ? radius / reach : lane::all(1);
    const Quad off = at(aspect, lane::AspectEntry::friction_weight) * two(z_t - shrink * to_t, z_o - shrink * to_o);
    const Quad lower = normal < u[0] ? normal : u[0];
    const Quad apart = at(aspect, lane::AspectEntry::inverse_factor) * absolute(lower);
    largest = lane::larger(largest, lane::larger(off, apart));
  }
  largest /= scale;
  for (int lane = 0; lane < lanes; ++lane) {
    if (!(largest[lane] <= worst[lane])) worst[lane] = largest[lane];  // also where it is not a number
  }
}

// x of z, and the residual there.
double FreeLanes::look() {
  copy(x_free_, x_);
  std::copy(static_scale_.begin(), static_scale_.end(), scale_.begin());
  by_colours([&](int i, double*, auto two_sided) __attribute__((always_inline)) { accelerate<two_sided.value>(i); });
  still_nobodies();
  std::fill(parts_.begin(), parts_.end(), 0.0);
  all_at_once([&](int i, double* part, auto two_sided)
                  __attribute__((always_inline)) { judge<two_sided.value>(i, part); });
  return *std::max_element(parts_.begin(), parts_.end(), [](double a, double b) { return !(b <= a); });
}

SolveReport FreeLanes::solve(const FreeLaneOptions& options) {
  SolveReport report{.termination = Termination::solved, .iterations = 0, .residual = look(), .warm_started = true};
  if (report.residual <= std::min(options.guess_tolerance, options.tolerance)) return report;
  report.warm_started = false;
  for (auto* list : {&best_, &before_}) copy(z_, *list);
  copy(x_, x_before_);
  double best = report.residual;
  Momentum momentum;
  Stall stall(stalled_share, most_stalled_looks, report.residual);
  for (int k = 1; k <= options.sweeps; ++k) {
    const bool plain = k % check_every == 0 || k == options.sweeps;
    momentum.after(sweep(plain ? 0.0 : momentum.share, slip_accuracy));
    ++report.iterations;
    if (!plain && k != check_first) continue;
    report.residual = look();
    if (report.residual < best) best = report.residual, copy(z_, best_);
    if (report.residual <= options.tolerance || (k != check_first && stall.after(report.residual))) break;
  }
  if (!(report.residual <= best)) {
    copy(best_, z_);
    report.residual = look();
  }
  if (!(report.residual <= options.tolerance)) report.termination = Termination::not_found;
  return report;
}

}  // namespace stiction::solvers
