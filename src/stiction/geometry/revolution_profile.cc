#include "stiction/geometry/revolution_profile.h"

#include <algorithm>

#include "stiction/geometry/shapes/superellipsoid.h"

namespace stiction::geometry {

double RevolutionProfile::height(double s) const {
  const double across = radial * std::sqrt(std::max(0.0, 1 - s * s));
  switch (form) {
    case Form::cylinder:
      return across + axial * std::abs(s);
    case Form::cone:
      return std::max(axial * s, across - axial * s);
    case Form::ellipsoid:
      return std::sqrt(across * across + axial * axial * s * s);
    case Form::dual_norm:
      break;
  }
  return superellipsoid_height({1, 1, 1}, 2, q, {across, 0, axial * s});
}

double RevolutionProfile::smallest(double low, double high) const {
  if (form == Form::dual_norm) {
    double least = std::min(height(low), height(high));
    if (low < 0 && high > 0) least = std::min(least, height(0));
    return least - std::max(shift * low, shift * high);
  }
  double least = std::min(value(low), value(high));
  if (low < kink() && high > kink()) least = std::min(least, value(kink()));
  const double k = (axial - radial) * (axial + radial);
  if (form == Form::ellipsoid && k > shift * shift) {
    const double stationary = shift * radial / std::sqrt(k * (k - shift * shift));
    if (stationary > low && stationary < high) least = std::min(least, value(stationary));
  }
  return least;
}

RevolutionProfile revolution_profile(const CoreShape& core, const Matrix3& R) {
  RevolutionProfile profile;
  int axis = 2;
  switch (core.kind) {
    case CoreShape::Kind::segment:
    case CoreShape::Kind::cylinder:
      break;
    case CoreShape::Kind::cone:
      profile.form = RevolutionProfile::Form::cone;
      break;
    case CoreShape::Kind::general:
      profile.valid = core.general->revolution(core.shape, &profile);
      if (profile.valid) profile.axis = R.col(2);
      return profile;
    case CoreShape::Kind::ellipsoid:
      for (axis = 0; axis < 3; ++axis) {
        if (core.size[(axis + 1) % 3] == core.size[(axis + 2) % 3]) break;
      }
      if (axis == 3) return profile;
      profile.form = RevolutionProfile::Form::ellipsoid;
      profile.ball = core.radius;
      break;
    default:
      return profile;
  }
  profile.valid = true;
  profile.axis = R.col(axis);
  profile.radial = core.size[(axis + 1) % 3];
  profile.axial = core.size[axis];
  return profile;
}

}  // namespace stiction::geometry
