// Signed distance between two convex shapes with a proof: witness points bound the gap from above, a support plane from
// below.
#pragma once

#include "stiction/geometry/shape.h"

namespace stiction::geometry {

/// Closest (or deepest) points of shapes A and B, everything in world axes.
struct Distance {
  double gap = 0;  ///< signed: negative is the penetration depth (smallest translation that separates)
  Vector3 point_A = Vector3::Zero();
  Vector3 point_B = Vector3::Zero();
  Vector3 normal =
      Vector3::UnitZ();    ///< unit, from A to B; point_B - point_A = gap * normal up to the bounds' difference
  double lower_bound = 0;  ///< the plane with this normal proves gap >= lower_bound
  double upper_bound = 0;  ///< the witness points prove gap <= upper_bound
  int iterations = 0;
  bool converged = false;  ///< bounds agree to the tolerance
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
