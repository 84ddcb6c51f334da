// One contact at a time with closed-form impulses as a method; see impulse_hahn.cc.
#pragma once

#include "stiction/methods/impulse/one_at_a_time.h"
#include "stiction/stepping/integrator.h"

namespace stiction::methods {

/// [method.impulse-hahn]
struct ImpulseHahnOptions {
  int max_impulses = 20;  ///< >= 1: impulses a contact may get in one step; a step that needs more ends as it is
  Integrator integrator = Integrator::explicit_euler;
};

/// hahn1988, one instance per simulation.
class ImpulseHahn final : public OneAtATime {
 public:
  ImpulseHahn(const ImpulseHahnOptions& options, int threads);

 protected:
  Vector4 collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool resting) const override;
};

}  // namespace stiction::methods
