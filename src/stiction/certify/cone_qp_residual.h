// How far is y from the minimum of a quadratic programme over cones? From the problem and the answer alone.
//
// For z in K and s = G y + g, every feasible y* has f(y*) >= f(y) - s^T z + r^T (y* - y), r = U y + v - G^T z (weak duality
// of a convex f): `gap` and `dual` bound how much too high f(y) is, `cone` how far outside y is. All in long double.
#pragma once

#include <span>

#include "stiction/problem/cone_qp.h"

namespace stiction::certify {

/// Zero is perfect; infinity: a number is not finite.
struct ConeQpResidual {
  double objective = 0;  ///< f(y)
  double cone = 0;       ///< largest |x| - a of a cone, in the units of g
  double gap = 0;        ///< s^T z, in the units of f
  double dual = 0;       ///< sum over unknowns of |r_j y_j|, in the units of f
  double dual_cone = 0;  ///< largest |x| - a of z
};

/// The residual of y (one value an unknown) with multipliers z (one value a row; empty: zeros).
ConeQpResidual cone_qp_residual(const ConeQp& problem, std::span<const double> y, std::span<const double> z = {});

}  // namespace stiction::certify
