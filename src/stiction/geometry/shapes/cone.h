// A solid cone.
#pragma once

#include <algorithm>

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// A solid cone about the frame's z axis: base of `radius` at -half_length, apex at +half_length.
struct Cone {
  double radius = 0;
  double half_length = 0;
};

/// The side of a cone of size (radius, half length), without its base.
ImplicitValue cone_side(const PieceSurface& surface, const Vector3& x);

template <>
struct ShapeTraits<Cone> : CommonTraits {
  static constexpr std::string_view name = "cone";
  static constexpr std::string_view source = "GJK/EPA";
  static constexpr std::string_view sentence = "radius, length, apex along z";
  static constexpr std::array keys = {length_key("radius", "of the base, at z = -length/2"),
                                      length_key("length", "from the base to the apex, at z = length/2")};
  static Cone from_keys(std::span<const double> v) { return {v[0], 0.5 * v[1]}; }

  static constexpr bool rims = true;
  static bool valid(const Cone& s) { return positive(s.radius) && positive(s.half_length); }
  static double bounding_radius(const Cone& s) { return std::hypot(s.radius, s.half_length); }
  static double size(const Cone& s) { return box_diagonal(s.radius, s.radius, s.half_length); }
  static Vector3 support(const Cone& s, const Vector3& d) { return cone_point(s.radius, s.half_length, d); }
  static double support_height(const Cone& s, const Vector3& d) {
    const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
    return std::max(s.half_length * d.z(), s.radius * radial - s.half_length * d.z());
  }
  static MassProperties mass_properties(const Cone& s);
  static CoreShape core(const Cone& s);
  /// The base, or the side line from rim to apex, whichever faces d more; straight on the apex, a point.
  static void feature(const Cone& s, const FeatureView& view, SupportFeature* feature);
  static bool face_normal(const Cone&, const Matrix3& R, const Vector3&, Vector3* normal) {
    *normal = -R.col(2);
    return true;
  }
  static bool in_bowl(const Cone& s, const BowlCollector& bowl);
  /// The apex, where the side has no gradient, is a corner.
  static void whole(const Cone& s, const PieceSpot& at, Piece& piece);
  static void fixed_part(const Cone& s, const PieceSpot& at, Piece& piece);
  static double to_end_of_line(const Cone& s, const Vector3& point) {
    return std::abs(s.half_length - std::abs(point.z()));
  }
};

}  // namespace stiction::geometry
