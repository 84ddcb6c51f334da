// The default method: end-of-step contact with the true friction cone; see exact_cone.cc.
#pragma once

#include <vector>

#include "stiction/methods/method.h"
#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::methods {

/// One instance a simulation.
class ExactCone final : public Method {
 public:
  ExactCone(const ExactConeOptions& options, solvers::FrictionSolver solver, int threads);

  contact::AssemblyOptions assembly_options() const override;
  void begin(const StepProblem& problem) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void accept(const StepProblem& problem) override;

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
  solvers::FrictionSolver solver_;
  std::vector<Scratch> scratch_;
  ImpulseMemory memory_;
};

}  // namespace stiction::methods
