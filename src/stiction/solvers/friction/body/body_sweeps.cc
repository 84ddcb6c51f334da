#include "stiction/solvers/friction/body/body_sweeps.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/friction/body/body_set.h"

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;
constexpr double slip_accuracy = 1e-12;  // of |z_t| = z_n along a slip, relative
constexpr int check_every = 10;          // sweeps between two looks at the residual
constexpr double least_share = 0.3;      // of the tolerance: bodies that moved by less need no visit of their blocks

template <class Local>
int last_index(const std::vector<Local>& list) {
  return static_cast<int>(list.size()) - 1;
}

}  // namespace

void BodySweeps::prepare(const BodySystem& s) {
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
  for (size_t b = 0; b < s.blocks.size(); ++b) {
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
  x_.resize(s.velocity_count);
  u_.resize(s.row_count);
  int bodies = 0;
  for (const SystemBlock& block : s.blocks) bodies = std::max({bodies, block.body[0] + 1, block.body[1] + 1});
  stirred_.resize(bodies);
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
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const SystemBlock& block = s.blocks[b];
    if (block.kind == Kind::idle || stir(block) - seen_[b] < least_stir_) continue;
    visit(s, block, slot_[b], z);
    seen_[b] = stir(block);
  }
}

double BodySweeps::run(const BodySystem& s, int count, BodyProgress& progress, std::vector<double>& z) {
  double residual = infinity;
  velocity_of(s, z.data(), x_.data());
  std::fill(stirred_.begin(), stirred_.end(), 0.0);
  std::fill(seen_.begin(), seen_.end(), -infinity);
  least_stir_ = least_share * progress.tolerance * s.smallest_judged;
  for (int k = 1; k <= count; ++k) {
    sweep(s, z.data());
    ++progress.sweeps;
    ++progress.iterations;
    const bool last = k == count || progress.sweeps >= progress.most_sweeps || progress.deadline.passed();
    if (!last && k % check_every != 0 && k > 2) continue;
    velocity_of(s, z.data(), x_.data());  // away with the rounding of many small changes
    all_velocities(s, x_.data(), u_.data());
    residual = body_residual(s, z.data(), u_.data());
    progress.offer(z, residual);
    if (last || residual <= progress.tolerance) break;
  }
  return residual;
}

}  // namespace stiction::solvers
