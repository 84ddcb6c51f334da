// Event-driven motion with simultaneous impacts (rodriguez2010). The method itself is events/event_loop.h; here is what
// a method is to a simulation: that its motion goes from event to event, and exact-cone's law at an instant for the few
// things that neither modes nor the impact law resolve.
#pragma once

#include "stiction/methods/exact_cone.h"

namespace stiction::methods {

/// One instance a simulation.
class EventDriven final : public Method {
 public:
  EventDriven(const EventDrivenOptions& options, int threads)
      : options_(options), instant_({}, solvers::FrictionSolver::automatic, threads) {}

  contact::AssemblyOptions assembly_options() const override {
    return {.newton_restitution = false, .velocity_level = true};
  }
  StepScheme scheme() const override { return {.events = &options_}; }
  void begin(const StepProblem& problem) override { instant_.begin(problem); }
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override {
    return instant_.solve_island(problem, island, worker, answer);
  }
  /// A step whose events have no end, or no modes, is taken at once.
  Method* last_resort() override { return &instant_; }
  void accept(const StepProblem& problem) override { instant_.accept(problem); }

 private:
  EventDrivenOptions options_;
  ExactCone instant_;
};

}  // namespace stiction::methods
