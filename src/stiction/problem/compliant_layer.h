// A compliant layer over a rigid core (chakraborty2007, section 4): impulse of a step against deflection.
//
// In the contact frame (n, t, o), with deflection delta (normal part: how far the surface is pressed in) and delta_l at
// the start of the step,
//
//     kelvin-voigt:    p = h K delta + C (delta - delta_l)                                                         (14)
//     hertz:           p_n = h k delta_n^exponent, tangential as kelvin-voigt
//     hunt-crossley:   p_n = h (k delta_n^exponent + c delta_n^damping_exponent |rate|^rate_exponent sign(rate)),
//                      rate = (delta_n - delta_l_n) / h, tangential as kelvin-voigt
//
// and delta_n <= thickness: there the rigid core is. The nonlinear laws know no coupling between n and (t, o), and
// hertz no normal damping. At delta_n <= 0 they have no force; what stands in for it there, so that the derivative is
// nowhere zero, is in compliant_layer.cc.
#pragma once

#include "stiction/base/infinity.h"
#include "stiction/math/types.h"

namespace stiction {

/// See the top of the file.
struct CompliantLayer {
  enum class Law { kelvin_voigt, hertz, hunt_crossley };
  Law law = Law::kelvin_voigt;
  Matrix3 stiffness = Matrix3::Zero();  ///< N/m, positive semidefinite; (0, 0) is N/m^exponent for the other laws
  Matrix3 damping = Matrix3::Zero();    ///< N s/m, positive semidefinite
  double exponent = 1.5;                ///< >= 1: of hertz and hunt-crossley
  double damping_exponent = 1.5;        ///< > 0: of hunt-crossley
  double rate_exponent = 1;             ///< > 0: of hunt-crossley
  double thickness = infinity;          ///< m, > 0: largest normal deflection

  /// A material without stiffness and damping is rigid.
  bool given() const { return stiffness(0, 0) > 0 || damping(0, 0) > 0; }
  /// No tangential stiffness and damping at all: the layer does not give way sideways.
  bool tangentially_rigid() const {
    return stiffness.bottomRightCorner<2, 2>().isZero(0) && damping.bottomRightCorner<2, 2>().isZero(0);
  }
};

/// An impulse and its derivative with the deflection at the end of the step.
struct LayerImpulse {
  Vector3 value = Vector3::Zero();
  Matrix3 derivative = Matrix3::Zero();
};

/// Impulse (n, t, o) of the layer over a step h that takes its deflection from `start` to `end`.
LayerImpulse layer_impulse(const CompliantLayer& layer, const Vector3& start, const Vector3& end, double h);

/// J: energy stored at a deflection.
double layer_energy(const CompliantLayer& layer, const Vector3& deflection);

}  // namespace stiction
