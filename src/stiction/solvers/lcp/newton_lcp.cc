#include "stiction/solvers/lcp/newton_lcp.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stiction/base/infinity.h"
#include "stiction/solvers/deadline.h"

namespace stiction::solvers {
namespace {

constexpr double pivot_threshold = 0.1;   // of pivots, as in sparse_lemke.cc
constexpr double singular_pivot = 1e-12;  // pivots below this fraction of their column
constexpr double armijo = 1e-4;
constexpr int halvings = 40;
constexpr double polish_below = 1e-3;  // residual below which the basis is worth a try

struct Newton {
  const std::uint8_t* is_complementarity;
  const NewtonLcpOptions& options;
  NewtonLcpWorkspace& work;
  int n;
  double best = infinity;
  SolveReport report = {};

  bool is_pair(int i) const { return is_complementarity == nullptr || is_complementarity[i] != 0; }
  void prepare(const SparseColumns& M, const double* guess);
  double merit(const double* z, const double* w) const;
  void linearise();
  bool factor(double lambda);
  double direction(double& lambda);
  bool search(double slope, double value);
  void remember(const double* z, const double* w);
  void try_basis(bool by_sign);
  bool run(const Deadline& deadline);
};

double fischer_burmeister(double a, double b) {
  const double root = std::hypot(a, b);
  return a > 0 && b > 0 ? 2 * a * b / (a + b + root) : a + b - root;  // the quotient does not cancel
}

void Newton::prepare(const SparseColumns& M, const double* guess) {
  minimum_degree(M, work.ordering, work.order);
  read_diagonal(work.scaled.M, work.diagonal);
  for (auto* v : {&work.z, &work.w, &work.phi, &work.a, &work.b, &work.step, &work.gradient, &work.right, &work.trial_z,
                  &work.trial_w, &work.best_z}) {
    v->assign(n, 0.0);
  }
  work.diagonal_row.resize(n);
  std::iota(work.diagonal_row.begin(), work.diagonal_row.end(), 0);
  for (int i = 0; i < n && options.warm_start; ++i) {
    if (std::isfinite(guess[i])) work.z[i] = guess[i] / work.scaled.z_unit(i);
  }
  evaluate_w(work.scaled, work.z.data(), work.w.data());
}

double Newton::merit(const double* z, const double* w) const {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double phi = is_pair(i) ? fischer_burmeister(z[i], w[i]) : w[i];
    sum += phi * phi;
  }
  return std::isfinite(sum) ? sum / 2 : infinity;
}

// Phi, the diagonals D_a and D_b of an element of its generalised Jacobian, and the gradient of the merit.
void Newton::linearise() {
  for (int i = 0; i < n; ++i) {
    const double root = std::hypot(work.z[i], work.w[i]);
    work.phi[i] = is_pair(i) ? fischer_burmeister(work.z[i], work.w[i]) : work.w[i];
    work.a[i] = !is_pair(i) ? 0.0 : 1 - (root > 0 ? work.z[i] / root : std::sqrt(0.5));
    work.b[i] = !is_pair(i) ? 1.0 : 1 - (root > 0 ? work.w[i] / root : std::sqrt(0.5));
  }
  const SparseColumns& M = work.scaled.M;
  for (int j = 0; j < n; ++j) {
    double sum = work.a[j] * work.phi[j];
    for (int p = M.start[j]; p < M.start[j + 1]; ++p) sum += M.value[p] * work.b[M.row[p]] * work.phi[M.row[p]];
    work.gradient[j] = sum;
  }
}

// LU of D_a + lambda I + D_b M.
bool Newton::factor(double lambda) {
  const SparseColumns& M = work.scaled.M;
  SparseColumns& J = work.J;
  J.n = n;
  J.start.assign(1, 0);
  J.row.clear();
  J.value.clear();
  for (int j = 0; j < n; ++j) {
    double diagonal = work.a[j] + lambda;
    for (int p = M.start[j]; p < M.start[j + 1]; ++p) {
      const double value = work.b[M.row[p]] * M.value[p];
      if (M.row[p] == j) {
        diagonal += value;
      } else if (value != 0) {
        J.row.push_back(M.row[p]);
        J.value.push_back(value);
      }
    }
    J.row.push_back(j);
    J.value.push_back(diagonal);
    J.start.push_back(static_cast<int>(J.row.size()));
  }
  return work.lu.factor(J, work.order.data(), work.diagonal_row.data(), pivot_threshold, singular_pivot);
}

// A step that descends, in work.step; returns the slope of the merit along it.
double Newton::direction(double& lambda) {
  const double size =
      std::sqrt(std::inner_product(work.gradient.begin(), work.gradient.end(), work.gradient.begin(), 0.0));
  for (int attempt = 0; attempt < 6; ++attempt) {
    if (factor(lambda)) {
      for (int i = 0; i < n; ++i) work.right[i] = -work.phi[i];
      work.lu.solve(work.right.data(), work.step.data());
      double slope = 0;
      double length = 0;
      for (int i = 0; i < n; ++i) {
        slope += work.gradient[i] * work.step[i];
        length += work.step[i] * work.step[i];
      }
      if (slope < -1e-9 * size * std::sqrt(length) && std::isfinite(length)) return slope;
    }
    lambda = std::max(1e-10, 100 * lambda);
  }
  for (int i = 0; i < n; ++i) work.step[i] = -work.gradient[i];
  return -size * size;
}

// Halves the step until the merit falls enough; false where it does not.
bool Newton::search(double slope, double value) {
  double length = 1;
  for (int halving = 0; halving < halvings; ++halving, length /= 2) {
    for (int i = 0; i < n; ++i) work.trial_z[i] = work.z[i] + length * work.step[i];
    evaluate_w(work.scaled, work.trial_z.data(), work.trial_w.data());
    if (merit(work.trial_z.data(), work.trial_w.data()) > value + armijo * length * slope) continue;
    std::swap(work.z, work.trial_z);
    std::swap(work.w, work.trial_w);
    return true;
  }
  return false;
}

void Newton::remember(const double* z, const double* w) {
  const double residual = scaled_measure(work.scaled, is_complementarity, work.diagonal.data(), z, w);
  if (residual >= best) return;
  best = report.residual = residual;
  std::copy_n(z, n, work.best_z.begin());
}

// The basis {z > 0} (of a guess that is an old answer) or {z > w} (of an iterate).
void Newton::try_basis(bool by_sign) {
  work.trial_z = work.z;
  work.trial_w = work.w;
  if (by_sign) std::fill(work.trial_w.begin(), work.trial_w.end(), 0.0);
  const bool solved =
      polish_basis(work.scaled, is_complementarity, work.order, work.polish, work.trial_z.data(), work.trial_w.data());
  if (solved) remember(work.trial_z.data(), work.trial_w.data());
}

bool Newton::run(const Deadline& deadline) {
  double lambda = 0;
  remember(work.z.data(), work.w.data());
  if (options.warm_start) try_basis(true);
  double tried_at = infinity;
  while (best > options.tolerance && report.iterations < options.max_iterations) {
    if (deadline.passed()) {
      report.termination = Termination::time_limit;
      return false;
    }
    linearise();
    const double value = merit(work.z.data(), work.w.data());
    const double slope = direction(lambda);
    if (!(slope < 0) || !search(slope, value)) break;
    lambda = lambda > 1e-12 ? lambda / 10 : 0.0;
    ++report.iterations;
    remember(work.z.data(), work.w.data());
    const double size = std::sqrt(merit(work.z.data(), work.w.data()));
    if (size > polish_below || size > 0.1 * tried_at) continue;
    tried_at = size;
    try_basis(false);
  }
  if (best > options.tolerance || report.iterations > 0) try_basis(false);
  return best <= options.tolerance;
}

}  // namespace

SolveReport solve_newton_lcp(const SparseColumns& M, const double* q, const std::uint8_t* is_complementarity,
                             const NewtonLcpOptions& options, NewtonLcpWorkspace& workspace, double* z) {
  Newton newton{is_complementarity, options, workspace, M.n};
  if (!workspace.scaled.assign(M, q)) {
    std::fill_n(z, M.n, 0.0);
    return newton.report;
  }
  newton.prepare(M, z);
  if (newton.run(Deadline(options.time_limit))) newton.report.termination = Termination::solved;
  for (int i = 0; i < M.n; ++i) z[i] = workspace.best_z[i] * workspace.scaled.z_unit(i);
  return newton.report;
}

}  // namespace stiction::solvers
