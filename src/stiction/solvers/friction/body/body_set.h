// A contact whose friction set F is not an ellipsoid (problem/friction_cone.h), in the units of body_system.h.
//
//     0 <= z_n  orthogonal to  u_n >= 0
//     z_t in z_n F and of maximum dissipation: -u_t in the normal cone of z_n F at z_t
//
// Both friction rows have the scale of the normal row, so that F is the scene's own: axes of their own would turn the
// Euclidean projection, on which all that follows rests, into another one.
#pragma once

#include "stiction/solvers/friction/body/body_system.h"

namespace stiction::solvers {

/// Squared defect of the block: min(z_n, u_n), what z_t is outside its set by, the power that it leaves undissipated
/// per max(z_n, smallest) max |F| (both as in certify/cone_residual.h), and z_t - P(z_t - u_t), P onto z_n F. The power
/// is of second order in the direction of a slip, the last term of first order.
double set_defect(const SystemBlock& block, double smallest, const double* z, const double* u);

/// Pi and G of body_proximal_newton.h: n = max(0, y_n), y_t onto n F; G = dPi/dy, row-major 3 x 3.
void project_on_set(const SystemBlock& block, const double* y, double* image, double* G);

/// z_n := max(0, z_n), z_t := the nearest point of z_n F.
void put_in_set(const SystemBlock& block, double* z);

/// The block alone: z that obeys its law for u = W z + b, from the z_t that is there.
void solve_set(const SystemBlock& block, const double* W, const double* b, double* z);

}  // namespace stiction::solvers
