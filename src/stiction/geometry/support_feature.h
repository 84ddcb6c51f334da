// The part of a shape's surface that faces a direction: a point, a line, a face or a round cap.
#pragma once

#include <array>

#include "stiction/geometry/shapes/shape.h"

namespace stiction::geometry {

/// What of a shape can touch along a direction. World axes, A's origin subtracted, as in Placement.
struct SupportFeature {
  enum class Kind { point, segment, polygon, disc };
  static constexpr int max_vertices = max_face_corners;

  Kind kind = Kind::point;
  std::array<Vector3, max_vertices> vertex;  ///< ends of a segment; corners in order; fixed rim points of a disc
  std::array<int, max_vertices> id;          ///< which vertex of the shape that is, the same from step to step
  int count = 0;
  int edge_base = 0;                  ///< edge k (from vertex k to the next) has the number edge_base + k
  Vector3 normal = Vector3::UnitZ();  ///< outward normal of a polygon or disc
  Vector3 center = Vector3::Zero();   ///< of a disc
  double radius = 0;                  ///< of a disc
};

/// The feature of `shape` (orientation R, origin p) that faces the unit vector d. A face is taken when it is the one
/// most aligned with d, tilted or not: the gaps of its corners tell what touches. Curved shapes give a point (count 0:
/// the caller has the witness).
void support_feature(const Shape& shape, const Matrix3& R, const Vector3& p, const Vector3& d, SupportFeature* feature);

/// Outward unit normals of flat parts (box and polytope faces, cylinder caps, a cone's base) nearest to d in world axes; false when
/// there is none.
bool aligned_face_normal(const Shape& shape, const Matrix3& R, const Vector3& d, Vector3* normal);

}  // namespace stiction::geometry
