#include "stiction/methods/checked_friction.h"

#include <algorithm>

#include "stiction/certify/friction_no_solution.h"

namespace stiction::methods {

using solvers::Termination;

Termination checked_termination(const FrictionProblem& problem, std::span<const double> y,
                                const solvers::FrictionOptions& options, Termination claimed) {
  if (claimed != Termination::no_solution) return claimed;
  const double excluded = std::max(options.tolerance, options.acceptance);
  const bool proved = certify::check_friction_no_solution(problem, y, {.tolerance = excluded}).proved;
  return proved ? Termination::no_solution : Termination::not_found;
}

solvers::FrictionReport solve_friction_checked(const solvers::FrictionSolver& solver, const FrictionProblem& problem,
                                               const solvers::FrictionOptions& options,
                                               solvers::FrictionWorkspace& workspace, std::span<double> r) {
  solvers::FrictionReport report = solvers::solve_friction(solver, problem, options, workspace, r);
  report.solve.termination =
      checked_termination(problem, solvers::friction_refutation(workspace), options, report.solve.termination);
  return report;
}

}  // namespace stiction::methods
