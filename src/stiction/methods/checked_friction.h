// A friction problem solved, with a word of "no solution" that has been checked: for methods and for stored problems.
//
// A solver that gives up may hand out multipliers as a proof that no answer exists. It wrote them itself; so they count
// only where certify/friction_no_solution.h accepts them for answers of the residual that the caller would still take.
#pragma once

#include <span>

#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::methods {

/// solvers::solve_friction, except that a `no_solution` whose multipliers prove nothing comes back as `not_found`.
solvers::FrictionReport solve_friction_checked(const solvers::FrictionSolver& solver, const FrictionProblem& problem,
                                               const solvers::FrictionOptions& options,
                                               solvers::FrictionWorkspace& workspace, std::span<double> r);

/// What may be said of a solve that claims `no_solution` with the multipliers y: that, or `not_found`.
solvers::Termination checked_termination(const FrictionProblem& problem, std::span<const double> y,
                                         const solvers::FrictionOptions& options, solvers::Termination claimed);

}  // namespace stiction::methods
