// A half-space: the ground, walls.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// The half-space { x : normal . x <= 0 } in the shape's frame; `normal` is a unit vector.
struct Plane {
  Vector3 normal = Vector3::UnitZ();
};

template <>
struct ShapeTraits<Plane> : CommonTraits {
  static constexpr std::string_view name = "plane";
  static constexpr std::string_view source = "closed form";
  static constexpr std::string_view sentence = "the half-space below a plane; fixed or prescribed bodies only";
  static constexpr std::array keys = {
      ShapeKey{.name = "normal",
               .kind = ShapeKey::Kind::direction,
               .unit = "",
               .relation = {},
               .required = false,
               .otherwise = {0, 0, 1},
               .meaning = "points out of the half-space, in the shape's frame"},
      ShapeKey{.name = "offset",
               .lower = -infinity,
               .relation = {},
               .required = false,
               .meaning = "distance of the plane from the shape's origin along the normal"}};
  static Plane from_keys(std::span<const double> v) { return {Vector3(v[0], v[1], v[2])}; }
  /// normal . x <= offset: the offset moves the frame along the normal.
  static std::optional<Vector3> shift(std::span<const double> v) { return v[3] * Vector3(v[0], v[1], v[2]); }

  static constexpr Extent extent = Extent::half_space;
  static constexpr std::string_view needs = "a normal that is not zero";
  static constexpr std::string_view instead = "use a box";
  static bool valid(const Plane& s) { return positive(s.normal.norm()); }
  static Plane prepared(const Plane& s) { return {s.normal.normalized()}; }
  static double bounding_radius(const Plane&) { return infinity; }
  static double size(const Plane&) { return 1; }
  static Vector3 support(const Plane& s, const Vector3& d);
  /// 0 along the normal, infinity otherwise.
  static double support_height(const Plane& s, const Vector3& d) {
    return s.normal.cross(d).norm() <= 1e-15 * d.norm() && s.normal.dot(d) > 0 ? 0.0 : infinity;
  }
  static Aabb bounding_box(const Plane& s, const Pose& X_WS);
  static MassProperties mass_properties(const Plane&) { return {}; }
  static CoreShape core(const Plane& s);
  static void whole(const Plane& s, const PieceSpot&, Piece& piece) {
    add(piece, half_space(s.normal, Vector3::Zero()));
  }
};

}  // namespace stiction::geometry
