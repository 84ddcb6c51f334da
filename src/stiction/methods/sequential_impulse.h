// Pairwise impulses with shock propagation as a method; see sequential_impulse.cc.
#pragma once

#include <optional>
#include <vector>

#include "stiction/methods/impulse/impulse_island.h"

namespace stiction::methods {

/// [method.sequential-impulse]
struct SequentialImpulseOptions {
  int collision_iterations = 5;   ///< >= 1: sweeps over collisions, with restitution
  int contact_iterations = 10;    ///< >= 1: sweeps over contacts, with restitution rising from -1 to 0
  bool shock_propagation = true;  ///< a last sweep from the ground up, in which what lies below is immovable
};

/// guendelman2003, one instance per simulation.
class SequentialImpulse final : public IslandSolver {
 public:
  SequentialImpulse(const SequentialImpulseOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  void begin(const StepProblem& problem, const StepContext& context) override;
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory&) override {}

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
