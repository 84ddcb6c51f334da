#include "our_solvers.h"

#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::bench {

namespace {

using solvers::FrictionSolver;

class OurContestant : public Contestant {
 public:
  explicit OurContestant(FrictionSolver solver) : solver_(solver), name_(solvers::friction_solver_name(solver)) {}

  const std::string& name() const override { return name_; }
  bool tolerance_is_target() const override { return true; }
  void load(const FrictionProblem& problem) override { problem_ = &problem; }
  void prepare(double tolerance) override { options_.tolerance = tolerance; }

  /// With a new workspace: what it allocates and frees counts.
  Outcome solve(std::span<double> r) override {
    solvers::FrictionWorkspace workspace;
    const solvers::FrictionReport report = solve_friction(solver_, *problem_, options_, workspace, r);
    return {.converged = report.solve.termination == solvers::Termination::solved, .rung = report.rung};
  }

 private:
  FrictionSolver solver_;
  std::string name_;
  const FrictionProblem* problem_ = nullptr;
  solvers::FrictionOptions options_;
};

}  // namespace

Contestants our_contestants(bool all) {
  Contestants contestants;
  contestants.push_back(std::make_unique<OurContestant>(FrictionSolver::automatic));
  if (!all) return contestants;
  for (const FrictionSolver solver :
       {FrictionSolver::projected_gs, FrictionSolver::block_gs, FrictionSolver::newton, FrictionSolver::newton_fb,
        FrictionSolver::proximal, FrictionSolver::admm, FrictionSolver::interior_point, FrictionSolver::enumeration,
        FrictionSolver::polyhedral_lemke}) {
    contestants.push_back(std::make_unique<OurContestant>(solver));
  }
  return contestants;
}

}  // namespace stiction::bench
