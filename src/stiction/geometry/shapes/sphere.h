// A ball.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// A ball about the frame's origin.
struct Sphere {
  double radius = 0;
};

template <>
struct ShapeTraits<Sphere> : CommonTraits {
  static constexpr std::string_view name = "sphere";
  static constexpr std::string_view source = "closed form";
  static constexpr std::string_view sentence = "radius";
  static constexpr std::array keys = {length_key("radius", "of the ball")};
  static Sphere from_keys(std::span<const double> v) { return {v[0]}; }

  static constexpr bool round = true;
  static constexpr bool single_point = true;
  static bool valid(const Sphere& s) { return positive(s.radius); }
  static double bounding_radius(const Sphere& s) { return s.radius; }
  static double size(const Sphere& s) { return box_diagonal(s.radius, s.radius, s.radius); }
  static Vector3 support(const Sphere& s, const Vector3& d) { return d * (s.radius / d.norm()); }
  static double support_height(const Sphere& s, const Vector3& d) { return s.radius * d.norm(); }
  static MassProperties mass_properties(const Sphere& s);
  static CoreShape core(const Sphere& s);
  static bool in_bowl(const Sphere& s, const BowlCollector& bowl) {
    bowl.add(Vector3::Zero(), s.radius, 0);
    return true;
  }
  static void whole(const Sphere& s, const PieceSpot&, Piece& piece) { add(piece, ball(s.radius, Vector3::Zero())); }
};

}  // namespace stiction::geometry
