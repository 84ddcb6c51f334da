// The solid outside a ball, a hollow for bodies inside it; how they meet: geometry/bowl_contact.h.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// The solid outside a ball, { x : |x| >= radius }: a hollow sphere for bodies inside it.
struct Bowl {
  double radius = 0;
};

/// (r^2 - |x|^2) / (2 r) with r = size.x: concave, the gradient points into the hollow.
ImplicitValue bowl_surface(const PieceSurface& surface, const Vector3& x);

template <>
struct ShapeTraits<Bowl> : CommonTraits {
  static constexpr std::string_view name = "bowl";
  static constexpr std::string_view source = "local maxima";
  static constexpr std::string_view sentence = "radius: the solid outside a ball; fixed or prescribed bodies only";
  static constexpr std::array keys = {length_key("radius", "of the hollow")};
  static Bowl from_keys(std::span<const double> v) { return {v[0]}; }

  static constexpr Extent extent = Extent::hollow;
  static constexpr std::string_view instead = "make it of boxes";
  static bool valid(const Bowl& s) { return positive(s.radius); }
  static double bounding_radius(const Bowl&) { return infinity; }
  static double size(const Bowl& s) { return box_diagonal(s.radius, s.radius, s.radius); }
  static Vector3 support(const Bowl& s, const Vector3& d);
  static double support_height(const Bowl&, const Vector3&) { return infinity; }
  static Aabb bounding_box(const Bowl&, const Pose&) {
    return {Vector3::Constant(-infinity), Vector3::Constant(infinity)};
  }
  static MassProperties mass_properties(const Bowl&) { return {}; }
  static CoreShape core(const Bowl& s);
  static void whole(const Bowl& s, const PieceSpot& at, Piece& piece);
};

}  // namespace stiction::geometry
