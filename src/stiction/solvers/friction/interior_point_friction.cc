#include "stiction/solvers/friction/interior_point_friction.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;
constexpr int scaling_stride = 5;
constexpr double short_affine = 0.1;  // affine steps below this call for damping

double determinant(const double* x, int n) {
  double tail = 0;
  for (int i = 1; i < n; ++i) tail += x[i] * x[i];
  const double norm = std::sqrt(tail);
  return (x[0] - norm) * (x[0] + norm);
}

double dot(const double* x, const double* y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// Largest t <= limit with x + t d in the cone.
double step_to_boundary(const double* x, const double* d, int n, double limit) {
  if (n == 1) return d[0] < 0 ? std::min(limit, -x[0] / d[0]) : limit;
  const double a = d[0] * d[0] - dot(d + 1, d + 1, n - 1);
  const double b = 2 * (x[0] * d[0] - dot(x + 1, d + 1, n - 1));
  const double c = std::max(determinant(x, n), 0.0);
  // Smallest positive root of a t^2 + b t + c = det(x + t d); c >= 0.
  double t = infinity;
  const double discriminant = b * b - 4 * a * c;
  if (std::abs(a) < 1e-300) {
    if (b < 0) t = -c / b;
  } else if (discriminant >= 0) {
    const double root = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
    for (const double candidate : {root / a, root != 0 ? c / root : infinity}) {
      if (candidate > 0) t = std::min(t, candidate);
    }
  }
  if (d[0] < 0) t = std::min(t, -x[0] / d[0]);
  return std::min(limit, t);
}

// Nesterov-Todd scaling of a pair: D = eta^2 (2 w w^T - J) maps z to s. scaling = (eta, w).
bool nesterov_todd(const double* z, const double* s, int n, double* scaling) {
  const double det_z = determinant(z, n), det_s = determinant(s, n);
  if (!(det_z > 0 && det_s > 0)) return false;
  const double root_z = std::sqrt(det_z), root_s = std::sqrt(det_s);
  const double gamma = std::sqrt(std::max(0.0, 0.5 * (1 + dot(z, s, n) / (root_z * root_s))));
  scaling[0] = std::sqrt(root_s / root_z);
  double* w = scaling + 1;
  w[0] = (s[0] / root_s + z[0] / root_z) / (2 * gamma);
  for (int i = 1; i < n; ++i) w[i] = (s[i] / root_s - z[i] / root_z) / (2 * gamma);
  return std::isfinite(scaling[0]) && std::isfinite(w[0]);
}

// y = eta^power Wbar^(+-1) x, Wbar = [w0 w1^T; w1 I + w1 w1^T / (1 + w0)]; the inverse has w1 negated.
void apply_scaling(const double* scaling, int n, bool inverse, const double* x, double* y) {
  const double eta = inverse ? 1 / scaling[0] : scaling[0], sign = inverse ? -1 : 1;
  const double* w = scaling + 1;
  const double tail = dot(w + 1, x + 1, n - 1);
  const double factor = sign * x[0] + tail / (1 + w[0]);
  y[0] = eta * (w[0] * x[0] + sign * tail);
  for (int i = 1; i < n; ++i) y[i] = eta * (x[i] + factor * w[i]);
}

// x with lambda o x = b.
void jordan_divide(const double* lambda, const double* b, int n, double* x) {
  const double tail = dot(lambda + 1, b + 1, n - 1);
  x[0] = (lambda[0] * b[0] - tail) / determinant(lambda, n);
  for (int i = 1; i < n; ++i) x[i] = (b[i] - x[0] * lambda[i]) / lambda[0];
}

class InteriorPoint {
 public:
  InteriorPoint(const ScaledFriction& problem, const InteriorPointOptions& options, BlockLu& lu,
                InteriorPointWorkspace& workspace)
      : p_(problem), options_(options), lu_(lu), w_(workspace) {}

  NewtonResult run(double* r);

 private:
  bool cone(int i) const { return p_.law[i] == Law::contact; }
  double factor(int i, int row) const { return cone(i) && row > 0 ? p_.mu[i] : 1.0; }
  void size_arrays();
  void transform();
  void start(const double* r);
  void start_cold();
  void velocity();
  double residual();
  double gap() const;
  bool scale_cones();
  bool factor_system();
  void direction(double centring, bool correct, double* dz, double* ds);
  bool affine(double& step_z, double& step_s);
  void centring_term(int i, double target, bool correct, double* xi) const;
  double longest(const std::vector<double>& x, const std::vector<double>& d) const;

  const ScaledFriction& p_;
  const InteriorPointOptions& options_;
  BlockLu& lu_;
  InteriorPointWorkspace& w_;
  int cones_ = 0;
  double theta_ = 1;  // share of the bend in the matrix
  int factorizations_ = 0;
};

void InteriorPoint::size_arrays() {
  for (auto* vector : {&w_.q, &w_.z, &w_.s, &w_.u, &w_.du, &w_.r, &w_.dz, &w_.ds, &w_.right, &w_.r_p, &w_.dz_affine,
                       &w_.ds_affine, &w_.best}) {
    vector->resize(p_.row_count);
  }
  w_.W.resize(p_.value.size());
  w_.matrix.resize(p_.value.size());
  w_.scaling.resize(static_cast<size_t>(scaling_stride) * p_.block_count);
  w_.active.assign(p_.block_count, 1);
}

// W^ = T W T, q^ = T q; of the matrix only the diagonal blocks change.
void InteriorPoint::transform() {
  cones_ = 0;
  for (int i = 0; i < p_.block_count; ++i) {
    cones_ += cone(i) ? 1 : 0;
    for (int a = 0; a < p_.dim[i]; ++a) w_.q[p_.first[i] + a] = factor(i, a) * p_.q[p_.first[i] + a];
    for (int k = p_.row_start()[i]; k < p_.row_start()[i + 1]; ++k) {
      const int j = p_.column()[k], columns = p_.dim[j], at = p_.value_start()[k];
      for (int a = 0; a < p_.dim[i]; ++a) {
        for (int b = 0; b < columns; ++b) {
          w_.W[at + a * columns + b] = factor(i, a) * factor(j, b) * p_.value[at + a * columns + b];
        }
      }
    }
  }
  w_.matrix = w_.W;
}

// u^ = W^ z + q^ by u = W r + q, which is the same numbers once.
void InteriorPoint::velocity() {
  for (int i = 0; i < p_.block_count; ++i) {
    for (int a = 0; a < p_.dim[i]; ++a) w_.r[p_.first[i] + a] = factor(i, a) * w_.z[p_.first[i] + a];
  }
  scaled_velocity(p_, w_.r.data(), w_.u.data());
}

double InteriorPoint::residual() {
  const double value = scaled_residual(p_, w_.r.data(), w_.u.data());
  for (int i = 0; i < p_.block_count; ++i) {
    double* u = w_.u.data() + p_.first[i];
    for (int a = 0; a < p_.dim[i]; ++a) u[a] *= factor(i, a);
  }
  return value;
}

// Pushes the guess into the interior, and takes s as near to u^ + |u^_t| n as the interior allows.
void InteriorPoint::start(const double* r) {
  double size = 0;
  for (int i = 0; i < p_.row_count; ++i) size = std::max({size, std::abs(r[i]), std::abs(p_.q[i])});
  const double margin = 1e-3 * size;
  const auto push_inside = [&](double* x, int n) {
    const double norm = length(x + 1, n - 1);
    x[0] = std::max(x[0], norm + margin);
  };
  for (int i = 0; i < p_.block_count; ++i) {
    double* z = w_.z.data() + p_.first[i];
    for (int a = 0; a < p_.dim[i]; ++a) z[a] = factor(i, a) > 0 ? r[p_.first[i] + a] / factor(i, a) : 0.0;
    if (cone(i)) push_inside(z, p_.dim[i]);
  }
  velocity();
  residual();
  for (int i = 0; i < p_.block_count; ++i) {
    const int n = p_.dim[i];
    double *s = w_.s.data() + p_.first[i], *u = w_.u.data() + p_.first[i];
    std::fill_n(s, n, 0.0);
    if (!cone(i)) continue;
    std::copy_n(u, n, s);
    s[0] += length(u + 1, n - 1);
    push_inside(s, n);
  }
}

// The axis of every cone, of the size of q.
void InteriorPoint::start_cold() {
  double sum = 0;
  for (const double q : w_.q) sum += q * q;
  const double size = std::sqrt(sum / std::max(1, cones_));
  for (auto* x : {&w_.z, &w_.s}) std::fill(x->begin(), x->end(), 0.0);
  for (int i = 0; i < p_.block_count; ++i) {
    if (cone(i)) w_.z[p_.first[i]] = w_.s[p_.first[i]] = size;
  }
  velocity();
  residual();
}

double InteriorPoint::gap() const {
  double sum = 0;
  for (int i = 0; i < p_.block_count; ++i) {
    if (cone(i)) sum += dot(w_.z.data() + p_.first[i], w_.s.data() + p_.first[i], p_.dim[i]);
  }
  return sum / std::max(1, cones_);
}

bool InteriorPoint::scale_cones() {
  for (int i = 0; i < p_.block_count; ++i) {
    if (!cone(i)) continue;
    if (!nesterov_todd(w_.z.data() + p_.first[i], w_.s.data() + p_.first[i], p_.dim[i],
                       w_.scaling.data() + scaling_stride * i)) {
      return false;
    }
  }
  return true;
}

// Diagonal blocks W^ + E^-1 D, and r_p.
bool InteriorPoint::factor_system() {
  for (int i = 0; i < p_.block_count; ++i) {
    const int n = p_.dim[i];
    const double *u = w_.u.data() + p_.first[i], *s = w_.s.data() + p_.first[i];
    const double* W = w_.W.data() + p_.value_start()[p_.diagonal[i]];
    double *r_p = w_.r_p.data() + p_.first[i], *to = w_.matrix.data() + p_.value_start()[p_.diagonal[i]];
    for (int a = 0; a < n; ++a) r_p[a] = u[a] - s[a];
    if (!cone(i)) {
      for (int a = 0; a < n; ++a) to[a * n + a] = W[a * n + a] + 1e-12;
      continue;
    }
    const double slip = length(u + 1, n - 1);
    r_p[0] += slip;
    const double *w = w_.scaling.data() + scaling_stride * i + 1, eta = w_.scaling[scaling_stride * i];
    double D[16];
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) D[a * n + b] = eta * eta * (2 * w[a] * w[b] + (a == b ? (a == 0 ? -1.0 : 1.0) : 0.0));
    }
    for (int a = 1; a < n && slip > 0; ++a) {
      for (int b = 0; b < n; ++b) D[b] -= theta_ * u[a] / slip * D[a * n + b];
    }
    for (int x = 0; x < n * n; ++x) to[x] = W[x] + D[x];
  }
  return lu_.factor(p_, w_.matrix.data(), w_.active.data());
}

// xi = -s + W^T (lambda \ (target e - (W^-T ds) o (W dz))).
void InteriorPoint::centring_term(int i, double target, bool correct, double* xi) const {
  const int n = p_.dim[i];
  const double* scaling = w_.scaling.data() + scaling_stride * i;
  double lambda[4], b[4] = {target, 0, 0, 0}, x[4];
  apply_scaling(scaling, n, false, w_.z.data() + p_.first[i], lambda);
  if (correct) {
    double dz[4], ds[4];
    apply_scaling(scaling, n, false, w_.dz_affine.data() + p_.first[i], dz);
    apply_scaling(scaling, n, true, w_.ds_affine.data() + p_.first[i], ds);
    b[0] -= dot(dz, ds, n);
    for (int a = 1; a < n; ++a) b[a] -= dz[0] * ds[a] + ds[0] * dz[a];
  }
  jordan_divide(lambda, b, n, x);
  apply_scaling(scaling, n, false, x, xi);
  for (int a = 0; a < n; ++a) xi[a] -= w_.s[p_.first[i] + a];
}

void InteriorPoint::direction(double target, bool correct, double* dz, double* ds) {
  for (int i = 0; i < p_.block_count; ++i) {
    const int n = p_.dim[i];
    const double *u = w_.u.data() + p_.first[i], *r_p = w_.r_p.data() + p_.first[i];
    double* right = dz + p_.first[i];
    if (!cone(i)) {
      for (int a = 0; a < n; ++a) right[a] = -r_p[a];
      continue;
    }
    double xi[4];
    centring_term(i, target, correct, xi);
    for (int a = 0; a < n; ++a) right[a] = xi[a] - r_p[a];
    const double slip = length(u + 1, n - 1);
    for (int a = 1; a < n && slip > 0; ++a) right[0] -= theta_ * u[a] / slip * right[a];
  }
  lu_.solve(p_, dz);
  // ds = E W^ dz + r_p, W^ dz through W r.
  for (int i = 0; i < p_.block_count; ++i) {
    for (int a = 0; a < p_.dim[i]; ++a) w_.right[p_.first[i] + a] = factor(i, a) * dz[p_.first[i] + a];
  }
  scaled_velocity(p_, w_.right.data(), w_.du.data());
  for (int i = 0; i < p_.block_count; ++i) {
    const int n = p_.dim[i], first = p_.first[i];
    for (int a = 0; a < n; ++a) w_.du[first + a] = factor(i, a) * (w_.du[first + a] - p_.q[first + a]);
    if (!cone(i)) {
      std::fill_n(ds + first, n, 0.0);
      continue;
    }
    const double slip = length(w_.u.data() + first + 1, n - 1);
    for (int a = 0; a < n; ++a) ds[first + a] = w_.du[first + a] + w_.r_p[first + a];
    for (int a = 1; a < n && slip > 0; ++a) ds[first] += theta_ * w_.u[first + a] / slip * w_.du[first + a];
  }
}

double InteriorPoint::longest(const std::vector<double>& x, const std::vector<double>& d) const {
  double t = 1 / 0.95;
  for (int i = 0; i < p_.block_count; ++i) {
    if (cone(i)) t = step_to_boundary(x.data() + p_.first[i], d.data() + p_.first[i], p_.dim[i], t);
  }
  return t;
}

// The affine step; damped: with all, most or none of the bend, until one is long enough. False where no factorisation
// succeeds.
bool InteriorPoint::affine(double& step_z, double& step_s) {
  bool factored = false;
  for (const double theta : {1.0, 0.7, 0.0}) {
    theta_ = theta;
    factored = factor_system();
    ++factorizations_;
    if (!factored && options_.damped) continue;
    if (!factored) return false;
    direction(0, false, w_.dz_affine.data(), w_.ds_affine.data());
    step_z = std::min(1.0, longest(w_.z, w_.dz_affine));
    step_s = std::min(1.0, longest(w_.s, w_.ds_affine));
    if (!options_.damped || std::min(step_z, step_s) >= short_affine) break;
  }
  return factored;
}

NewtonResult InteriorPoint::run(double* r) {
  NewtonResult result;
  size_arrays();
  transform();
  options_.damped ? start_cold() : start(r);
  result.residual = infinity;
  int stuck = 0;
  for (; result.steps < options_.steps && stuck < options_.short_steps && !options_.deadline.passed(); ++result.steps) {
    double affine_z = 0, affine_s = 0;
    if (!scale_cones() || !affine(affine_z, affine_s)) break;
    const double mu = gap();
    double after = 0;
    for (int i = 0; i < p_.block_count; ++i) {
      if (!cone(i)) continue;
      for (int a = p_.first[i]; a < p_.first[i] + p_.dim[i]; ++a) {
        after += (w_.z[a] + affine_z * w_.dz_affine[a]) * (w_.s[a] + affine_s * w_.ds_affine[a]);
      }
    }
    const double ratio = std::clamp(after / std::max(1, cones_) / mu, 0.0, 1.0);
    double sigma = std::max(options_.damped ? 0.1 : 0.02, ratio * ratio * ratio);
    if (options_.damped && std::min(affine_z, affine_s) < short_affine) sigma = std::max(sigma, 0.5);
    direction(sigma * mu, true, w_.dz.data(), w_.ds.data());
    const double step_z = std::min(1.0, 0.95 * longest(w_.z, w_.dz)),
                 step_s = std::min(1.0, 0.95 * longest(w_.s, w_.ds));
    if (!std::isfinite(step_z + step_s)) break;
    for (int i = 0; i < p_.row_count; ++i) {
      w_.z[i] += step_z * w_.dz[i];
      w_.s[i] += step_s * w_.ds[i];
    }
    stuck = std::min(step_z, step_s) < 0.1 ? stuck + 1 : 0;
    velocity();
    const double now = residual();
    if (!std::isfinite(now)) break;
    if (now < result.residual) {
      result.residual = now;
      w_.best = w_.r;
    }
    if (now <= options_.tolerance) break;
  }
  result.factorizations = factorizations_;
  result.solved = result.residual <= options_.tolerance;
  if (result.residual < infinity) std::copy_n(w_.best.data(), p_.row_count, r);
  return result;
}

}  // namespace

NewtonResult run_interior_point(const ScaledFriction& problem, const InteriorPointOptions& options, BlockLu& lu,
                                InteriorPointWorkspace& workspace, double* r) {
  return InteriorPoint(problem, options, lu, workspace).run(r);
}

void take_interior_steps(FrictionSolve& solve, int steps, int short_steps, bool damped) {
  solve.analyze();
  auto options = solve.common<InteriorPointOptions>();
  options.steps = steps;
  options.short_steps = short_steps;
  options.damped = damped;
  FrictionMemory& m = solve.memory();
  solve.keep(interior_point_friction, run_interior_point(m.scaled, options, m.newton.lu, m.interior, solve.r()));
}

constinit const FrictionSolver interior_point_friction = {
    .name = "interior-point",
    .source = "acary2023",
    .sentence = "primal-dual interior point on the second-order cone with De Saxce's term inside",
    .run = [](FrictionSolve& solve) {
      take_interior_steps(solve, solve.limit(200), 12);
      take_newton_steps(solve, 20, 8, Merit::alart_curnier);
    }};

}  // namespace stiction::solvers
