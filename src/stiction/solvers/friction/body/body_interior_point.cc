#include "stiction/solvers/friction/body/body_interior_point.h"

#include <algorithm>
#include <cmath>

namespace stiction::solvers {
namespace {

using Kind = SystemBlock::Kind;

constexpr double bilateral_softness = 1e-7;  // delta
constexpr double step_share = 0.9;           // of the way to the boundary
constexpr double short_affine = 0.1;         // affine steps below this call for damping
constexpr double short_step = 0.05;
constexpr int most_short_steps = 4, most_idle_steps = 20, most_steps = 150;

// f<N>() for the N of a pair.
template <class F>
void with_dim(int dim, F f) {
  switch (dim) {
    case 1:
      return f.template operator()<1>();
    case 2:
      return f.template operator()<2>();
    case 3:
      return f.template operator()<3>();
    case 4:
      return f.template operator()<4>();
    default:
      return;
  }
}

}  // namespace

void BodyInteriorPoint::reserve(const BodySystem& s) {
  const size_t rows = s.row_count + s.blocks.size(), velocities = s.velocity_count;  // a disc has one row more
  pairs_.reserve(s.blocks.size());
  for (auto* v : {&z_, &s_, &lambda_, &dz_, &ds_, &dz_affine_, &ds_affine_}) v->reserve(rows);
  for (auto* v : {&impulse_, &u_, &r_p_, &g_, &rates_, &change_, &right_, &w0_}) v->reserve(rows);
  for (auto* v : {&x_, &dx_, &rest_, &refine_}) v->reserve(velocities);
  PE_.reserve(s.W.size());
}

void BodyInteriorPoint::start(const BodySystem& s) {
  pairs_.resize(s.blocks.size());
  cones_ = 0;
  int rows = 0;
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const SystemBlock& block = s.blocks[b];
    const int shift = block.kind == Kind::disc ? 1 : 0;
    const int dim = block.kind == Kind::cone || shift > 0 ? block.dim + shift : 0;
    pairs_[b] = {};
    pairs_[b].first = rows, pairs_[b].dim = dim, pairs_[b].shift = shift;
    rows += dim;
    cones_ += dim > 0 ? 1 : 0;
  }
  for (auto* v : {&z_, &s_, &lambda_, &dz_, &ds_, &dz_affine_, &ds_affine_}) v->assign(rows, 0.0);
  for (auto* v : {&impulse_, &u_, &r_p_, &g_, &rates_, &change_, &right_, &w0_}) v->assign(s.row_count, 0.0);
  for (auto* v : {&x_, &dx_, &rest_, &refine_}) v->assign(s.velocity_count, 0.0);
  PE_.assign(s.W.size(), 0.0);
  const double size = 1 / std::sqrt(std::max(cones_, 1));
  for (const Pair& pair : pairs_) {
    if (pair.dim > 0) z_[pair.first] = s_[pair.first] = size;
  }
  impulses(s);
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    if (pairs_[b].shift > 0) z_[pairs_[b].first] = disc_radius(s, s.blocks[b], impulse_.data());
  }
}

// The impulses of pairs as rows of the system; bilateral ones are there already.
void BodyInteriorPoint::impulses(const BodySystem& s) {
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const Pair& pair = pairs_[b];
    for (int i = pair.shift; i < pair.dim; ++i) impulse_[s.blocks[b].first + i - pair.shift] = z_[pair.first + i];
  }
}

template <int N>
bool BodyInteriorPoint::scale_pair(const BodySystem& s, const SystemBlock& block, Pair& pair) {
  const double *z = z_.data() + pair.first, *slack = s_.data() + pair.first, *u = u_.data() + block.first;
  double* r_p = r_p_.data() + block.first;
  if (!lorentz::nesterov_todd<N>(z, slack, pair.scaling)) return false;
  lorentz::apply<N>(pair.scaling, z, lambda_.data() + pair.first);
  for (int i = 0; i < block.dim; ++i) r_p[i] = slack[i + pair.shift] - u[i];
  if (block.kind == Kind::disc) {
    pair.target = disc_radius(s, block, impulse_.data()) - z[0];
    return true;
  }
  double slip = 0;
  for (int i = 1; i < N; ++i) slip += u[i] * u[i];
  slip = std::sqrt(slip);
  r_p[0] -= slip;
  for (int i = 1; i < N; ++i) pair.tangent[i - 1] = slip > 0 ? u[i] / slip : 0.0;
  return true;
}

bool BodyInteriorPoint::scale(const BodySystem& s) {
  bool inside = true;
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    with_dim(pairs_[b].dim, [&]<int N>() { inside = inside && scale_pair<N>(s, s.blocks[b], pairs_[b]); });
  }
  return inside;
}

// P E of a cone; the Schur complement of P_00 of a disc.
template <int N>
void BodyInteriorPoint::set_matrix(const SystemBlock& block, const Pair& pair, double theta) {
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
    for (int j = 1; j < N; ++j) PE[i * N + j] = P[i * N + j] + theta * P[i * N] * pair.tangent[j - 1];
  }
}

void BodyInteriorPoint::set_matrices(const BodySystem& s, double theta) {
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const SystemBlock& block = s.blocks[b];
    if (block.kind == Kind::equality) {
      for (int i = 0; i < block.dim; ++i) PE_[block.W + i * (block.dim + 1)] = 1 / bilateral_softness;
    }
    with_dim(pairs_[b].dim, [&]<int N>() { set_matrix<N>(block, pairs_[b], theta); });
  }
}

bool BodyInteriorPoint::factor(const BodySystem& s, double theta, BodyMatrix& matrix, BodyProgress& progress) {
  set_matrices(s, theta);
  matrix.start(theta > 0 ? MatrixKind::general : MatrixKind::symmetric);
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    if (s.blocks[b].dim > 0) matrix.add(s, static_cast<int>(b), PE_.data() + s.blocks[b].W, 1.0);
  }
  ++progress.factorizations;
  return matrix.factor();
}

// out = P E rates, block by block.
void BodyInteriorPoint::multiply(const BodySystem& s, const double* rates, double* out) const {
  for (const SystemBlock& block : s.blocks) {
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
void BodyInteriorPoint::set_right(const SystemBlock& block, const Pair& pair, double target, bool correct) {
  const double* lambda = lambda_.data() + pair.first;
  double xi[N], t[N], *g = g_.data() + block.first;
  for (int i = 0; i < N; ++i) xi[i] = -lambda[i];
  if (correct) {
    double a[N], b[N], product[N];
    lorentz::apply<N>(pair.scaling, dz_affine_.data() + pair.first, a);
    lorentz::apply_inverse<N>(pair.scaling, ds_affine_.data() + pair.first, b);
    lorentz::jordan_product<N>(a, b, product);
    for (int i = 0; i < N; ++i) product[i] = (i == 0 ? target : 0.0) - product[i];
    lorentz::jordan_divide<N>(lambda, product, t);
    for (int i = 0; i < N; ++i) xi[i] += t[i];
  }
  lorentz::apply_inverse<N>(pair.scaling, xi, t);
  double P[N * N];
  lorentz::inverse_square<N>(pair.scaling, P);
  const double* r_p = r_p_.data() + block.first;
  if (pair.shift == 0) {
    for (int i = 0; i < N; ++i) {
      g[i] = t[i];
      for (int j = 0; j < N; ++j) g[i] += P[i * N + j] * r_p[j];
    }
    return;
  }
  w0_[block.first] = t[0] - pair.target;
  const double* PE = PE_.data() + block.W;
  for (int i = 0; i + 1 < N; ++i) {
    g[i] = t[i + 1] - P[(i + 1) * N] / P[0] * w0_[block.first];
    for (int j = 0; j + 1 < N; ++j) g[i] += PE[i * (N - 1) + j] * r_p[j];
  }
}

// dz and ds of a pair from the rows of change_ = dz and rates_ = H H^T dz.
template <int N>
void BodyInteriorPoint::set_change(const SystemBlock& block, const Pair& pair, double theta) {
  double *dz = dz_.data() + pair.first, *ds = ds_.data() + pair.first;
  const double *rates = rates_.data() + block.first, *r_p = r_p_.data() + block.first;
  for (int i = 0; i < block.dim; ++i) {
    dz[i + pair.shift] = change_[block.first + i];
    ds[i + pair.shift] = rates[i] - r_p[i];
  }
  if (pair.shift == 0) {
    for (int i = 1; i < N; ++i) ds[0] += theta * pair.tangent[i - 1] * rates[i];
    return;
  }
  double P[N * N];
  lorentz::inverse_square<N>(pair.scaling, P);
  dz[0] = pair.target;
  ds[0] = w0_[block.first];
  for (int i = 1; i < N; ++i) ds[0] -= P[i] * ds[i];
  ds[0] /= P[0];
}

// Solves for dz and ds; `target` is sigma mu, `correct` says whether the affine step is known.
void BodyInteriorPoint::direction(const BodySystem& s, double theta, double target, bool correct,
                                  const BodyMatrix& matrix) {
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    const SystemBlock& block = s.blocks[b];
    if (block.kind == Kind::equality) {
      for (int i = block.first; i < block.first + block.dim; ++i) g_[i] = -u_[i] / bilateral_softness;
    }
    with_dim(pairs_[b].dim, [&]<int N>() { set_right<N>(block, pairs_[b], target, correct); });
  }
  velocity_of(s, g_.data(), rest_.data());
  std::copy(rest_.begin(), rest_.end(), dx_.begin());
  matrix.solve(dx_.data());
  all_rates(s, dx_.data(), rates_.data());
  multiply(s, rates_.data(), right_.data());
  velocity_of(s, right_.data(), refine_.data());  // one refinement: the matrix has a condition of up to 1e14
  for (size_t i = 0; i < refine_.size(); ++i) refine_[i] = rest_[i] - dx_[i] - refine_[i];
  matrix.solve(refine_.data());
  for (size_t i = 0; i < refine_.size(); ++i) dx_[i] += refine_[i];
  all_rates(s, dx_.data(), rates_.data());
  multiply(s, rates_.data(), right_.data());
  for (int i = 0; i < s.row_count; ++i) change_[i] = g_[i] - right_[i];
  velocity_of(s, change_.data(), dx_.data());
  all_rates(s, dx_.data(), rates_.data());
  for (size_t b = 0; b < s.blocks.size(); ++b) {
    with_dim(pairs_[b].dim, [&]<int N>() { set_change<N>(s.blocks[b], pairs_[b], theta); });
  }
}

double BodyInteriorPoint::longest(const std::vector<double>& x, const std::vector<double>& d) const {
  double step = 1 / step_share;
  for (const Pair& pair : pairs_) {
    with_dim(pair.dim,
             [&]<int N>() { step = lorentz::step_to_boundary<N>(x.data() + pair.first, d.data() + pair.first, step); });
  }
  return step;
}

// z . s per cone after a step along (dz, ds).
double BodyInteriorPoint::gap(double step_z, double step_s) const {
  double sum = 0;
  for (size_t i = 0; i < z_.size(); ++i) sum += (z_[i] + step_z * dz_[i]) * (s_[i] + step_s * ds_[i]);
  return sum / std::max(cones_, 1);
}

// The affine step with as much of De Saxce's term as goes. False where no factorisation succeeds.
bool BodyInteriorPoint::affine(const BodySystem& s, const BodyInteriorOptions& options, BodyMatrix& matrix,
                               BodyProgress& progress, double& theta, double& step_z, double& step_s) {
  const double thetas[3] = {1, options.damping, 0};
  bool factored = false;
  for (int k = 0; k < 3; ++k) {
    if (k > 0 && thetas[k] == thetas[k - 1]) continue;
    theta = thetas[k];
    factored = factor(s, theta, matrix, progress);
    if (!factored) continue;
    direction(s, theta, 0, false, matrix);
    step_z = std::min(1.0, longest(z_, dz_));
    step_s = std::min(1.0, longest(s_, ds_));
    if (std::min(step_z, step_s) >= short_affine || progress.spent()) break;
  }
  return factored && std::isfinite(gap(step_z, step_s));
}

void BodyInteriorPoint::move(const BodySystem& s, double step_z, double step_s) {
  for (size_t i = 0; i < z_.size(); ++i) {
    z_[i] += step_z * dz_[i];
    s_[i] += step_s * ds_[i];
  }
  for (const SystemBlock& block : s.blocks) {
    if (block.kind != Kind::equality) continue;
    for (int i = block.first; i < block.first + block.dim; ++i) impulse_[i] += step_z * change_[i];
  }
  impulses(s);
}

double BodyInteriorPoint::run(const BodySystem& s, const BodyInteriorOptions& options, BodyMatrix& matrix,
                              BodyProgress& progress, std::vector<double>& z) {
  start(s);
  double residual = infinity, least = infinity;
  int short_steps = 0, idle = 0;
  for (int k = 0; k < most_steps; ++k) {
    velocity_of(s, impulse_.data(), x_.data());
    all_velocities(s, x_.data(), u_.data());
    residual = body_residual(s, impulse_.data(), u_.data());
    progress.offer(impulse_, residual);
    idle = residual < 0.9 * least ? 0 : idle + 1;
    if (residual < 0.9 * least) least = residual;
    if (!(residual > options.stop) || progress.spent() || idle > most_idle_steps) break;
    if (short_steps >= most_short_steps || !scale(s)) break;
    ++progress.iterations;
    const double mu = gap(0, 0);
    double theta = 1, step_z = 0, step_s = 0;
    if (!affine(s, options, matrix, progress, theta, step_z, step_s)) break;
    double sigma = std::clamp(std::pow(gap(step_z, step_s) / mu, 3), options.least_centring, 1.0);
    if (std::min(step_z, step_s) < short_affine) sigma = std::max(sigma, 0.5);
    dz_affine_.swap(dz_);
    ds_affine_.swap(ds_);
    direction(s, theta, sigma * mu, true, matrix);
    step_z = std::min(1.0, step_share * longest(z_, dz_));
    step_s = std::min(1.0, step_share * longest(s_, ds_));
    short_steps = std::min(step_z, step_s) < short_step ? short_steps + 1 : std::max(0, short_steps - 1);
    move(s, step_z, step_s);
  }
  std::copy(impulse_.begin(), impulse_.end(), z.begin());
  return residual;
}

}  // namespace stiction::solvers
