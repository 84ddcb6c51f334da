#include "stiction/solvers/friction/friction_solve.h"

#include <algorithm>

#include "stiction/solvers/friction/kernels/accurate_residual.h"

namespace stiction::solvers {

double residual_beyond_rounding(const ScaledFriction& s, const double* r, double tolerance, double residual) {
  return residual <= tolerance && rounding_may_hide(s, r, tolerance) ? accurate_residual(s, r) : residual;
}

FrictionSolve::FrictionSolve(const FrictionSolver& solver, const FrictionOptions& options, FrictionMemory& memory,
                             FrictionReport& report)
    : rung_(&solver), options_(options), memory_(memory), report_(report), deadline_(options.time_limit) {}

void FrictionSolve::from_best() {
  memory_.r = memory_.best;
}

void FrictionSolve::from_zero() {
  std::fill(memory_.r.begin(), memory_.r.end(), 0.0);
}

void FrictionSolve::analyze() {
  if (!memory_.newton.analyzed) memory_.newton.lu.analyze(memory_.scaled);
  memory_.newton.analyzed = true;
}

void FrictionSolve::keep(const FrictionSolver& solver, int iterations, double residual) {
  report_.solve.iterations += iterations;
  residual = residual_beyond_rounding(memory_.scaled, memory_.r.data(), options_.tolerance, residual);
  if (!(residual < memory_.best_residual)) return;
  memory_.best_residual = residual;
  memory_.best = memory_.r;
  rung_ = &solver;
  report_.rung = solver.name;
  report_.made_by = &solver;
  report_.polyhedral = solver.polyhedral;
}

void FrictionSolve::keep(const FrictionSolver& solver, const NewtonResult& result) {
  report_.factorizations += result.factorizations;
  keep(solver, result.steps, result.residual);
}

}  // namespace stiction::solvers
