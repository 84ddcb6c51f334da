// The default method: end-of-step contact with the true friction cone; see exact_cone.cc.
#pragma once

#include <vector>

#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// [method.exact-cone]
struct ExactConeOptions {
  double tolerance = 1e-10;  ///< > 0: normalised natural-map residual at which a step counts as solved
  double acceptance = 1e-8;  ///< >= tolerance: a step that gets no closer than this fails; one between the two is
                             ///< taken and counted as the fallback "tolerance-missed"
  double max_recovery_speed = 0.5;  ///< m/s, > 0: bound on the speed at which overlap and drift are repaired
  bool anchors = true;              ///< sticking contacts return to where they stuck
};

/// One instance per simulation.
class ExactCone final : public IslandSolver {
 public:
  /// `warm_starts`: which of the memory's tables is its own, where several run beside each other.
  ExactCone(const ExactConeOptions& options, const solvers::FrictionSolver& solver, int threads,
            contact::WarmStarts warm_starts = contact::WarmStarts::method);

  contact::AssemblyOptions assembly_options() const override;
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory& memory) override;

  /// The problem of the island that `worker` solved last, for tests and dumps.
  const FrictionProblem& friction_problem(int worker) const { return scratch_[worker].velocity.problem; }

 private:
  struct Scratch {
    std::vector<int> blocks;
    contact::IslandRows rows;
    IslandFrictionProblem velocity, repair;
    std::vector<double> p;           // one a local row
    std::vector<double> r;           // one a row of the friction problem
    std::vector<double> r_position;  // of the repair
    solvers::FrictionWorkspace solver;
  };

  IslandReport solve_velocities(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  void repair_positions(const StepProblem& problem, const contact::Island& island, Scratch& scratch,
                        StepAnswer& answer) const;

  ExactConeOptions options_;
  const solvers::FrictionSolver* solver_;
  std::vector<Scratch> scratch_;
  contact::WarmStarts warm_starts_;
  ImpulseMemory memory_;
  StageTimes* times_ = nullptr;
};

}  // namespace stiction::methods
