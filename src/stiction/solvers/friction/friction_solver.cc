#include "stiction/solvers/friction/friction_solver.h"

#include <algorithm>

#include "stiction/base/assert.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

// r = 0 (or the caller's guess) and its residual.
void start(const FrictionOptions& options, std::span<const double> r, FrictionMemory& m) {
  m.r.assign(m.scaled.row_count, 0.0);
  m.u.resize(m.scaled.row_count);
  m.newton.analyzed = false;
  m.reserve_rungs();
  if (options.warm_start) to_scaled(m.scaled, r, m.r.data());
  prepare_gauss_seidel(m.scaled, m.sweeps);
  if (options.warm_start) {
    scaled_velocity(m.scaled, m.r.data(), m.u.data());
  } else {
    std::copy(m.scaled.q.begin(), m.scaled.q.end(), m.u.begin());
  }
  m.best_residual = residual_beyond_rounding(m.scaled, m.r.data(), options.tolerance,
                                             scaled_residual(m.scaled, m.r.data(), m.u.data()));
  m.best = m.r;
}

// Newton and its kin end within the tolerance of the cones; the answer handed out is in them, where that costs nothing.
void settle_in_cones(double tolerance, FrictionMemory& m) {
  m.r = m.best;
  for (int i = 0; i < m.scaled.block_count; ++i) {
    double* own = m.r.data() + m.scaled.first[i];
    if (m.scaled.law[i] == FrictionBlock::Law::contact) {
      own[0] = std::max(own[0], 0.0);
      project_on_ball(own + 1, m.scaled.dim[i] - 1, m.scaled.mu[i] * own[0]);
    }
  }
  for (int i = 0; i < m.scaled.block_count; ++i) {
    if (m.scaled.law[i] != FrictionBlock::Law::bounded) continue;
    project_on_ball(m.r.data() + m.scaled.first[i], m.scaled.dim[i], ball_radius(m.scaled, i, m.r.data()));
  }
  scaled_velocity(m.scaled, m.r.data(), m.u.data());
  const double residual =
      residual_beyond_rounding(m.scaled, m.r.data(), tolerance, scaled_residual(m.scaled, m.r.data(), m.u.data()));
  if (!(residual <= std::max(tolerance, m.best_residual))) return;
  m.best_residual = residual;
  m.best.swap(m.r);
}

}  // namespace

std::span<const double> friction_refutation(FrictionWorkspace& workspace) {
  return workspace.memory().refutation;
}

FrictionWorkspace::FrictionWorkspace() : memory_(std::make_unique<FrictionMemory>()) {}
void FrictionWorkspace::reserve_all_rungs() {
  memory_->all_rungs = true;
}
FrictionWorkspace::~FrictionWorkspace() = default;
FrictionWorkspace::FrictionWorkspace(FrictionWorkspace&&) noexcept = default;
FrictionWorkspace& FrictionWorkspace::operator=(FrictionWorkspace&&) noexcept = default;

FrictionReport solve_friction(const FrictionSolver& solver, const FrictionProblem& problem,
                              const FrictionOptions& options, FrictionWorkspace& workspace, std::span<double> r) {
  STICTION_ASSERT(solver.takes_local_form(), "a solver of problems in local form");
  FrictionMemory& m = workspace.memory();
  FrictionReport report;
  report.rung = solver.name;
  m.refutation.clear();
  if (!scale_friction(problem, m.scaled)) {
    std::fill(r.begin(), r.end(), 0.0);
    report.solve.residual = infinity;
    return report;
  }
  start(options, r, m);
  FrictionSolve solve(solver, options, m, report);
  if (m.best_residual > options.tolerance) solver.run(solve);
  if (!solve.rung().ends_in_cones) settle_in_cones(options.tolerance, m);
  from_scaled(m.scaled, m.best.data(), r);
  report.solve.residual = m.best_residual;
  const bool solved = m.best_residual <= options.tolerance;
  report.solve.termination = solved                  ? Termination::solved
                             : !m.refutation.empty() ? Termination::no_solution
                             : solve.done()          ? Termination::time_limit
                                                     : Termination::not_found;
  return report;
}

FrictionReport solve_friction(const FrictionSolver& solver, const BodyFrictionProblem& problem,
                              const FrictionOptions& options, FrictionWorkspace& workspace, std::span<double> r) {
  STICTION_ASSERT(solver.takes_global_form(), "a solver of problems in global form");
  return solver.run_global(problem, options, workspace, r);
}

}  // namespace stiction::solvers
