// Pairwise impulses with shock propagation as a method; see sequential_impulse.cc.
#pragma once

#include <optional>
#include <vector>

#include "stiction/methods/impulse/impulse_island.h"

namespace stiction::methods {

/// guendelman2003, one instance a simulation.
class SequentialImpulse final : public Method {
 public:
  SequentialImpulse(const SequentialImpulseOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  StepScheme scheme() const override { return {.projection_interval = 1}; }
  void set_context(const StepContext& context) override;
  void begin(const StepProblem& problem) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void accept(const StepProblem&) override {}

 private:
  struct Scratch {
    ImpulseIsland island;
    std::vector<int> group_level, point_level;  // 1: touches what does not move; 0: not reached from there
    int levels = 0;
    int impulses = 0;
  };

  void collide(Scratch& scratch) const;
  void hold(Scratch& scratch) const;
  bool is_grounded(const StepProblem& problem, const ImpulseIsland::Point& point) const;
  void find_levels(const StepProblem& problem, Scratch& scratch) const;
  int movable_sides(const Scratch& scratch, int point) const;
  void hold_level(int level, Scratch& scratch) const;
  void propagate(Scratch& scratch) const;

  SequentialImpulseOptions options_;
  std::optional<StepContext> context_;
  std::vector<Scratch> scratch_;
};

}  // namespace stiction::methods
