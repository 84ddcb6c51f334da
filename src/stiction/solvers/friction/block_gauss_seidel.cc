#include "stiction/solvers/friction/block_gauss_seidel.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
using Block6 = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6, 6>;

// splitmix64: small, seedable, the same on every machine.
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

void shuffle(std::vector<int>& order, std::uint64_t& state) {
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[next_random(state) % i]);
}

// A bilateral block may be singular (redundant rows): a touch of compliance keeps its inverse bounded.
void invert_bilateral(const double* W, int n, double* inverse) {
  Block6 block = Eigen::Map<const Block6>(W, n, n);
  const double trace = block.trace();
  block.diagonal().array() += trace > 0 ? 1e-13 * trace : 1.0;
  Eigen::Map<Block6>(inverse, n, n) = block.inverse();
}

template <int N>
int add_contact(std::vector<LocalContact<N>>& list, const double* W, double mu) {
  list.emplace_back();
  list.back().set(W, mu);
  return static_cast<int>(list.size()) - 1;
}

template <int N>
int add_ball(std::vector<LocalBall<N>>& list, const double* W) {
  list.emplace_back();
  list.back().set(W);
  return static_cast<int>(list.size()) - 1;
}

// b = q_i + sum over j != i of W_ij r_j.
void velocity_without(const ScaledFriction& s, int i, const double* r, double* b) {
  const int *row_start = s.row_start(), *column = s.column(), *value_start = s.value_start();
  const int rows = s.dim[i];
  std::copy_n(s.q.data() + s.first[i], rows, b);
  for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
    const int j = column[k], columns = s.dim[j];
    if (j == i) continue;
    const double *W = s.value.data() + value_start[k], *x = r + s.first[j];
    for (int a = 0; a < rows; ++a) {
      for (int c = 0; c < columns; ++c) b[a] += W[a * columns + c] * x[c];
    }
  }
}

void velocity_without_three(const ScaledFriction& s, int i, const double* r, double* b) {
  const int* column = s.column();
  const int begin = s.row_start()[i], end = s.row_start()[i + 1], own = s.diagonal[i];
  double b0 = s.q[3 * i], b1 = s.q[3 * i + 1], b2 = s.q[3 * i + 2];
  const double* W = s.value.data() + 9L * begin;
  for (int k = begin; k < end; ++k, W += 9) {
    if (k == own) continue;
    const double* x = r + 3 * column[k];
    b0 += W[0] * x[0] + W[1] * x[1] + W[2] * x[2];
    b1 += W[3] * x[0] + W[4] * x[1] + W[5] * x[2];
    b2 += W[6] * x[0] + W[7] * x[1] + W[8] * x[2];
  }
  b[0] = b0, b[1] = b1, b[2] = b2;
}

// One sweep; returns the length of the change in the weights of the residual.
double sweep(const ScaledFriction& s, const std::vector<int>* order, LocalSolves& local, double* r) {
  double change = 0;
  for (int k = 0; k < s.block_count; ++k) {
    const int i = order ? (*order)[k] : k;
    const int first = s.first[i], n = s.dim[i];
    double b[6], old[6];
    std::copy_n(r + first, n, old);
    if (s.all_three) {
      velocity_without_three(s, i, r, b);
      local.three(i).solve(b, local.accuracy, r + first);
    } else {
      velocity_without(s, i, r, b);
      local.solve(s, i, b, r + first);
    }
    for (int a = 0; a < n; ++a) {
      const double d = (r[first + a] - old[a]) * s.row_weight[first + a];
      change += d * d;
    }
  }
  return std::sqrt(change);
}

// Four sums side by side, whatever the registers.
double dot(int n, const double* x, const double* y) {
  double sum[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int k = 0; k < 4; ++k) sum[k] += x[i + k] * y[i + k];
  }
  for (; i < n; ++i) sum[0] += x[i] * y[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Few of the blocks carry anything: the first sweep may have been enough, and it is worth a look.
bool mostly_open(const ScaledFriction& s, const double* r) {
  int closed = 0;
  for (int i = 0; i < s.block_count; ++i) closed += r[s.first[i]] != 0 ? 1 : 0;
  return 3 * closed <= s.block_count;
}

}  // namespace

void LocalSolves::prepare(const ScaledFriction& s) {
  two_.clear(), three_.clear(), four_.clear();
  ball_1_.clear(), ball_2_.clear(), ball_3_.clear();
  inverse_.clear();
  if (s.all_three) {
    three_.resize(s.block_count);
    for (int i = 0; i < s.block_count; ++i) three_[i].set(s.diagonal_block(i), s.mu[i]);
    return;
  }
  slot_.resize(s.block_count);
  for (int i = 0; i < s.block_count; ++i) {
    const double* W = s.diagonal_block(i);
    const int n = s.dim[i];
    slot_[i] = 0;
    if (s.law[i] == Law::bilateral) {
      slot_[i] = static_cast<int>(inverse_.size());
      inverse_.resize(inverse_.size() + n * n);
      invert_bilateral(W, n, inverse_.data() + slot_[i]);
    } else if (s.law[i] == Law::contact) {
      if (n == 2) slot_[i] = add_contact(two_, W, s.mu[i]);
      if (n == 3) slot_[i] = add_contact(three_, W, s.mu[i]);
      if (n == 4) slot_[i] = add_contact(four_, W, s.mu[i]);
    } else {
      if (n == 1) slot_[i] = add_ball(ball_1_, W);
      if (n == 2) slot_[i] = add_ball(ball_2_, W);
      if (n == 3) slot_[i] = add_ball(ball_3_, W);
    }
  }
}

void LocalSolves::solve(const ScaledFriction& s, int i, const double* b, double* r) {
  const int n = s.dim[i];
  if (s.law[i] == Law::bilateral) {
    const double* inverse = inverse_.data() + slot_[i];
    for (int a = 0; a < n; ++a) {
      r[a] = 0;
      for (int c = 0; c < n; ++c) r[a] -= inverse[a * n + c] * b[c];
    }
  } else if (s.law[i] == Law::contact) {
    if (n == 1) {
      const double W = *s.diagonal_block(i);
      r[0] = W > 0 ? std::max(0.0, -b[0] / W) : 0.0;
    }
    if (n == 2) two_[slot_[i]].solve(b, accuracy, r);
    if (n == 3) three_[slot_[i]].solve(b, accuracy, r);
    if (n == 4) four_[slot_[i]].solve(b, accuracy, r);
  } else {
    const double radius = ball_radius(s, i, r - s.first[i]);
    if (n == 1) ball_1_[slot_[i]].solve(b, radius, r);
    if (n == 2) ball_2_[slot_[i]].solve(b, radius, r);
    if (n == 3) ball_3_[slot_[i]].solve(b, radius, r);
  }
}

void Anderson::mix(int n, const double* g, double norm, double* x) {
  if (n_ != n) {
    n_ = n;
    memory_.resize((2 + 2 * static_cast<size_t>(depth)) * n);
    count_ = 0;
  }
  double *f_last = memory_.data(), *g_last = f_last + n, *df = g_last + n, *dg = df + static_cast<size_t>(depth) * n;
  if (count_ > 0 && norm > 2 * last_norm_) count_ = 0;
  last_norm_ = norm;
  const int columns = std::min(count_, depth);
  newest_ = count_ > 0 ? (newest_ + 1) % depth : -1;
  ++count_;
  if (columns == 0) {
    for (int i = 0; i < n; ++i) f_last[i] = g[i] - x[i];
    std::copy_n(g, n, g_last);
    std::copy_n(g, n, x);
    return;
  }
  double *df_new = df + static_cast<size_t>(newest_) * n, *dg_new = dg + static_cast<size_t>(newest_) * n;
  for (int i = 0; i < n; ++i) {
    const double f = g[i] - x[i];
    df_new[i] = f - f_last[i];
    dg_new[i] = g[i] - g_last[i];
    f_last[i] = f;
    g_last[i] = g[i];
  }
  for (int c = 0; c < columns; ++c) {
    const double* column = df + static_cast<size_t>(c) * n;
    gram_[c * depth + newest_] = gram_[newest_ * depth + c] = dot(n, column, df_new);
    rhs_[c] = dot(n, column, f_last);
  }
  double gamma[depth] = {};
  solve_normal_equations(columns, gamma);
  std::copy_n(g, n, x);
  for (int c = 0; c < columns; ++c) {
    const double *column = dg + static_cast<size_t>(c) * n, factor = gamma[c];
    for (int i = 0; i < n; ++i) x[i] -= factor * column[i];
  }
}

void Anderson::solve_normal_equations(int columns, double* gamma) const {
  double L[depth][depth], inverse[depth], trace = 0;  // of L's diagonal
  for (int c = 0; c < columns; ++c) trace += gram_[c * depth + c];
  for (int i = 0; i < columns; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = gram_[i * depth + j] + (i == j ? 1e-12 * trace : 0.0);
      for (int k = 0; k < j; ++k) sum -= L[i][k] * L[j][k];
      if (j < i) L[i][j] = sum * inverse[j];
      if (j == i) inverse[i] = 1 / std::sqrt(std::max(sum, 1e-300));
    }
  }
  for (int i = 0; i < columns; ++i) {
    gamma[i] = rhs_[i];
    for (int k = 0; k < i; ++k) gamma[i] -= L[i][k] * gamma[k];
    gamma[i] *= inverse[i];
  }
  for (int i = columns - 1; i >= 0; --i) {
    for (int k = i + 1; k < columns; ++k) gamma[i] -= L[k][i] * gamma[k];
    gamma[i] *= inverse[i];
  }
}

void prepare_gauss_seidel(const ScaledFriction& s, GaussSeidelWorkspace& w) {
  w.local.prepare(s);
  w.x.resize(s.row_count);
  w.u.resize(s.row_count);
}

SweepResult run_gauss_seidel(const ScaledFriction& s, const SweepOptions& options, GaussSeidelWorkspace& w, double* r) {
  SweepResult result;
  std::uint64_t random = options.seed;
  const bool accelerate = options.accelerate && !options.random_order && s.block_count > 1;
  if (options.random_order) {
    w.order.resize(s.block_count);
    std::iota(w.order.begin(), w.order.end(), 0);
  }
  w.anderson.restart();
  w.local.accuracy = std::clamp(1e-3 * options.tolerance, 4e-15, 1e-7);
  if (accelerate) std::copy_n(r, s.row_count, w.x.data());
  result.residual = infinity;
  int next_check = s.block_count == 1 ? 1 : 10;
  double last_change = infinity;
  const bool cold = std::all_of(r, r + s.row_count, [](double x) { return x == 0; });
  for (result.sweeps = 1; result.sweeps <= options.sweeps; ++result.sweeps) {
    if (options.random_order) shuffle(w.order, random);
    if (accelerate && result.sweeps > 1) std::copy_n(w.x.data(), s.row_count, r);
    const double change = sweep(s, options.random_order ? &w.order : nullptr, w.local, r);
    const bool last = result.sweeps == options.sweeps;
    if (cold && result.sweeps == 1 && mostly_open(s, r)) next_check = 1;
    // What the next sweep would change, if changes go on falling as they did, is about the residual of this one.
    const double ahead = change * std::min(1.0, change / last_change);
    last_change = change;
    if (std::min(ahead, 0.5 * change) <= options.tolerance || result.sweeps >= next_check || last) {
      scaled_velocity(s, r, w.u.data());
      result.residual = scaled_residual(s, r, w.u.data());
      result.solved = result.residual <= options.tolerance;
      if (result.solved || last || options.deadline.passed()) break;
      if (result.sweeps >= next_check) next_check = result.sweeps < 10 ? 10 : result.sweeps + 10;
    }
    if (accelerate) w.anderson.mix(s.row_count, r, change, w.x.data());
  }
  result.sweeps = std::min(result.sweeps, options.sweeps);
  return result;
}

void take_sweeps(FrictionSolve& solve, int sweeps, bool accelerate, bool random_order) {
  auto options = solve.common<SweepOptions>();
  options.sweeps = sweeps;
  options.accelerate = accelerate;
  options.random_order = random_order;
  options.seed = solve.options().seed;
  const SweepResult result = run_gauss_seidel(solve.problem(), options, solve.memory().sweeps, solve.r());
  solve.keep(gauss_seidel_friction, result.sweeps, result.residual);
}

constinit const FrictionSolver gauss_seidel_friction = {
    .name = "gauss-seidel",
    .source = "jean1999",
    .sentence = "one contact at a time, each solved exactly, with Anderson acceleration",
    .run = [](FrictionSolve& solve) { take_sweeps(solve, solve.limit(20000), true, false); },
    .ends_in_cones = true};

}  // namespace stiction::solvers
