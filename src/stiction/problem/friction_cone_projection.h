// Euclidean projection onto c_n F with its derivatives, for the friction cones of friction_cone.h.
//
// The projection is homogeneous, P(x, c_n) = c_n P(x / c_n, 1), so that with G = dP/dx at x / c_n
//
//     dP/dx = G,     dP/dc_n = b - G x / c_n,     b = P / c_n.
//
// On a smooth boundary G comes from the conditions y + l grad g(y) = x, g(y) = 1: with the diagonal
// K = (I + l Hess g)^-1 and nu = grad g,   G = K - K nu nu^T K / (nu^T K nu). On an edge G = t t^T, at a corner 0.
#pragma once

#include <array>

#include "stiction/problem/friction_cone.h"

namespace stiction {

/// A projection; only the first d entries (d x d, row-major) are set.
struct ConeProjection {
  std::array<double, 3> y = {};
  std::array<double, 9> dy_dx = {};  ///< one element of the generalised Jacobian where there is a kink
  std::array<double, 3> dy_dc = {};
  bool inside = true;  ///< x was in c_n F
};

/// The point of c_n F nearest to x. c_n <= 0: the origin.
void project_on_cone(const FrictionCone& cone, double c_n, const double* x, ConeProjection& projection);

}  // namespace stiction
