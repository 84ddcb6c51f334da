// General convex friction cones of Pang and Stewart as plain data: anitescu1998, section 3, (18).
//
//     FC = { n c_n + D b c_n : b in F },     F = { b in R^d : phi_i(1, b) <= 0, i = 1 .. n_fc }
//
// F is what friction can do per unit of normal impulse; d = 1 .. 3 counts the friction rows t, o, spin of a contact.
// The friction coefficients are inside F (the paper puts mu outside in (18) and inside in (19); the sign of phi is that
// of <= 0 throughout, see (19)). The kinds, with gamma the degree of homogeneity:
//
//     ellipsoid     phi   = sum (beta_i / a_i)^2 - c_n^2                       gamma = 2   round, elliptic, soft finger
//     polygon       phi_i = (nu_i . beta) / h_i - c_n, one for each edge       gamma = 1   d = 2
//     superellipse  phi   = sum |beta_i / a_i|^p - c_n^p                       gamma = p   d = 2, 1 < p <= 64
//
// What the paper asks of phi: (1) convex in beta; (2) phi(c_n, 0) <= 0, zero only for c_n = 0; (3) phi(0, beta) <= 0
// only for beta = 0; (4) homogeneous of degree gamma >= 1. A set without interior (an axis of zero, a polygon of two
// corners) is taken as a cone of fewer dimensions: the conditions hold inside its span, and impulses stay in it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/math/types.h"

namespace stiction {

/// F of the top of the file. Built by the functions below, which refuse what is not a cone; constant afterwards.
struct FrictionCone {
  enum class Kind : std::uint8_t { ellipsoid, polygon, superellipse };
  Kind kind = Kind::ellipsoid;
  int dimension = 2;                       ///< d: friction rows
  std::array<double, 3> axes = {0, 0, 0};  ///< ellipsoid, superellipse: half axes; zero: no friction along it
  double exponent = 2;                     ///< superellipse: p
  std::vector<Vector2> vertices = {};      ///< polygon: corners, anticlockwise; two: a segment through the origin
};

inline constexpr int least_polygon_corners = 2;
inline constexpr int most_polygon_corners = 64;
inline constexpr double largest_exponent = 64;  ///< beyond it a superellipse is a rectangle: give the polygon

/// An ellipsoid with 1 to 3 half axes; (mu) planar, (mu, mu) round, (mu_t, mu_o, mu_spin) soft finger. Zeros allowed.
Result<FrictionCone> make_ellipsoid_cone(std::span<const double> axes);

/// A convex polygon around the origin with 3 to 64 corners in order, either way round; or 2 corners, a segment through
/// the origin; all corners at the origin: no friction.
Result<FrictionCone> make_polygon_cone(std::span<const Vector2> corners);

/// |b_t / a_t|^p + |b_o / a_o|^p <= 1. p = 1 gives the polygon that it is.
Result<FrictionCone> make_superellipse_cone(double axis_t, double axis_o, double exponent);

/// Which of the paper's conditions the data fails, one sentence; empty when it is a friction cone.
std::string cone_defect(const FrictionCone& cone);

/// n_fc: 1 for smooth kinds, edges for a polygon, 2 for a segment, 0 for no friction.
int constraint_count(const FrictionCone& cone);

/// gamma.
double homogeneity(const FrictionCone& cone);

/// phi_i(c_n, beta).
double constraint_value(const FrictionCone& cone, int i, double c_n, const double* beta);

/// The gradient of phi_i with respect to beta, d values.
void constraint_gradient(const FrictionCone& cone, int i, double c_n, const double* beta, double* gradient);

/// The Hessian of phi_i with respect to beta: all kinds have a diagonal one, d values. Infinite for a superellipse with
/// p < 2 on an axis.
void constraint_hessian(const FrictionCone& cone, int i, double c_n, const double* beta, double* diagonal);

/// scale * F into `result`, which keeps its memory; scale > 0.
void scale_cone(const FrictionCone& cone, double scale, FrictionCone& result);

/// x without its part outside the span of F, in place.
void restrict_to_span(const FrictionCone& cone, double* x);

/// How far F reaches along axis i: the larger of both ways.
double cone_extent(const FrictionCone& cone, int i);

/// h_F(x) = max over b in F of b . x; with x = -u the largest dissipation per unit of normal impulse, (20).
double cone_support(const FrictionCone& cone, const double* x);

/// A b in F with b . x = h_F(x).
void cone_support_point(const FrictionCone& cone, const double* x, double* b);

}  // namespace stiction
