// The superellipsoid N(x) <= 1 with the norm
//   N(x) = ( (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q )^(1/q),   p, q >= 2,
// a q-norm of (a p-norm of the first two, the third). Its support function is the dual norm of (a d_x, b d_y, c d_z):
// the same with p' = p/(p-1), q' = q/(q-1) in place of p, q.
#pragma once

#include "stiction/geometry/shapes/shape.h"

namespace stiction::geometry {

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

/// Largest |x|, in closed form.
double superellipsoid_reach(const Superellipsoid& shape);

}  // namespace stiction::geometry
