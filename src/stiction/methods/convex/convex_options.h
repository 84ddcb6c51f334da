// What the two phases of drumwright2009 may be read as (scene: [method.convex-impulse]).
#pragma once

#include "stiction/stepping/integrator.h"

namespace stiction::methods {

/// [method.convex-impulse]
struct ConvexImpulseOptions {
  /// How phase two keeps normal impulses from growing without bound.
  enum class NormalBound {
    sum,        ///< their sum is at most that of phase one
    nullspace,  ///< they get nothing in the null space of A_N
    literal,    ///< their norm is at most that of phase one, as printed
  };
  /// How phase one finds the normal impulses without friction.
  enum class PhaseOne {
    nonnegative,     ///< none pulls: a complementarity problem, of least norm where contacts are redundant
    pseudo_inverse,  ///< as printed: least norm, may pull
  };
  NormalBound normal_bound = NormalBound::sum;
  PhaseOne phase_one = PhaseOne::nonnegative;
  double tolerance = 1e-10;  ///< > 0: duality gap at which phase two stops, relative to what phase one leaves
  double acceptance = 1e-6;  ///< >= tolerance: a step that gets no closer fails; one between the two is taken and
                             ///< counted as the fallback "tolerance-missed"
  int max_iterations = 100;  ///< >= 1: Newton steps of phase two
  Integrator integrator = Integrator::explicit_euler;
};

}  // namespace stiction::methods
