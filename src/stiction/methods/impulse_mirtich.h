// One contact at a time, each collision integrated in impulse space, as a method; see impulse_mirtich.cc.
#pragma once

#include "stiction/methods/impulse/one_at_a_time.h"
#include "stiction/stepping/integrator.h"

namespace stiction::methods {

/// [method.impulse-mirtich]
struct ImpulseMirtichOptions {
  int max_impulses = 20;    ///< >= 1: as for impulse-hahn
  double tolerance = 1e-8;  ///< > 0: of the integration in impulse space, relative
  Integrator integrator = Integrator::explicit_euler;
};

/// mirtich1996, one instance per simulation.
class ImpulseMirtich final : public OneAtATime {
 public:
  ImpulseMirtich(const ImpulseMirtichOptions& options, int threads);

 protected:
  Vector4 collide(const PointLaw& law, const Matrix4& K, const Vector4& u, double e, bool resting) const override;

 private:
  double tolerance_;
};

}  // namespace stiction::methods
