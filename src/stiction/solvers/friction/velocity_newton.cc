#include "stiction/solvers/friction/velocity_newton.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"
#include "stiction/solvers/friction/proximal_friction.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;

constexpr double least_penalty = 1, largest_penalty = 1e9;
constexpr double first_least = 1e2, first_largest = 1e6;  // of rho at the start
constexpr int newton_steps = 15, halvings = 7, memory = 4;
constexpr int easy_steps = 6;  // Newton steps after which rho may grow
constexpr int hold_after_failure = 3;
constexpr double growth = 4, decay = 5;  // of rho after an easy step and after a failure
constexpr int block_size = 16;           // of G: four rows at most, six of a bilateral block, whose G is the identity

double squared_norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum;
}

// Pi and G of a contact of n rows.
void project(const double* y, int n, double mu, double* image, double* G) {
  image[0] = y[0];
  G[0] = 1;
  const double size = length(y + 1, n - 1), radius = mu * y[0];
  const bool inside = size <= radius;
  const double shrink = inside ? 1.0 : radius / size;
  double radial[3];
  for (int a = 1; a < n; ++a) {
    image[a] = shrink * y[a];
    radial[a - 1] = inside ? 0.0 : y[a] / size;
  }
  for (int a = 1; a < n; ++a) {
    G[a] = 0;
    G[a * n] = mu * radial[a - 1];
    for (int b = 1; b < n; ++b) G[a * n + b] = (a == b ? shrink : 0.0) - shrink * radial[a - 1] * radial[b - 1];
  }
}

class VelocityNewton {
 public:
  VelocityNewton(const ScaledFriction& problem, const VelocityNewtonOptions& options, BlockLu& lu,
                 VelocityNewtonWorkspace& workspace)
      : p_(problem), options_(options), lu_(lu), w_(workspace) {}

  NewtonResult run(double* r);

 private:
  bool contact(int i) const { return p_.law[i] == Law::contact; }
  void set_rates(double rho);
  void project_all();
  double evaluate(const std::vector<double>& w);
  void set_matrix(int i);
  bool factor();
  void solve();
  bool search(double limit, double& merit);
  int newton(double tolerance);
  double residual_of(const double* r);

  const ScaledFriction& p_;
  const VelocityNewtonOptions& options_;
  BlockLu& lu_;
  VelocityNewtonWorkspace& w_;
  int factorizations_ = 0, steps_ = 0;
};

void VelocityNewton::set_rates(double rho) {
  for (int i = 0; i < p_.block_count; ++i) {
    for (int a = 0; a < p_.dim[i]; ++a) {
      w_.rate[p_.first[i] + a] = contact(i) && a > 0 ? rho * p_.mu[i] * p_.mu[i] : rho;
    }
  }
}

void VelocityNewton::project_all() {
  for (int i = 0; i < p_.block_count; ++i) {
    const int n = p_.dim[i];
    const double* y = w_.y.data() + p_.first[i];
    double* image = w_.image.data() + p_.first[i];
    w_.active[i] = !contact(i) || y[0] > 0 ? 1 : 0;
    if (!contact(i)) {
      std::copy_n(y, n, image);
    } else if (w_.active[i] == 0) {
      std::fill_n(image, n, 0.0);
    } else {
      project(y, n, p_.mu[i], image, w_.G.data() + static_cast<size_t>(block_size) * i);
    }
  }
}

// F and its merit at w.
double VelocityNewton::evaluate(const std::vector<double>& w) {
  for (int k = 0; k < p_.row_count; ++k) w_.y[k] = w_.center[k] - w_.rate[k] * (w_.base[k] + w[k]);
  project_all();
  for (int k = 0; k < p_.row_count; ++k) w_.change[k] = w_.image[k] - w_.center[k];
  scaled_velocity(p_, w_.change.data(), w_.u.data());
  for (int k = 0; k < p_.row_count; ++k) w_.F[k] = w[k] - (w_.u[k] - p_.q[k]);
  return squared_norm(w_.F);
}

// A = W G of two contacts of three rows.
void set_three(const double* W, const double* G, double* A) {
  for (int a = 0; a < 3; ++a) {
    const double w0 = W[3 * a], w1 = W[3 * a + 1], w2 = W[3 * a + 2];
    for (int b = 0; b < 3; ++b) A[3 * a + b] = w0 * G[b] + w1 * G[3 + b] + w2 * G[6 + b];
  }
}

// Block row i of A = I + W G R, in the columns of active blocks; G R stands in G.
void VelocityNewton::set_matrix(int i) {
  const int n = p_.dim[i];
  for (int k = p_.row_start()[i]; k < p_.row_start()[i + 1]; ++k) {
    const int j = p_.column()[k], m = p_.dim[j];
    if (w_.active[j] == 0) continue;
    const double *W = p_.value.data() + p_.value_start()[k], *rate = w_.rate.data() + p_.first[j];
    const double* G = w_.G.data() + static_cast<size_t>(block_size) * j;
    double* A = w_.A.data() + p_.value_start()[k];
    if (n == 3 && m == 3 && contact(j)) {
      set_three(W, G, A);
      if (i == j) A[0] += 1, A[4] += 1, A[8] += 1;
      continue;
    }
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < m; ++b) {
        double sum = contact(j) ? 0.0 : W[a * m + b] * rate[b];
        for (int c = 0; c < m && contact(j); ++c) sum += W[a * m + c] * G[c * m + b];
        A[a * m + b] = sum + (i == j && a == b ? 1.0 : 0.0);
      }
    }
  }
}

// From here to the next projection G holds G R.
bool VelocityNewton::factor() {
  ++factorizations_;
  for (int i = 0; i < p_.block_count; ++i) {
    if (w_.active[i] == 0 || !contact(i)) continue;
    const int n = p_.dim[i];
    double* G = w_.G.data() + static_cast<size_t>(block_size) * i;
    for (int x = 0; x < n * n; ++x) G[x] *= w_.rate[p_.first[i] + x % n];
  }
  for (int i = 0; i < p_.block_count; ++i) {
    if (w_.active[i] != 0) set_matrix(i);
  }
  return lu_.factor(p_, w_.A.data(), w_.active.data());
}

// dw = -A^-1 F: active rows by the factors, then the others, which no other row needs.
void VelocityNewton::solve() {
  for (int k = 0; k < p_.row_count; ++k) w_.dw[k] = -w_.F[k];
  lu_.solve(p_, w_.dw.data());
  for (int j = 0; j < p_.block_count; ++j) {
    const int m = p_.dim[j], first = p_.first[j];
    const double* G = w_.G.data() + static_cast<size_t>(block_size) * j;
    for (int a = 0; a < m; ++a) {
      double sum = 0;
      if (w_.active[j] != 0 && !contact(j)) sum = w_.rate[first + a] * w_.dw[first + a];
      for (int b = 0; b < m && w_.active[j] != 0 && contact(j); ++b) {
        sum += G[a * m + b] * w_.dw[first + b];
      }
      w_.change[first + a] = sum;
    }
  }
  for (int i = 0; i < p_.block_count; ++i) {
    if (w_.active[i] != 0) continue;
    for (int k = p_.row_start()[i]; k < p_.row_start()[i + 1]; ++k) {
      const int j = p_.column()[k], m = p_.dim[j];
      const double *W = p_.value.data() + p_.value_start()[k], *moved = w_.change.data() + p_.first[j];
      for (int a = 0; a < p_.dim[i]; ++a) {
        for (int b = 0; b < m; ++b) w_.dw[p_.first[i] + a] -= W[a * m + b] * moved[b];
      }
    }
  }
}

// The longest halved step along dw with a merit below `limit`.
bool VelocityNewton::search(double limit, double& merit) {
  double step = 1;
  for (int k = 0; k <= halvings; ++k, step *= 0.5) {
    for (int i = 0; i < p_.row_count; ++i) w_.trial[i] = w_.w[i] + step * w_.dw[i];
    merit = evaluate(w_.trial);
    if (!(merit <= (1 - 1e-4 * step) * limit)) continue;
    w_.w.swap(w_.trial);
    return true;
  }
  return false;
}

// One proximal step from the centre; the number of Newton steps, or -1 where they fail.
int VelocityNewton::newton(double tolerance) {
  scaled_velocity(p_, w_.center.data(), w_.base.data());
  std::fill(w_.w.begin(), w_.w.end(), 0.0);
  double merit = evaluate(w_.w), merits[memory] = {};
  for (int k = 0; k <= newton_steps; ++k) {
    if (!(merit > tolerance * tolerance)) return std::isfinite(merit) ? k : -1;
    if (k == newton_steps || factorizations_ >= options_.factorizations || options_.deadline.passed()) break;
    merits[k % memory] = merit;
    if (!factor()) break;
    ++steps_;
    solve();
    if (!search(*std::max_element(merits, merits + memory), merit)) break;
  }
  return -1;
}

double VelocityNewton::residual_of(const double* r) {
  scaled_velocity(p_, r, w_.u.data());
  return scaled_residual(p_, r, w_.u.data());
}

NewtonResult VelocityNewton::run(double* r) {
  w_.size_for(p_);
  std::copy_n(r, p_.row_count, w_.center.data());
  NewtonResult result;
  double residual = result.residual = residual_of(r);
  double rho = std::clamp(options_.stiffness / residual, first_least, first_largest);
  int hold = 0;
  while (result.residual > options_.tolerance && factorizations_ < options_.factorizations) {
    if (options_.deadline.passed()) break;
    set_rates(rho);
    const int steps = newton(0.1 * std::clamp(residual, options_.tolerance, 1.0));
    if (steps < 0) {
      if (rho <= least_penalty) break;
      rho = std::max(rho / decay, least_penalty);
      hold = hold_after_failure;
      continue;
    }
    w_.center = w_.image;
    residual = residual_of(w_.center.data());
    if (residual < result.residual) {
      result.residual = residual;
      std::copy_n(w_.center.data(), p_.row_count, r);
    }
    if (hold > 0) {
      --hold;
    } else if (steps <= easy_steps) {
      rho = std::min(growth * rho, largest_penalty);
    }
  }
  result.steps = steps_;
  result.factorizations = factorizations_;
  result.solved = result.residual <= options_.tolerance;
  return result;
}

}  // namespace

void VelocityNewtonWorkspace::size_for(const ScaledFriction& problem) {
  for (auto* v : {&y, &image, &rate, &base, &center, &w, &trial, &dw, &F, &change, &u}) v->resize(problem.row_count);
  G.resize(static_cast<size_t>(block_size) * problem.block_count);
  A.resize(problem.value.size());
  active.resize(problem.block_count);
}

NewtonResult run_velocity_newton(const ScaledFriction& problem, const VelocityNewtonOptions& options, BlockLu& lu,
                                 VelocityNewtonWorkspace& workspace, double* r) {
  return VelocityNewton(problem, options, lu, workspace).run(r);
}

void take_velocity_steps(FrictionSolve& solve, int factorizations) {
  solve.analyze();
  auto options = solve.common<VelocityNewtonOptions>();
  options.factorizations = factorizations;
  FrictionMemory& m = solve.memory();
  solve.keep(proximal_friction, run_velocity_newton(m.scaled, options, m.newton.lu, m.velocity, solve.r()));
}

}  // namespace stiction::solvers
