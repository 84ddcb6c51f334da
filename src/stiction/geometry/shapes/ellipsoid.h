// An ellipsoid.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// x^2/a^2 + y^2/b^2 + z^2/c^2 <= 1 with radii (a, b, c).
struct Ellipsoid {
  Vector3 radii = Vector3::Zero();
};

/// s (x^2/a^2 + y^2/b^2 + z^2/c^2 - 1) / 2 with radii `size`.
ImplicitValue ellipsoid_surface(const PieceSurface& surface, const Vector3& x);

template <>
struct ShapeTraits<Ellipsoid> : CommonTraits {
  static constexpr std::string_view name = "ellipsoid";
  static constexpr std::string_view source = "GJK/EPA";
  static constexpr std::string_view sentence = "radii: three semi-axes";
  static constexpr std::array keys = {lengths_key("radii", "half axes along x, y, z")};
  static Ellipsoid from_keys(std::span<const double> v) { return {Vector3(v[0], v[1], v[2])}; }

  static constexpr bool round = true;
  static constexpr bool single_point = true;
  static constexpr bool maxima_from_axes = true;
  static bool valid(const Ellipsoid& s) { return positive(s.radii); }
  static double bounding_radius(const Ellipsoid& s) { return s.radii.maxCoeff(); }
  static double size(const Ellipsoid& s) { return 2 * s.radii.norm(); }
  static Vector3 support(const Ellipsoid& s, const Vector3& d) {
    const Vector3 scaled = s.radii.cwiseProduct(d);
    return s.radii.cwiseProduct(scaled) / scaled.norm();
  }
  static double support_height(const Ellipsoid& s, const Vector3& d) { return s.radii.cwiseProduct(d).norm(); }
  static MassProperties mass_properties(const Ellipsoid& s);
  /// With the largest ball that sweeps it taken off; a ball's is a point.
  static CoreShape core(const Ellipsoid& s);
  static void whole(const Ellipsoid& s, const PieceSpot&, Piece& piece) {
    add(piece, curved(ellipsoid_surface, s.radii));
  }
};

}  // namespace stiction::geometry
