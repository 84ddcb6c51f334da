// How far is y from the minimum of a quadratic programme over cones? From the problem and the answer alone.
//
// For z in K, s = G y + g and r = U y + v - G^T z, every y* of the programme has, since f is convex and s*^T z >= 0,
//
//     f(y*) >= f(y) + (r + G^T z)^T (y* - y) = f(y) + r^T (y* - y) + (s* - s)^T z
//           >= f(y) - s^T z - sum |r_j| |y*_j - y_j|
//
// so with |y*_j| <= reach_j the least value is at least f(y) - gap, gap = s^T z + sum |r_j| (reach_j + |y_j|): a bound,
// whatever y and z are, up to the rounding of long double. A z outside K is taken into it first. Who asks has to know
// reach: any box that the cones lie in, or some minimum does; infinity where there is none, and the bound then holds
// only if r_j vanishes. `cone` says whether y itself is feasible: f(y) is near the least value, from above, only
// where that is rounding.
#pragma once

#include <span>

#include "stiction/problem/cone_qp.h"

namespace stiction::certify {

/// Zero is perfect; infinity: a number is not finite.
struct ConeQpResidual {
  double objective = 0;  ///< f(y)
  double cone = 0;       ///< largest |x| - a of a cone at y, in the units of g
  double gap = 0;        ///< the least value is at least objective - gap; negative only where y is outside
  double dual_cone = 0;  ///< largest |x| - a of z as given
};

/// The residual of y (one value per unknown) with multipliers z (one value per row; empty: zeros), where all |y*_j| <=
/// reach_j.
ConeQpResidual cone_qp_residual(const ConeQp& problem, std::span<const double> y, std::span<const double> z,
                                std::span<const double> reach);

}  // namespace stiction::certify
