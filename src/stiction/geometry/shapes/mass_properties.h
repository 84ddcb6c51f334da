// Volume, centre of mass and inertia of solids of density one.
#pragma once

#include "stiction/math/types.h"

namespace stiction::geometry {

/// Volume, centre of mass and inertia of a solid of density one.
struct MassProperties {
  double volume = 0;
  Vector3 center = Vector3::Zero();   ///< in the shape's frame
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre, in the shape's axes, for density 1 kg/m^3
};

/// Inertia about the centre from the second moments m_k = integral of x_k^2, products zero; the centre is the origin.
inline MassProperties symmetric_solid(double volume, const Vector3& moments) {
  const Vector3 inertia(moments.y() + moments.z(), moments.z() + moments.x(), moments.x() + moments.y());
  return {volume, Vector3::Zero(), inertia.asDiagonal()};
}

}  // namespace stiction::geometry
