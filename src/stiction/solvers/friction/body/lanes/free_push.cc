// How free_lanes.h moves overlapping bodies apart.
#include <algorithm>
#include <atomic>

#include "stiction/solvers/friction/body/lanes/free_chunks.h"
#include "stiction/solvers/friction/body/lanes/free_contact.h"

namespace stiction::solvers {

using lane::at;

// What a normal row is to reach, wanted - what it has, into wanted_; true where an overlap is worth it.
template <bool two_sided>
STICTION_INLINE bool FreeLanes::want(size_t index, const FreePushOptions& options) {
  const LaneBatch& batch = batches_[index];
  Quad a[lane::width], b[lane::width];
  lane::gather(x_.data(), batch.place[0], a);
  if (two_sided) lane::gather(x_.data(), batch.place[1], b);
  const Quad none = {}, rest = lane::all(options.resting_overlap);
  Quad deepest = none;
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size;
    const double* aspect = aspect_.data() + static_cast<size_t>(slot) * lane::aspect_size;
    const size_t place = static_cast<size_t>(slot) * (lanes * lane::rows);
    Quad u[lane::rows];
    for (int r = 0; r < lane::rows; ++r) u[r] = *quad(bias_.data() + place + lanes * r);
    lane::add_free_rates<two_sided>(values, a, b, u);
    const Quad gap = *quad(gap_.data() + static_cast<size_t>(slot) * lanes), below = gap + rest;
    const auto rests = (absolute(gap) <= rest) & (*quad(z_.data() + place) > none);
    Quad speed = below < none ? options.gap_share * below : none;
    speed = speed < -options.max_speed ? lane::all(-options.max_speed) : speed;
    speed = rests ? options.gap_share * ((gap < none ? gap : none) + rest) : speed;
    *quad(wanted_.data() + static_cast<size_t>(slot) * lanes) =
        -(lane::larger(u[0], none) + at(aspect, lane::AspectEntry::factor) * speed);
    deepest = lane::larger(deepest, -gap);
    *quad(pushed_.data() + static_cast<size_t>(slot) * lanes) = none;
  }
  return lane::any(deepest > options.least_overlap);
}

template <bool two_sided>
STICTION_INLINE void FreeLanes::push(size_t index) {
  const LaneBatch& batch = batches_[index];
  Quad a[lane::width], b[lane::width];
  lane::gather(x_before_.data(), batch.place[0], a);
  if (two_sided) lane::gather(x_before_.data(), batch.place[1], b);
  const double* masses = inverse_mass_.data() + 2 * lanes * index;
  const Quad mass_a = *quad(masses), mass_b = *quad(masses + lanes), none = {};
  for (int slot = batch.first; slot < batch.first + batch.points; ++slot) {
    const double* values = matrix_.data() + static_cast<size_t>(slot) * lane::free_slot_size;
    Quad u = -*quad(wanted_.data() + static_cast<size_t>(slot) * lanes);
#pragma GCC unroll 3
    for (int k = 0; k < lane::axes; ++k) {
      const Quad frame = at(values, lane::FreeEntry::frame + k);
      u += two_sided ? frame * (b[k] - a[k]) : frame * a[k];
      u += at(values, lane::FreeEntry::turn_0 + k) * a[lane::axes + k];
      if (two_sided) u += at(values, lane::FreeEntry::turn_1 + k) * b[lane::axes + k];
    }
    double* pushed = pushed_.data() + static_cast<size_t>(slot) * lanes;
    const Quad before = *quad(pushed);
    const Quad now = lane::larger(before - u, none), change = now - before;
    *quad(pushed) = now;
#pragma GCC unroll 3
    for (int k = 0; k < lane::axes; ++k) {
      const Quad force = at(values, lane::FreeEntry::frame + k) * change;
      a[k] += two_sided ? -(mass_a * force) : mass_a * force;
      if (two_sided) b[k] += mass_b * force;
      a[lane::axes + k] += at(values, lane::FreeEntry::turn_0 + k) * change;
      if (two_sided) b[lane::axes + k] += at(values, lane::FreeEntry::turn_1 + k) * change;
    }
  }
  lane::scatter(a, batch.place[0], x_before_.data());
  if (two_sided) lane::scatter(b, batch.place[1], x_before_.data());
}

bool FreeLanes::push_apart(const FreePushOptions& options, VectorX& position) {
  std::atomic<bool> needed = false;
  all_at_once([&](int i, double*, auto two_sided) __attribute__((always_inline)) {
    if (want<two_sided.value>(i, options)) needed.store(true, std::memory_order_relaxed);
  });
  if (!needed) return false;
  std::fill(x_before_.begin(), x_before_.end(), 0.0);
  for (int k = 0; k < options.sweeps; ++k) {
    by_colours([&](int i, double*, auto two_sided) __attribute__((always_inline)) { push<two_sided.value>(i); });
  }
  for (size_t b = 0; b < bodies_.size(); ++b) {
    const Body& body = bodies_[b];
    const double* x = x_before_.data() + lane::body_width * b;
    const std::array<double, 6>& X = body.inverse;
    double* own = position.data() + body.offset;
    for (int k = 0; k < lane::axes; ++k) own[k] += x[k];
    own[3] += X[0] * x[3] + X[1] * x[4] + X[3] * x[5];
    own[4] += X[2] * x[4] + X[4] * x[5];
    own[5] += X[5] * x[5];
  }
  return true;
}

}  // namespace stiction::solvers
