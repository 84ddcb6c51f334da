// One plain step by a solver that the test keeps.
#pragma once

#include "stiction/stepping/plain_step.h"

namespace stiction::testing {

/// Hands everything to another solver.
class BorrowedSolver final : public IslandSolver {
 public:
  explicit BorrowedSolver(IslandSolver& solver) : solver_(solver) {}

  contact::AssemblyOptions assembly_options() const override { return solver_.assembly_options(); }
  void begin(const StepProblem& problem, const StepContext& context) override { solver_.begin(problem, context); }
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override {
    return solver_.solve_island(problem, island, worker, answer);
  }
  void keep(contact::ContactMemory& memory) override { solver_.keep(memory); }

 private:
  IslandSolver& solver_;
};

/// What solvers are begun with that look at nothing but rows and memory.
struct BareContext {
  Model model;
  State state;
  Kinematics kinematics;
  contact::ContactMemory memory;

  StepContext context() const { return {model, state, kinematics, {}, memory}; }
};

/// Advances `state` by one plain step of h; `record` gets what it did.
inline StepOutcome advance_once(const Model& model, IslandSolver& solver, double h, State& state, StepRecord& record,
                                Representation representation = Representation::exponential) {
  PlainStep step(model, std::make_unique<BorrowedSolver>(solver), {.representation = representation});
  contact::ContactMemory memory;
  return step.advance({.h = h}, state, memory, record);
}

}  // namespace stiction::testing
