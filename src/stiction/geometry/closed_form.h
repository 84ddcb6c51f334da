// Distances with a closed form. Everything in world axes with A's origin subtracted, so that far from the world's
// origin nothing is lost.
#pragma once

#include <optional>

#include "stiction/geometry/distance.h"

namespace stiction::geometry {

/// Two shapes as the pair algorithms see them: orientations, and B's origin seen from A's, in world axes.
struct Placement {
  const Shape& A;
  const Shape& B;
  const Matrix3& R_WA;
  const Matrix3& R_WB;
  Vector3 p_AB;

  /// min over B minus max over A along the unit vector n: the gap is at least this.
  double separation(const Vector3& n) const {
    return n.dot(p_AB) - support_height(A, R_WA.transpose() * n) - support_height(B, -(R_WB.transpose() * n));
  }
  /// Diagonal of the larger bounding box: what tolerances are relative to.
  double size() const {
    return is_unbounded(A) ? shape_size(B) : is_unbounded(B) ? shape_size(A) : std::max(shape_size(A), shape_size(B));
  }
};

/// Nearest surface point of a shape to a point of its frame.
struct SurfacePoint {
  Vector3 point = Vector3::Zero();
  Vector3 normal = Vector3::UnitZ();  ///< outward
  double distance = 0;                ///< signed, negative inside
};

SurfacePoint nearest_on_box(const Box& box, const Vector3& q);
SurfacePoint nearest_on_cylinder(const Cylinder& cylinder, const Vector3& q);
SurfacePoint nearest_on_rounded_box(const RoundedBox& box, const Vector3& q);
SurfacePoint nearest_on_cone(const Cone& cone, const Vector3& q);
SurfacePoint nearest_on_ellipsoid(const Ellipsoid& ellipsoid, const Vector3& q);

/// The answer where a closed form exists: a plane with anything; spheres and capsules; sphere with box, cylinder,
/// ellipsoid, rounded box, cone. Points are relative to A's origin; lower_bound and converged are left for the caller.
std::optional<Distance> closed_form(const Placement& pair);

}  // namespace stiction::geometry
