// What impulse-hahn and impulse-mirtich share: collisions one at a time, the fastest first, before any load acts.
//
// A contact at rest is a collision in every step, at the speed g h that the loads of the last one gave it. Contacts
// that approach no faster than 2 g h are therefore taken as resting: they get the impulse of restitution 0. Each
// contact gets at most max_impulses impulses per step; where some still approach then, the island is reported as
// "impulses-ended" with the share of the approach speed that is left as its residual. Dry friction in joints and
// rolling resistance are brought to rest between the collisions, within their bounds.
#pragma once

#include <vector>

#include "stiction/methods/impulse/impulse_island.h"

namespace stiction::methods {

/// A method whose collisions are handled one at a time; says how one is.
class OneAtATime : public IslandSolver {
 public:
  OneAtATime(int max_impulses, int threads);

  contact::AssemblyOptions assembly_options() const override {
    return {.newton_restitution = true, .velocity_level = true};
  }
  void begin(const StepProblem&, const StepContext& context) override { gravity_ = context.model.gravity.norm(); }
  IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                            StepAnswer& answer) override;
  void keep(contact::ContactMemory&) override {}

 protected:
  /// The impulse of one collision with restitution e; `resting` says that it is a contact at rest, e = 0.
  virtual Vector4 collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool resting) const = 0;

 private:
  struct Scratch {
    ImpulseIsland island;
    std::vector<int> used;  // impulses of each point
    int impulses = 0;
  };

  int fastest(const Scratch& scratch, double slowest) const;
  bool collide_all(double slowest, double resting_speed, Scratch& scratch) const;

  int max_impulses_;
  double gravity_ = 0;  // m/s^2
  std::vector<Scratch> scratch_;
};

}  // namespace stiction::methods
