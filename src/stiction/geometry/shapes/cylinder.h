// A solid cylinder.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// A solid cylinder about the frame's z axis from -half_length to +half_length.
struct Cylinder {
  double radius = 0;
  double half_length = 0;
};

/// The side of a cylinder of size (radius, half length), without ends.
ImplicitValue cylinder_side(const PieceSurface& surface, const Vector3& x);

template <>
struct ShapeTraits<Cylinder> : CommonTraits {
  static constexpr std::string_view name = "cylinder";
  static constexpr std::string_view source = "GJK/EPA";
  static constexpr std::string_view sentence = "radius, length, along z";
  static constexpr std::array keys = {length_key("radius", "of the side"),
                                      length_key("length", "full height, along z")};
  static Cylinder from_keys(std::span<const double> v) { return {v[0], 0.5 * v[1]}; }

  static constexpr bool rims = true;
  static bool valid(const Cylinder& s) { return positive(s.radius) && positive(s.half_length); }
  static double bounding_radius(const Cylinder& s) { return std::hypot(s.radius, s.half_length); }
  static double size(const Cylinder& s) { return box_diagonal(s.radius, s.radius, s.half_length); }
  static Vector3 support(const Cylinder& s, const Vector3& d) {
    const double radial = std::hypot(d.x(), d.y());
    const double scale = radial > 0 ? s.radius / radial : 0;
    return {d.x() * scale, d.y() * scale, std::copysign(s.half_length, d.z())};
  }
  static double support_height(const Cylinder& s, const Vector3& d) {
    return s.radius * std::sqrt(d.x() * d.x() + d.y() * d.y()) + s.half_length * std::abs(d.z());
  }
  static MassProperties mass_properties(const Cylinder& s);
  static CoreShape core(const Cylinder& s);
  static void feature(const Cylinder& s, const FeatureView& view, SupportFeature* feature);
  static bool face_normal(const Cylinder&, const Matrix3& R, const Vector3& local, Vector3* normal) {
    *normal = std::copysign(1.0, local.z()) * R.col(2);
    return true;
  }
  static bool in_bowl(const Cylinder& s, const BowlCollector& bowl);
  static void whole(const Cylinder& s, const PieceSpot& at, Piece& piece);
  static void fixed_part(const Cylinder& s, const PieceSpot& at, Piece& piece) {
    add_circle_or_corner(curved(cylinder_side, {s.radius, s.half_length, 0}), at, piece);
  }
  static double to_end_of_line(const Cylinder& s, const Vector3& point) {
    return std::abs(s.half_length - std::abs(point.z()));
  }
};

}  // namespace stiction::geometry
