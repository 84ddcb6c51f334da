// The part of a shape's surface that faces a direction: a point, a line, a face or a round cap.
#pragma once

#include <array>

#include "stiction/math/types.h"

namespace stiction::geometry {

/// Most corners of one face of a convex polytope: contact manifolds clip faces in memory of fixed size.
inline constexpr int max_face_corners = 64;

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

  void add_vertex(const Vector3& x, int number) {
    vertex[count] = x;
    id[count++] = number;
  }
};

/// A shape seen along the unit vector d: orientation R, origin p, and d in the shape's frame.
struct FeatureView {
  const Matrix3& R;
  const Vector3& p;
  const Vector3& d;
  Vector3 local;
};

/// A face steeper than this against d touches with an edge or a corner only.
inline constexpr double steepest_cosine = 0.2;

/// The axis most along d.
int aligned_axis(const Vector3& d);

/// Number of a box's corner with these signs: one bit an axis.
int corner_id(const Vector3& sign);

/// The face of a box about p that is most along the view; corners counter-clockwise about its outward normal.
void box_face(const Vector3& half_size, const FeatureView& view, const Vector3& p, SupportFeature* feature);

/// A cap, on the side of the view, of a body about the z axis: four rim points fixed in the shape, and the deepest one
/// when the cap is tilted by more than rounding.
void disc_face(double radius, double half_length, const FeatureView& view, SupportFeature* feature);

/// The line of a cylinder's or capsule's side, `radius` away from the axis along `outward`.
void side_line(double radius, double half_length, const Vector3& outward, const FeatureView& view,
               SupportFeature* feature);

}  // namespace stiction::geometry
