// The superellipsoid N(x) <= 1 with the norm
//   N(x) = ( (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q )^(1/q),   p, q >= 2,
// a q-norm of (a p-norm of the first two, the third). Its support function is the dual norm of (a d_x, b d_y, c d_z):
// the same with p' = p/(p-1), q' = q/(q-1) in place of p, q.
#pragma once

#include "stiction/geometry/shapes/shape_traits.h"

namespace stiction::geometry {

/// (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1 with radii (a, b, c), exponents (p, q), each from 2 (an ellipse) up: boxes
/// with smooth edges.
struct Superellipsoid {
  Vector3 radii = Vector3::Zero();
  double p = 2;
  double q = 2;
};

/// Range of both exponents; more than the upper one is a box to any purpose and loses digits at its edges.
inline constexpr double min_exponent = 2;
inline constexpr double max_exponent = 16;

/// Farthest point along d (not zero): the gradient of the dual norm. Flat spots give the one point that is theirs.
Vector3 superellipsoid_support(const Vector3& radii, double p, double q, const Vector3& d);

/// The dual norm: largest d . x.
double superellipsoid_height(const Vector3& radii, double p, double q, const Vector3& d);

/// N(x) - 1 and its derivatives, x not zero. On an axis with exponent 2 along it and more across, where the Hessian has
/// no limit, one of its values nearby.
ImplicitValue superellipsoid_value(const Vector3& radii, double p, double q, const Vector3& x);

/// s (N(x)^2 - 1) / 2 with radii `size` and exponents p, q: an ellipsoid's form for p = q = 2.
ImplicitValue superellipsoid_surface(const PieceSurface& surface, const Vector3& x);

template <>
struct ShapeTraits<Superellipsoid> : CommonTraits {
  static constexpr std::string_view name = "superellipsoid";
  static constexpr std::string_view source = "chakraborty2007";
  static constexpr std::string_view sentence = "radii, exponents from 2 (round) to 16 (almost a box)";
  static constexpr std::array keys = {lengths_key("radii", "half axes a, b, c along x, y, z"),
                                      ShapeKey{.name = "exponents",
                                               .kind = ShapeKey::Kind::two_numbers,
                                               .unit = "",
                                               .lower = min_exponent,
                                               .upper = max_exponent,
                                               .lower_open = false,
                                               .relation = {},
                                               .required = false,
                                               .otherwise = {2, 2, 0},
                                               .meaning = "`[p, q]`: p across z, q along z"}};
  static Superellipsoid from_keys(std::span<const double> v) { return {Vector3(v[0], v[1], v[2]), v[3], v[4]}; }

  static constexpr std::string_view needs = "positive radii and exponents from 2 to 16";
  static constexpr bool round = true;
  static constexpr bool single_point = true;
  static bool valid(const Superellipsoid& s);
  /// Largest |x|, in closed form.
  static double bounding_radius(const Superellipsoid& s);
  static double size(const Superellipsoid& s) { return 2 * s.radii.norm(); }
  static Vector3 support(const Superellipsoid& s, const Vector3& d) {
    return superellipsoid_support(s.radii, s.p, s.q, d);
  }
  static double support_height(const Superellipsoid& s, const Vector3& d) {
    return superellipsoid_height(s.radii, s.p, s.q, d);
  }
  static MassProperties mass_properties(const Superellipsoid& s);
  static CoreShape core(const Superellipsoid& s);
  static int surface_count(const Superellipsoid&) { return 1; }
  static void surfaces(const Superellipsoid& s, const Vector3& x, ImplicitValues* values);
  static bool revolution(const Superellipsoid& s, RevolutionProfile* profile);
  static void whole(const Superellipsoid& s, const PieceSpot& at, Piece& piece);
};

}  // namespace stiction::geometry
