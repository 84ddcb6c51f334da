// A box with rounded edges and corners: a smaller box swept by a ball.
#pragma once

#include "stiction/geometry/shapes/box.h"

namespace stiction::geometry {

/// A box about the frame's origin, edges and corners rounded to `radius`; half_size is that of the whole.
struct RoundedBox {
  Vector3 half_size = Vector3::Zero();
  double radius = 0;
};

/// Half sizes of the box that a ball of the radius sweeps to make the rounded box.
inline Vector3 core_half_size(const RoundedBox& box) {
  return (box.half_size.array() - box.radius).max(0.0);
}

/// The surface of a rounded box with half sizes `size` and this `radius`.
ImplicitValue rounded_box_surface(const PieceSurface& surface, const Vector3& x);

template <>
struct ShapeTraits<RoundedBox> : CommonTraits {
  static constexpr std::string_view name = "rounded-box";
  static constexpr std::string_view source = "GJK/EPA";
  static constexpr std::string_view sentence = "size, radius of its edges and corners";
  static constexpr std::array keys = {lengths_key("size", "full lengths along x, y, z, with the rounding"),
                                      length_key("radius", "of edges and corners", "at most half the smallest size")};
  static RoundedBox from_keys(std::span<const double> v) { return {0.5 * Vector3(v[0], v[1], v[2]), v[3]}; }
  static std::optional<KeyMistake> mistake(std::span<const double> v);

  static constexpr std::string_view needs = "positive sizes, and a radius of at most half the smallest of them";
  static bool valid(const RoundedBox& s) {
    return s.half_size.allFinite() && positive(s.radius) && s.radius <= s.half_size.minCoeff();
  }
  static double bounding_radius(const RoundedBox& s) { return core_half_size(s).norm() + s.radius; }
  static double size(const RoundedBox& s) { return 2 * s.half_size.norm(); }
  static Vector3 support(const RoundedBox& s, const Vector3& d) {
    return box_vertex(core_half_size(s), d) + d * (s.radius / d.norm());
  }
  static double support_height(const RoundedBox& s, const Vector3& d) {
    return core_half_size(s).dot(d.cwiseAbs()) + s.radius * d.norm();
  }
  static MassProperties mass_properties(const RoundedBox& s);
  static CoreShape core(const RoundedBox& s);
  /// The core's face, edge or corner moved out by the radius: nearly flat on, a face; then a line or a point.
  static void feature(const RoundedBox& s, const FeatureView& view, SupportFeature* feature);
  static bool face_normal(const RoundedBox& s, const Matrix3& R, const Vector3& local, Vector3* normal) {
    return ShapeTraits<Box>::face_normal({s.half_size}, R, local, normal);
  }
  static bool on_plane(const RoundedBox& s, const PlanePoints& plane) {
    return add_box_corners(core_half_size(s), s.radius, plane), true;
  }
  static bool in_bowl(const RoundedBox& s, const BowlCollector& bowl) {
    return add_box_corners(core_half_size(s), s.radius, bowl), true;
  }
  static void whole(const RoundedBox& s, const PieceSpot& at, Piece& piece);
  static void fixed_part(const RoundedBox& s, const PieceSpot& at, Piece& piece);
  static double to_end_of_line(const RoundedBox& s, const Vector3& point) {
    return (s.half_size - point.cwiseAbs()).cwiseAbs().maxCoeff();
  }
};

}  // namespace stiction::geometry
