// A small friction problem in the form that a solver takes, so that what is asked of every solver is asked of all of
// them.
#pragma once

#include <optional>

#include "stiction/solvers/friction/friction_solver.h"
#include "support/random_bodies.h"

namespace stiction::testing {

/// The problem as it stands where the solver takes the local form, otherwise as one body; W is definite then.
class FrictionInForm {
 public:
  FrictionInForm(const solvers::FrictionSolver& solver, const FrictionProblem& problem)
      : solver_(solver), local_(problem) {
    if (!solver.takes_local_form()) global_ = as_one_body(problem);
  }

  solvers::FrictionReport solve(const solvers::FrictionOptions& options, solvers::FrictionWorkspace& workspace,
                                std::span<double> r) const {
    return global_ ? solvers::solve_friction(solver_, *global_, options, workspace, r)
                   : solvers::solve_friction(solver_, local_, options, workspace, r);
  }

 private:
  const solvers::FrictionSolver& solver_;
  const FrictionProblem& local_;
  std::optional<BodyFrictionProblem> global_;
};

}  // namespace stiction::testing
