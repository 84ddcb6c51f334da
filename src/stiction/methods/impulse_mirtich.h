// One contact at a time, each collision integrated in impulse space, as a method; see impulse_mirtich.cc.
#pragma once

#include "stiction/methods/impulse/one_at_a_time.h"

namespace stiction::methods {

/// mirtich1996, one instance a simulation.
class ImpulseMirtich final : public OneAtATime {
 public:
  ImpulseMirtich(const ImpulseMirtichOptions& options, int threads);

 protected:
  Vector4 collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool resting) const override;

 private:
  double tolerance_;
};

}  // namespace stiction::methods
