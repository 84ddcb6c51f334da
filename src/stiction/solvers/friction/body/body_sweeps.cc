#include "stiction/solvers/friction/body/body_sweeps.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/body/body_set.h"
#include "stiction/solvers/friction/body/lanes/momentum.h"

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;
constexpr double slip_accuracy = 1e-12;  // of |z_t| = z_n along a slip, relative
constexpr int check_every = 10;          // sweeps between two looks at the residual
constexpr double stalled_share = 0.7;    // of the residual at the last look: a look that gained less
constexpr int most_stalled_looks = 2;    // in a row
constexpr double least_share = 0.3;      // of the tolerance: bodies that moved by less need no visit of their blocks

// In lanes: of |z_t| = z_n along a slip, the share of the tolerance. The next sweep goes on from there.
constexpr double slip_share = 1e-2, least_slip_accuracy = 1e-12, most_slip_accuracy = 1e-4;

template <class Local>
int last_index(const std::vector<Local>& list) {
  return static_cast<int>(list.size()) - 1;
}

}  // namespace

void BodySweeps::prepare(const BodySystem& s) {
  if (s.version == version_) return lanes_.set_bias(s);
  version_ = s.version;
  lanes_.prepare(s);
  others_.clear();
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    if (s.blocks[b].kind != Kind::idle && !lanes_.takes(b)) others_.push_back(static_cast<int>(b));
  }
  prepare_others(s);
  x_.resize(s.velocity_count + ConeLanes::spare);
  x_before_.resize(x_.size());
  z_before_.resize(s.row_count);
  u_.resize(s.row_count);
}

void BodySweeps::prepare_others(const BodySystem& s) {
  two_.clear(), three_.clear(), four_.clear();
  ball_1_.clear(), ball_2_.clear(), ball_3_.clear();
  slot_.assign(s.blocks.size(), -1);
  const auto contact = [&](auto& list, const double* W) {
    list.emplace_back();
    list.back().set(W, 1.0);
    return last_index(list);
  };
  const auto ball = [&](auto& list, const double* W) {
    list.emplace_back();
    list.back().set(W);
    return last_index(list);
  };
  for (const int b : others_) {
    const SystemBlock& block = s.blocks[b];
    const double* W = s.W.data() + block.W;
    if (block.kind == Kind::cone) {
      slot_[b] = block.dim == 2   ? contact(two_, W)
                 : block.dim == 3 ? contact(three_, W)
                 : block.dim == 4 ? contact(four_, W)
                                  : -1;
    } else if (block.kind == Kind::disc) {
      slot_[b] = block.dim == 1 ? ball(ball_1_, W) : block.dim == 2 ? ball(ball_2_, W) : ball(ball_3_, W);
    }
  }
  stirred_.resize(s.push.size());
  seen_.resize(s.blocks.size());
}

// Row by row: redundant rows do no harm.
void BodySweeps::solve_equality(const BodySystem& s, const SystemBlock& block, double* z) {
  double u[6], change[6] = {};
  block_velocity(s, block, x_.data(), u);
  const double* W = s.W.data() + block.W;
  for (int i = 0; i < block.dim; ++i) {
    double speed = u[i];
    for (int j = 0; j < i; ++j) speed += W[i * block.dim + j] * change[j];
    const double own = W[i * block.dim + i];
    if (own > 0) change[i] = -speed / own;
  }
  for (int i = 0; i < block.dim; ++i) z[i] += change[i];
  add_impulse(s, block, change, x_.data());
  stir_bodies(block, change, block.dim);
}

void BodySweeps::visit(const BodySystem& s, const SystemBlock& block, int slot, double* all) {
  double* z = all + block.first;
  if (block.kind == Kind::equality) return solve_equality(s, block, z);
  const int n = block.dim;
  double b[4], change[4];
  block_velocity(s, block, x_.data(), b);
  const double* W = s.W.data() + block.W;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) b[i] -= W[i * n + j] * z[j];
    change[i] = -z[i];
  }
  if (block.kind == Kind::cone) {
    if (n == 1) z[0] = W[0] > 0 ? std::max(0.0, -b[0] / W[0]) : 0.0;
    if (n == 2) two_[slot].solve(b, slip_accuracy, z);
    if (n == 3) three_[slot].solve(b, slip_accuracy, z);
    if (n == 4) four_[slot].solve(b, slip_accuracy, z);
  } else if (block.kind == Kind::set) {
    solve_set(block, W, b, z);
  } else {
    const double radius = disc_radius(s, block, all);
    if (n == 1) ball_1_[slot].solve(b, radius, z);
    if (n == 2) ball_2_[slot].solve(b, radius, z);
    if (n == 3) ball_3_[slot].solve(b, radius, z);
  }
  bool moved = false;
  for (int i = 0; i < n; ++i) {
    change[i] += z[i];
    moved |= change[i] != 0;
  }
  if (!moved) return;
  add_impulse(s, block, change, x_.data());
  stir_bodies(block, change, n);
}

// How far the bodies of a block have moved since the first sweep.
double BodySweeps::stir(const SystemBlock& block) const {
  double sum = 0;
  for (const int body : block.body) sum += body >= 0 ? stirred_[body] : 0.0;
  return sum;
}

// Blocks of H H^T are about one, so that x moves as far as z.
void BodySweeps::stir_bodies(const SystemBlock& block, const double* change, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = std::max(most, std::abs(change[i]));
  for (const int body : block.body) {
    if (body >= 0) stirred_[body] += most;
  }
}

void BodySweeps::sweep(const BodySystem& s, double* z) {
  for (const int b : others_) {
    const SystemBlock& block = s.blocks[b];
    if (stir(block) - seen_[b] < least_stir_) continue;
    visit(s, block, slot_[b], z);
    seen_[b] = stir(block);
  }
}

// x and z go on as they changed in the last sweep.
void BodySweeps::go_on(const BodySystem& s, double momentum, double* z) {
  const auto extend = [momentum](double& now, double& before) {
    const double start = now;
    now += momentum * (now - before);
    before = start;
  };
  for (int i = 0; i < s.velocity_count; ++i) extend(x_[i], x_before_[i]);
  for (const int b : others_) {
    const SystemBlock& block = s.blocks[b];
    for (int i = block.first; i < block.first + block.dim; ++i) extend(z[i], z_before_[i]);
  }
}

// One sweep with momentum; returns the squared change.
double BodySweeps::sweep_lanes(const BodySystem& s, double momentum, double* z) {
  go_on(s, momentum, z);
  double change = 0;
  for (const int b : others_) {
    const SystemBlock& block = s.blocks[b];
    double start[most_rows];
    std::copy_n(z + block.first, block.dim, start);
    visit(s, block, slot_[b], z);
    for (int i = 0; i < block.dim; ++i) change += (z[block.first + i] - start[i]) * (z[block.first + i] - start[i]);
  }
  return change + lanes_.sweep(momentum, accuracy_, x_.data());
}

void BodySweeps::begin_lanes(double tolerance, const std::vector<double>& z) {
  accuracy_ = std::clamp(slip_share * tolerance, least_slip_accuracy, most_slip_accuracy);
  lanes_.load(z.data());
  x_before_ = x_;
  std::copy(z.begin(), z.end(), z_before_.begin());
}

void BodySweeps::push_apart(const double* wanted, int count, BodyProgress& progress, std::vector<double>& x) {
  lanes_.push_apart(wanted, count, x_.data());
  std::copy_n(x_.begin(), x.size(), x.begin());
  progress.sweeps += count;
  progress.iterations += count;
}

double BodySweeps::run(const BodySystem& s, int count, BodyProgress& progress, std::vector<double>& z) {
  double residual = infinity;
  velocity_of(s, z.data(), x_.data());
  std::fill(stirred_.begin(), stirred_.end(), 0.0);
  std::fill(seen_.begin(), seen_.end(), -infinity);
  least_stir_ = least_share * progress.tolerance * s.smallest_judged;
  begin_lanes(progress.tolerance, z);
  Momentum momentum;
  Stall stall(stalled_share, most_stalled_looks, progress.best_residual);
  for (int k = 1; k <= count; ++k) {
    const bool last = k == count || progress.sweeps + 1 >= progress.most_sweeps || progress.deadline.passed();
    if (lanes_.empty()) {
      sweep(s, z.data());
    } else {
      momentum.after(sweep_lanes(s, last ? 0.0 : momentum.share, z.data()));
    }
    ++progress.sweeps;
    ++progress.iterations;
    if (!last && k % check_every != 0 && (k > 2 || !lanes_.empty())) continue;
    lanes_.store(z.data());
    velocity_of(s, z.data(), x_.data());  // away with the rounding of many small changes
    all_velocities(s, x_.data(), u_.data());
    residual = body_residual(s, z.data(), u_.data());
    progress.offer(z, residual);
    if (last || residual <= progress.tolerance || (k % check_every == 0 && stall.after(residual))) break;
  }
  return residual;
}

}  // namespace stiction::solvers
