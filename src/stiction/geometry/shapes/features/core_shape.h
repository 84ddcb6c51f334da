// Shapes as a core swept by a ball: GJK, EPA and the direction search run on cores, and the radius is added exactly.
//
// sphere = point + ball, capsule = segment + ball; an ellipsoid with radii a >= b >= c holds a ball of radius c^2/a as
// a summand (its smallest radius of curvature), so a nearly round ellipsoid has a nearly pointlike core; a rounded box
// is a box + ball. Cylinders and cones are their own cores, and so is every shape that is not one of these: a general
// core asks the shape itself. A - B = { a - b } is the set whose distance to the origin is the gap;
// h(n) = max n.(a - b) is its support function and
//   gap(A, B) = max over unit n of -h(n),   overlapping or not.
#pragma once

#include "stiction/math/types.h"

namespace stiction::geometry {

struct ConvexHull;
struct ImplicitValues;
struct RevolutionProfile;

/// What the algorithms ask of a shape that is a core of its own; `shape` is the one that the core was made of.
struct GeneralCore {
  Vector3 (*support)(const void* shape, const Vector3& d);
  /// Number of smooth convex functions f_k, the shape being where all are <= 0 (at most max_implicit_functions).
  int (*surface_count)(const void* shape);
  /// Their values at x, in metres, with gradients of the order of one on the surface.
  void (*surfaces)(const void* shape, const Vector3& x, ImplicitValues* values);
  /// Fills in the profile of a solid of revolution; false where the shape is not one, or not one that is known.
  bool (*revolution)(const void* shape, RevolutionProfile* profile);
  bool slow;  ///< a support point costs fifty times as much as a box's
};

/// The core of a bounded shape, in the shape's frame. Hulls and general cores refer to the shape, which must outlive
/// them.
struct CoreShape {
  enum class Kind { point, segment, box, cylinder, ellipsoid, hull, cone, general };
  Kind kind = Kind::point;
  Vector3 size = Vector3::Zero();  ///< half sizes; (r, r, half length); radii
  double radius = 0;               ///< of the ball
  const ConvexHull* hull = nullptr;
  const GeneralCore* general = nullptr;
  const void* shape = nullptr;  ///< of a general core
  mutable int last_vertex = 0;  ///< where hill climbing starts next

  /// Farthest point of the core along d (not zero).
  Vector3 support(const Vector3& d) const;
  bool slow() const { return kind == Kind::general && general->slow; }
};

/// Apex or rim: the farthest point along d of the cone with this base radius about the z axis.
Vector3 cone_point(double radius, double half_length, const Vector3& d);

/// A point a - b of the difference, with its two parents; all in A's frame.
struct DifferencePoint {
  Vector3 w;  // not initialised: arrays of these are large and filled from the front
  Vector3 a;
  Vector3 b;
};

/// The difference of two cores, in A's frame.
struct CoreDifference {
  CoreShape A;
  CoreShape B;
  Pose X_AB;
  double size = 1;  ///< the larger of the two shapes' sizes: what tolerances are relative to

  double radius() const { return A.radius + B.radius; }

  DifferencePoint support(const Vector3& d) const {
    DifferencePoint point;
    point.a = A.support(d);
    point.b = X_AB * B.support(-(X_AB.R.transpose() * d));
    point.w = point.a - point.b;
    return point;
  }
};

/// What GJK, EPA and the direction search answer about two cores, in A's frame; the gap is of the cores, without radii.
struct CoreAnswer {
  Vector3 normal = Vector3::UnitZ();  ///< from A to B
  Vector3 a = Vector3::Zero();        ///< witness in A's core
  Vector3 b = Vector3::Zero();        ///< witness in B's core
  double lower = 0;                   ///< -h(normal)
  double upper = 0;                   ///< proved by a witness (apart) or an inner body (overlapping)
  int iterations = 0;
  bool overlapping = false;  ///< GJK: apart by so little, or not at all, that EPA must decide
  bool polished = false;     ///< normal and witness points are good to rounding
};

}  // namespace stiction::geometry
