// Signed distance between two convex shapes with a proof: witness points bound the gap from above, a support plane from
// below.
#pragma once

#include "stiction/geometry/shapes/shape.h"

namespace stiction::geometry {

/// Closest (or deepest) points of shapes A and B, everything in world axes.
///
/// gap = max over unit n of [min over B of n.x - max over A of n.x], apart or overlapping: apart it is the distance,
/// overlapping minus the length of the shortest translation that separates. So any n bounds it from below: lower_bound
/// is that bracket for `normal`, from the support functions of the shapes themselves. upper_bound is, apart, the
/// distance of two points that lie in the shapes; overlapping, minus the radius of a ball about the origin that fits
/// into { a - b } (a closed form, the axes of two boxes, EPA's inner polytope, or a branch and bound over all
/// directions, which also settles the few pairs apart where GJK stalls).
///
/// With a bowl gap = radius - max over B of the distance from its centre, and both bounds are the gap: exact where B is
/// made of corners, balls and rims; of a smooth B the largest of the maxima that were found.
struct Distance {
  double gap = 0;  ///< signed; equals lower_bound, and is at most upper_bound
  Vector3 point_A = Vector3::Zero();
  Vector3 point_B = Vector3::Zero();
  /// Unit, from A to B; point_B - point_A = gap * normal up to sqrt(bounds' difference * size).
  Vector3 normal = Vector3::UnitZ();
  double lower_bound = 0;  ///< the support planes with this normal prove gap >= lower_bound
  double upper_bound = 0;  ///< proved gap <= upper_bound, as above
  int iterations = 0;
  bool converged = false;  ///< bounds agree to 1e-9 (or the tolerance, if coarser) of the larger shape's size
};

/// Options of the general algorithm.
struct DistanceOptions {
  double tolerance = 1e-10;  ///< difference of the bounds, relative to the shapes' size; range 1e-14..1e-2
  int max_iterations = 512;
};

/// Any pair: closed form where one exists, GJK and EPA otherwise. Never allocates.
Distance distance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                  const DistanceOptions& options = {});

/// The general algorithm alone, for two bounded shapes: GJK while apart, EPA when they overlap.
Distance distance_gjk_epa(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB,
                          const DistanceOptions& options = {});

}  // namespace stiction::geometry
