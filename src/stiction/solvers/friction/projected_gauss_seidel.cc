#include "stiction/solvers/friction/projected_gauss_seidel.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;

// u of one row of block i at the present r.
double velocity_of_row(const ScaledFriction& s, int i, int row, const double* r) {
  double u = s.q[s.first[i] + row];
  for (int k = s.row_start()[i]; k < s.row_start()[i + 1]; ++k) {
    const int j = s.column()[k], columns = s.dim[j];
    const double *W = s.value.data() + s.value_start()[k] + row * columns, *x = r + s.first[j];
    for (int b = 0; b < columns; ++b) u += W[b] * x[b];
  }
  return u;
}

// Largest row sum of |W| over the friction rows: no less than the largest eigenvalue.
double friction_step(const double* W, int n, int offset) {
  double bound = 0;
  for (int a = offset; a < n; ++a) {
    double sum = 0;
    for (int b = offset; b < n; ++b) sum += std::abs(W[a * n + b]);
    bound = std::max(bound, sum);
  }
  return bound > 0 ? 1 / bound : 1.0;
}

void update_row(const ScaledFriction& s, int i, int row, bool clamp, double* r) {
  const double diagonal = s.diagonal_block(i)[row * s.dim[i] + row];
  double& value = r[s.first[i] + row];
  if (diagonal > 0) value -= velocity_of_row(s, i, row, r) / diagonal;
  if (clamp) value = std::max(0.0, value);
}

void update_friction(const ScaledFriction& s, int i, int offset, double radius, double* r) {
  const int n = s.dim[i];
  double x[6];
  const double step = friction_step(s.diagonal_block(i), n, offset);
  for (int a = offset; a < n; ++a) x[a] = r[s.first[i] + a] - step * velocity_of_row(s, i, a, r);
  project_on_ball(x + offset, n - offset, radius);
  std::copy(x + offset, x + n, r + s.first[i] + offset);
}

void sweep(const ScaledFriction& s, double* r) {
  for (int i = 0; i < s.block_count; ++i) {
    switch (s.law[i]) {
      case Law::bilateral:
        for (int a = 0; a < s.dim[i]; ++a) update_row(s, i, a, false, r);
        break;
      case Law::contact:
        update_row(s, i, 0, true, r);
        update_friction(s, i, 1, s.mu[i] * r[s.first[i]], r);
        break;
      case Law::bounded:
        update_friction(s, i, 0, ball_radius(s, i, r), r);
        break;
    }
  }
}

}  // namespace

SweepResult run_projected_gauss_seidel(const ScaledFriction& s, const ProjectedOptions& options, ProjectedWorkspace& w,
                                       double* r) {
  w.u.resize(s.row_count);
  w.best.assign(r, r + s.row_count);
  SweepResult result;
  result.residual = infinity;
  while (result.sweeps < options.sweeps && !options.deadline.passed()) {
    sweep(s, r);
    ++result.sweeps;
    if (result.sweeps % 10 != 0 && result.sweeps != options.sweeps) continue;
    scaled_velocity(s, r, w.u.data());
    const double residual = scaled_residual(s, r, w.u.data());
    if (residual < result.residual) {
      result.residual = residual;
      std::copy_n(r, s.row_count, w.best.data());
    }
    if (residual <= options.tolerance) break;
  }
  std::copy(w.best.begin(), w.best.end(), r);
  result.solved = result.residual <= options.tolerance;
  return result;
}

constinit const FrictionSolver pgs_friction = {
    .name = "pgs",
    .source = "jean1999",
    .sentence = "projected Gauss-Seidel, row by row: the baseline of real-time engines; slow to converge",
    .run = [](FrictionSolve& solve) {
      auto options = solve.common<ProjectedOptions>();
      options.sweeps = solve.limit(20000);
      auto& workspace = solve.memory().own<ProjectedWorkspace>();
      const SweepResult result = run_projected_gauss_seidel(solve.problem(), options, workspace, solve.r());
      solve.keep(pgs_friction, result.sweeps, result.residual);
    }};

}  // namespace stiction::solvers
