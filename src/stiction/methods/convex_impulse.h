// Drumwright and Shell 2009 as a method; see convex_impulse.cc.
#pragma once

#include <vector>

#include "stiction/methods/convex/convex_options.h"
#include "stiction/methods/convex/convex_rows.h"
#include "stiction/methods/convex/normal_impulses.h"
#include "stiction/methods/convex/tangential_impulses.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// drumwright2009, one instance per simulation.
class ConvexImpulse final : public IslandSolver {
 public:
  ConvexImpulse(const ConvexImpulseOptions& options, int threads);

  contact::AssemblyOptions assembly_options() const override;
  void begin(const StepProblem&, const StepContext&) override {}
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory&) override {}

 private:
  struct Scratch {
    std::vector<int> blocks;
    contact::IslandRows island;
    IslandFrictionProblem velocity;
    ConvexRows rows;
    NormalImpulses normal;
    TangentialImpulses tangential;
    std::vector<double> r;  // one per row of the friction problem
    std::vector<double> p;  // one per local row
  };

  IslandReport find_impulses(const StepProblem& problem, const contact::Island& island, Scratch& scratch) const;
  void put_into_cones(Scratch& scratch) const;

  ConvexImpulseOptions options_;
  std::vector<Scratch> scratch_;
};

}  // namespace stiction::methods
