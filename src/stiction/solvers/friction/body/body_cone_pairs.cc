#include "stiction/solvers/friction/body/body_cone_pairs.h"

#include <algorithm>
#include <cmath>

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;

constexpr double bilateral_softness = 1e-7;  // delta

}  // namespace

void BodyConePairs::reserve(const BodySystem& system) {
  const size_t rows = system.row_count + system.blocks.size();  // a disc has one row more
  pairs_.reserve(system.blocks.size());
  for (auto* v : {&z, &s, &lambda, &xi, &impulse_, &u_, &r_p, &g_, &rates_, &change_, &right_, &w0_}) v->reserve(rows);
  for (auto* v : {&x_, &dx_, &rest_, &refine_}) v->reserve(system.velocity_count);
  PE_.reserve(system.W.size());
}

void BodyConePairs::start(const BodySystem& system, double size_z, double size_s) {
  pairs_.resize(system.blocks.size());
  cones_ = 0;
  int rows = 0;
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const SystemBlock& block = system.blocks[b];
    const int shift = block.kind == Kind::disc ? 1 : 0;
    const int dim = block.kind == Kind::cone || shift > 0 ? block.dim + shift : 0;
    pairs_[b] = {};
    pairs_[b].first = rows, pairs_[b].dim = dim, pairs_[b].shift = shift;
    pairs_[b].rows = block.kind == Kind::equality ? block.dim : dim;
    rows += pairs_[b].rows;
    cones_ += dim > 0 ? 1 : 0;
  }
  for (auto* v : {&z, &s, &lambda, &xi}) v->assign(rows, 0.0);
  for (auto* v : {&impulse_, &u_, &r_p, &g_, &rates_, &change_, &right_, &w0_}) v->assign(system.row_count, 0.0);
  for (auto* v : {&x_, &dx_, &rest_, &refine_}) v->assign(system.velocity_count, 0.0);
  PE_.assign(system.W.size(), 0.0);
  const double root = std::sqrt(std::max(cones_, 1));
  for (const Pair& pair : pairs_) {
    if (pair.dim > 0) z[pair.first] = size_z / root, s[pair.first] = size_s / root;
  }
  update_velocities(system);
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    if (pairs_[b].shift > 0) z[pairs_[b].first] = disc_radius(system, system.blocks[b], impulse_.data());
  }
}

void BodyConePairs::start_near(const BodySystem& system, const std::vector<double>& guess, double level) {
  start(system, 1, 1);
  velocity_of(system, guess.data(), x_.data());
  all_velocities(system, x_.data(), u_.data());
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const Pair& pair = pairs_[b];
    const SystemBlock& block = system.blocks[b];
    const double *own = guess.data() + block.first, *u = u_.data() + block.first;
    if (block.kind == Kind::equality) std::copy_n(own, block.dim, z.data() + pair.first);
    with_cone_size(pair.dim, [&]<int N>() {
      double w[N] = {};
      double slip = 0;
      for (int i = 1; i < N; ++i) {
        const double rate = u[i - pair.shift];
        w[i] = own[i - pair.shift] - rate;
        slip += rate * rate;
      }
      slip = std::sqrt(slip);
      w[0] = (pair.shift > 0 ? disc_radius(system, block, guess.data()) : own[0] - u[0]) - slip;
      lorentz::central_pair<N>(w, level, z.data() + pair.first, s.data() + pair.first);
    });
  }
  update_velocities(system);
}

void BodyConePairs::copy_impulses(const BodySystem& system) {
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const Pair& pair = pairs_[b];
    for (int i = pair.shift; i < pair.rows; ++i) impulse_[system.blocks[b].first + i - pair.shift] = z[pair.first + i];
  }
}

void BodyConePairs::move(const BodySystem& system, double step_z, const std::vector<double>& dz, double step_s,
                         const std::vector<double>& ds) {
  for (size_t i = 0; i < z.size(); ++i) {
    z[i] += step_z * dz[i];
    s[i] += step_s * ds[i];
  }
  for (int i = 0; i < system.row_count; ++i) u_[i] += step_z * rates_[i];
  copy_impulses(system);
}

void BodyConePairs::update_velocities(const BodySystem& system) {
  copy_impulses(system);
  velocity_of(system, impulse_.data(), x_.data());
  all_velocities(system, x_.data(), u_.data());
}

template <int N>
bool BodyConePairs::scale_pair(const BodySystem& system, const SystemBlock& block, Pair& pair) {
  const double *own = z.data() + pair.first, *slack = s.data() + pair.first, *u = u_.data() + block.first;
  if (!lorentz::nesterov_todd<N>(own, slack, pair.scaling)) return false;
  lorentz::apply<N>(pair.scaling, own, lambda.data() + pair.first);
  pair.slip = 0;
  if (block.kind == Kind::disc) {
    pair.target = disc_radius(system, block, impulse_.data()) - own[0];
    return true;
  }
  for (int i = 1; i < N; ++i) pair.slip += u[i] * u[i];
  pair.slip = std::sqrt(pair.slip);
  for (int i = 1; i < N; ++i) pair.tangent[i - 1] = pair.slip > 0 ? u[i] / pair.slip : 0.0;
  return true;
}

bool BodyConePairs::scale(const BodySystem& system) {
  bool inside = true;
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    with_cone_size(pairs_[b].dim,
                   [&]<int N>() { inside = inside && scale_pair<N>(system, system.blocks[b], pairs_[b]); });
  }
  return inside;
}

// P E of a cone; the Schur complement of P_00 of a disc.
template <int N>
void BodyConePairs::set_matrix(const SystemBlock& block, const Pair& pair) {
  double P[N * N], *PE = PE_.data() + block.W;
  lorentz::inverse_square<N>(pair.scaling, P);
  if (pair.shift > 0) {
    for (int i = 1; i < N; ++i) {
      for (int j = 1; j < N; ++j) PE[(i - 1) * (N - 1) + j - 1] = P[i * N + j] - P[i * N] * P[j] / P[0];
    }
    return;
  }
  for (int i = 0; i < N; ++i) {
    PE[i * N] = P[i * N];
    for (int j = 1; j < N; ++j) PE[i * N + j] = P[i * N + j] + theta_ * P[i * N] * pair.tangent[j - 1];
  }
}

void BodyConePairs::set_matrices(const BodySystem& system) {
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const SystemBlock& block = system.blocks[b];
    if (block.kind == Kind::equality) {
      for (int i = 0; i < block.dim; ++i) PE_[block.W + i * (block.dim + 1)] = 1 / bilateral_softness;
    }
    with_cone_size(pairs_[b].dim, [&]<int N>() { set_matrix<N>(block, pairs_[b]); });
  }
}

bool BodyConePairs::factor(const BodySystem& system, double theta, BodyMatrix& matrix, BodyProgress& progress) {
  theta_ = theta;
  set_matrices(system);
  matrix.start(theta > 0 ? MatrixKind::general : MatrixKind::symmetric);
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    if (system.blocks[b].dim > 0) matrix.add(system, static_cast<int>(b), PE_.data() + system.blocks[b].W, 1.0);
  }
  ++progress.factorizations;
  return matrix.factor();
}

// out = P E rates, block by block.
void BodyConePairs::multiply(const BodySystem& system, const double* rates, double* out) const {
  for (const SystemBlock& block : system.blocks) {
    const double *PE = PE_.data() + block.W, *from = rates + block.first;
    for (int i = 0; i < block.dim; ++i) {
      double sum = 0;
      for (int j = 0; j < block.dim; ++j) sum += PE[i * block.dim + j] * from[j];
      out[block.first + i] = sum;
    }
  }
}

// g = W^-1 xi + P r_p; of a disc, with dz_0 given and ds_0 eliminated. w0_ keeps (W^-1 xi)_0 - dz_0 for ds_0.
template <int N>
void BodyConePairs::set_right(const SystemBlock& block, const Pair& pair) {
  double t[N], P[N * N], *g = g_.data() + block.first;
  lorentz::apply_inverse<N>(pair.scaling, xi.data() + pair.first, t);
  lorentz::inverse_square<N>(pair.scaling, P);
  const double* rest = r_p.data() + block.first;
  if (pair.shift == 0) {
    for (int i = 0; i < N; ++i) {
      g[i] = t[i];
      for (int j = 0; j < N; ++j) g[i] += P[i * N + j] * rest[j];
    }
    return;
  }
  w0_[block.first] = t[0] - pair.target;
  const double* PE = PE_.data() + block.W;
  for (int i = 0; i + 1 < N; ++i) {
    g[i] = t[i + 1] - P[(i + 1) * N] / P[0] * w0_[block.first];
    for (int j = 0; j + 1 < N; ++j) g[i] += PE[i * (N - 1) + j] * rest[j];
  }
}

// dz and ds of a pair from the rows of change_ = dz and rates_ = H H^T dz.
template <int N>
void BodyConePairs::set_change(const SystemBlock& block, const Pair& pair, double* dz, double* ds) const {
  const double *rates = rates_.data() + block.first, *rest = r_p.data() + block.first;
  for (int i = 0; i < block.dim; ++i) {
    dz[i + pair.shift] = change_[block.first + i];
    ds[i + pair.shift] = rates[i] - rest[i];
  }
  if (pair.shift == 0) {
    for (int i = 1; i < N; ++i) ds[0] += theta_ * pair.tangent[i - 1] * rates[i];
    return;
  }
  double P[N * N];
  lorentz::inverse_square<N>(pair.scaling, P);
  dz[0] = pair.target;
  ds[0] = w0_[block.first];
  for (int i = 1; i < N; ++i) ds[0] -= P[i] * ds[i];
  ds[0] /= P[0];
}

void BodyConePairs::solve(const BodySystem& system, const BodyMatrix& matrix, Refinement refinement,
                          std::vector<double>& dz, std::vector<double>& ds) {
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const SystemBlock& block = system.blocks[b];
    if (block.kind == Kind::equality) {
      for (int i = block.first; i < block.first + block.dim; ++i) g_[i] = -r_p[i] / bilateral_softness;
    }
    with_cone_size(pairs_[b].dim, [&]<int N>() { set_right<N>(block, pairs_[b]); });
  }
  velocity_of(system, g_.data(), rest_.data());
  std::copy(rest_.begin(), rest_.end(), dx_.begin());
  double whole = 0;
  for (const double x : rest_) whole += x * x;
  matrix.solve(dx_.data());
  for (int k = 0; k < refinement.most; ++k) {
    all_rates(system, dx_.data(), rates_.data());
    multiply(system, rates_.data(), right_.data());
    velocity_of(system, right_.data(), refine_.data());
    double left = 0;
    for (size_t i = 0; i < refine_.size(); ++i) {
      refine_[i] = rest_[i] - dx_[i] - refine_[i];
      left += refine_[i] * refine_[i];
    }
    if (left < refinement.enough * refinement.enough * whole) break;
    matrix.solve(refine_.data());
    for (size_t i = 0; i < refine_.size(); ++i) dx_[i] += refine_[i];
  }
  all_rates(system, dx_.data(), rates_.data());
  multiply(system, rates_.data(), right_.data());
  for (int i = 0; i < system.row_count; ++i) change_[i] = g_[i] - right_[i];
  if (!refinement.rough) {
    velocity_of(system, change_.data(), dx_.data());
    all_rates(system, dx_.data(), rates_.data());
  }
  for (size_t b = 0; b < system.blocks.size(); ++b) {
    const SystemBlock& block = system.blocks[b];
    double *own_z = dz.data() + pairs_[b].first, *own_s = ds.data() + pairs_[b].first;
    if (block.kind == Kind::equality) std::copy_n(change_.data() + block.first, block.dim, own_z);
    with_cone_size(pairs_[b].dim, [&]<int N>() { set_change<N>(block, pairs_[b], own_z, own_s); });
  }
}

double BodyConePairs::longest(const std::vector<double>& x, const std::vector<double>& d, double limit) const {
  double step = limit;
  for (const Pair& pair : pairs_) {
    with_cone_size(pair.dim, [&]<int N>() {
      step = lorentz::step_to_boundary<N>(x.data() + pair.first, d.data() + pair.first, step);
    });
  }
  return step;
}

}  // namespace stiction::solvers
