// One contact at a time with closed-form impulses as a method; see impulse_hahn.cc.
#pragma once

#include "stiction/methods/impulse/one_at_a_time.h"

namespace stiction::methods {

/// hahn1988, one instance a simulation.
class ImpulseHahn final : public OneAtATime {
 public:
  ImpulseHahn(const ImpulseHahnOptions& options, int threads);

 protected:
  Vector4 collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool resting) const override;
};

}  // namespace stiction::methods
