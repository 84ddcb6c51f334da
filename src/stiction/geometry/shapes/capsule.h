// A cylinder with half balls on its ends: all points near a segment.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// All points within `radius` of the segment from -half_length to +half_length on the frame's z axis.
struct Capsule {
  double radius = 0;
  double half_length = 0;
};

/// The surface of a capsule of size (radius, half length).
ImplicitValue capsule_surface(const PieceSurface& surface, const Vector3& x);

template <>
struct ShapeTraits<Capsule> : CommonTraits {
  static constexpr std::string_view name = "capsule";
  static constexpr std::string_view source = "closed form";
  static constexpr std::string_view sentence = "radius, length between the centres of its caps, along z";
  static constexpr std::array keys = {length_key("radius", "of the side and the caps"),
                                      length_key("length", "between the centres of the two caps, along z")};
  static Capsule from_keys(std::span<const double> v) { return {v[0], 0.5 * v[1]}; }

  static constexpr bool round = true;
  static bool valid(const Capsule& s) {
    return positive(s.radius) && std::isfinite(s.half_length) && s.half_length >= 0;
  }
  static double bounding_radius(const Capsule& s) { return s.radius + s.half_length; }
  static double size(const Capsule& s) { return box_diagonal(s.radius, s.radius, s.half_length + s.radius); }
  static Vector3 support(const Capsule& s, const Vector3& d) {
    return d * (s.radius / d.norm()) + Vector3(0, 0, std::copysign(s.half_length, d.z()));
  }
  static double support_height(const Capsule& s, const Vector3& d) {
    return s.radius * d.norm() + s.half_length * std::abs(d.z());
  }
  static MassProperties mass_properties(const Capsule& s);
  static CoreShape core(const Capsule& s);
  static void feature(const Capsule& s, const FeatureView& view, SupportFeature* feature) {
    if (s.half_length > 0) side_line(s.radius, s.half_length, view.d, view, feature);
  }
  static bool in_bowl(const Capsule& s, const BowlCollector& bowl);
  static void whole(const Capsule& s, const PieceSpot&, Piece& piece) {
    add(piece, curved(capsule_surface, {s.radius, s.half_length, 0}));
  }
  static void fixed_part(const Capsule& s, const PieceSpot& at, Piece& piece);
  static double to_end_of_line(const Capsule& s, const Vector3& point) {
    return std::abs(s.half_length - std::abs(point.z()));
  }
};

}  // namespace stiction::geometry
