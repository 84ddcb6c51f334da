#include "our_solvers.h"

#include <optional>

#include "stiction/solvers/registry.h"

namespace stiction::bench {

namespace {

using solvers::FrictionSolver;

class OurContestant : public Contestant {
 public:
  explicit OurContestant(const FrictionSolver& solver) : solver_(solver), name_(solver.name) {}

  const std::string& name() const override { return name_; }
  bool tolerance_is_target() const override { return true; }
  void load(const FrictionFile& file) override {
    problem_ = &file.problem;
    bodies_ = file.global && solver_.takes_global_form() ? body_form(*file.global) : std::nullopt;
  }
  void prepare(double tolerance) override { options_.tolerance = tolerance; }

  /// With a new workspace: what it allocates and frees counts.
  Outcome solve(std::span<double> r) override {
    solvers::FrictionWorkspace workspace;
    const solvers::FrictionReport report = bodies_ ? solve_friction(solver_, *bodies_, options_, workspace, r)
                                                   : solve_friction(solver_, *problem_, options_, workspace, r);
    return {.converged = report.solve.termination == solvers::Termination::solved, .rung = report.rung};
  }

 private:
  const FrictionSolver& solver_;
  std::string name_;
  const FrictionProblem* problem_ = nullptr;
  std::optional<BodyFrictionProblem> bodies_;  // the same, velocities not eliminated, where the file has it so
  solvers::FrictionOptions options_;
};

}  // namespace

Contestants our_contestants(bool all) {
  Contestants contestants;
  for (const FrictionSolver* solver : solvers::friction_solvers()) {
    const bool asked = all ? solver->takes_local_form() : solver == &solvers::auto_friction;
    if (asked) contestants.push_back(std::make_unique<OurContestant>(*solver));
  }
  return contestants;
}

}  // namespace stiction::bench
