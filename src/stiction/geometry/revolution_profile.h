// Solids of revolution in the direction search: their support functions depend on one number.
#pragma once

#include <cmath>

#include "stiction/geometry/shapes/features/core_shape.h"

namespace stiction::geometry {

/// The support function of a core that is a solid of revolution, as a function of s = n . axis for unit n.
struct RevolutionProfile {
  enum class Form {
    cylinder,   ///< radial sqrt(1 - s^2) + axial |s|
    cone,       ///< max(axial s, radial sqrt(1 - s^2) - axial s); axial < 0 with the apex down
    ellipsoid,  ///< sqrt(radial^2 (1 - s^2) + axial^2 s^2)
    dual_norm,  ///< the norm dual to exponent q of (radial sqrt(1 - s^2), axial s)
  };
  bool valid = false;
  Form form = Form::cylinder;
  Vector3 axis = Vector3::UnitZ();  ///< in A's frame
  double radial = 0;
  double axial = 0;
  double q = 2;      ///< of a dual norm
  double ball = 0;   ///< subtracted: the ellipsoid's ball is not part of the core
  double shift = 0;  ///< h also loses shift * s: the part of B's offset along the axis

  bool smooth() const { return form == Form::ellipsoid || form == Form::dual_norm; }
  /// Where the slope of the function jumps: apex and rim are equally far there.
  double kink() const { return form == Form::cone ? std::copysign(radial / std::hypot(2 * axial, radial), axial) : 0; }
  /// The solid mirrored, apex down; the axis stays.
  void mirror() {
    if (form == Form::cone) axial = -axial;
  }
  double height(double s) const;
  double value(double s) const { return height(s) - ball - shift * s; }
  /// Smallest value over [low, high]. Concave on either side of the kink but for a long ellipsoid, which is convex. A
  /// dual norm is concave in s^2, so least at an end; the shift is bounded apart from it.
  double smallest(double low, double high) const;
};

/// The profile of a core, R its orientation in A's frame; not valid when it is not a solid of revolution. Shapes that
/// are cores of their own say it themselves, with z for the axis.
RevolutionProfile revolution_profile(const CoreShape& core, const Matrix3& R);

}  // namespace stiction::geometry
