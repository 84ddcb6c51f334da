// Proximal point around Newton's method on velocities, in contact space: body/body_proximal_newton.h for problems whose
// bodies are not known.
//
// Around an impulse r, with R = rho on normal and bilateral rows and rho mu^2 on friction rows, find the change of
// velocities w with
//
//     F(w) = w - W (Pi(y) - r) = 0,    y = r - R (u(r) + w)
//     Pi: contact    n = max(0, y_n), y_t onto the disc of radius mu n
//         bilateral  y
//
// by Newton's method with A = I + W G R, G in dPi/dy, which has the pattern of W. Where G of a contact is zero (it is
// open) its column of A is that of the identity, and it takes no part in the factorisation. Merit |F|^2, halving line
// search, non-monotone over 4 steps; then r := Pi(y). The shift of W in proximal_friction.h needs 15 times as many
// factorisations on piles, whose impulses are not determined. Problems with bounded blocks are not taken.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/block_lu.h"
#include "stiction/solvers/friction/newton_friction.h"

namespace stiction::solvers {

/// What to run.
struct VelocityNewtonOptions {
  double tolerance = 1e-8;
  int factorizations = 400;
  double stiffness = 0.1;  ///< rho at the start, times the residual
  Deadline deadline;
};

/// Its memory; the LU is Newton's, which must have been analysed for the problem.
struct VelocityNewtonWorkspace {
  std::vector<double> y, image, rate, base;                      ///< Pi(y) and R; u(r)
  std::vector<double> center, w, trial, dw, F, change, u, G, A;  ///< G: 16 numbers per block; A: as W
  std::vector<std::uint8_t> active;

  /// Makes room for a problem.
  void size_for(const ScaledFriction& problem);
};

/// Proximal steps from r, in place; r becomes the best iterate. steps counts Newton steps.
NewtonResult run_velocity_newton(const ScaledFriction& problem, const VelocityNewtonOptions& options, BlockLu& lu,
                                 VelocityNewtonWorkspace& workspace, double* r);

/// Up to so many factorisations as part of a solve.
void take_velocity_steps(FrictionSolve& solve, int factorizations);

}  // namespace stiction::solvers
