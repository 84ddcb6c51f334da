// How wrong is r for a frictional contact problem? From problem and answer alone.
//
// With mu_b the largest axis of a block, s_i = axis_i / mu_b (normal rows: 1) and the scaled impulse z_i = r_i / s_i
// and velocity s_i u_i, every friction ellipsoid is a ball. With rho_b = rows / trace(S W_bb S) (1 where the trace is
// not positive) and P the Euclidean projection,
//
//     contact block:    ( z - P_K(z - rho_b uhat) ) / rho_b,    uhat = S u + mu_b |S u_f| n,    K: |z_f| <= mu_b z_n
//     bounded block:    ( z - P_B(z - rho_b S u) ) / rho_b,     B: |z| <= mu_b max(0, bound + r_n(link))
//     bilateral block:  u
//
// and `natural` is the Euclidean norm of all of them over |S q| (over 1 where q = 0): zero exactly at the solutions,
// the same in any units of mass, length and time. For round cones of three rows it is the measure `scaled` of the
// problem collection. Everything is measured in long double, and what rounding of that may still hide (its epsilon
// times the sizes of the terms of u and of z / rho) counts as a violation: an r so large that rounding swallows q does
// not pass for an answer. De Saxce's uhat turns Coulomb's law into K* contains uhat, r in K, r . uhat = 0.
#pragma once

#include <span>

#include "stiction/problem/friction_problem.h"

namespace stiction::certify {

/// Velocities relative to |S q|; every value is a violation: zero is perfect, infinity means that the answer (or the
/// problem) holds a number that is not finite.
struct FrictionResidual {
  double natural = 0;          ///< see the top of the file: the figure that decides
  double cone = 0;             ///< norm of (|z_f| - mu z_n)+ / rho, contacts, and (|z| - R)+ / rho, bounded blocks
  double complementarity = 0;  ///< norm of min(r_n / rho, u_n) over contacts
  double bilateral = 0;        ///< norm of u over bilateral rows
};

/// The residual of r, one value per row. Allocates nothing.
FrictionResidual friction_residual(const FrictionProblem& problem, std::span<const double> r);

}  // namespace stiction::certify
