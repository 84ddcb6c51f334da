// A box with sharp edges.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// A box about the frame's origin.
struct Box {
  Vector3 half_size = Vector3::Zero();
};

/// +half or -half on each axis, + where the direction is zero.
inline Vector3 box_vertex(const Vector3& half_size, const Vector3& d) {
  return {d.x() < 0 ? -half_size.x() : half_size.x(), d.y() < 0 ? -half_size.y() : half_size.y(),
          d.z() < 0 ? -half_size.z() : half_size.z()};
}

template <>
struct ShapeTraits<Box> : CommonTraits {
  static constexpr std::string_view name = "box";
  static constexpr std::string_view source = "clipped features";
  static constexpr std::string_view sentence = "size: three full lengths";
  static constexpr std::array keys = {lengths_key("size", "full lengths along x, y, z")};
  static Box from_keys(std::span<const double> v) { return {0.5 * Vector3(v[0], v[1], v[2])}; }

  static bool valid(const Box& s) { return positive(s.half_size); }
  static double bounding_radius(const Box& s) { return s.half_size.norm(); }
  static double size(const Box& s) { return 2 * s.half_size.norm(); }
  static Vector3 support(const Box& s, const Vector3& d) { return box_vertex(s.half_size, d); }
  static double support_height(const Box& s, const Vector3& d) { return s.half_size.dot(d.cwiseAbs()); }
  static MassProperties mass_properties(const Box& s);
  static CoreShape core(const Box& s);
  static void feature(const Box& s, const FeatureView& view, SupportFeature* feature) {
    box_face(s.half_size, view, view.p, feature);
  }
  static bool face_normal(const Box& s, const Matrix3& R, const Vector3& local, Vector3* normal);
  static bool on_plane(const Box& s, const PlanePoints& plane) { return add_box_corners(s.half_size, 0, plane), true; }
  static bool in_bowl(const Box& s, const BowlCollector& bowl) { return add_box_corners(s.half_size, 0, bowl), true; }
  static void whole(const Box& s, const PieceSpot& at, Piece& piece);
  static void fixed_part(const Box&, const PieceSpot& at, Piece& piece) { add_corner(at.point, piece); }
};

}  // namespace stiction::geometry
