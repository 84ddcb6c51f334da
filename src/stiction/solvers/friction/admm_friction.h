// ADMM with adaptive penalty: a linear system with W and a projection on the cones, in turns.
//
//     f = (W + (rho + eta) I)^-1 (-q - s + eta f + rho y + z)      velocities of the law
//     y = P(f - z / rho),   z <- z - rho (f - y)                   cones, balls, or all of space for bilaterals
//     s_n = mu |z_t|                                               De Saxce's term, from the last z
//
// At a fixed point f = y = r and z = W r + q + s = uhat. rho follows the ratio of the two residuals |f - y| and
// rho |y - y_last|, at most every tenth step, because each change is a factorisation. Douglas-Rachford splitting of the
// problem with s fixed (Acary et al., 2018; ADMM: Boyd et al., 2011). Radii of rolling blocks are those of the
// projected normal impulse of their contact.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/block_lu.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"
#include "stiction/solvers/friction/newton_friction.h"

namespace stiction::solvers {

/// What to run.
struct AdmmOptions {
  double tolerance = 1e-8;
  int steps = 20000;
  double proximal = 1e-8;  ///< eta, in scaled units where W is about 1
  Deadline deadline;
};

/// Its memory; the LU is Newton's, which must have been analysed for the problem.
struct AdmmWorkspace {
  std::vector<double> f, y, z, last, u, value;
  std::vector<std::uint8_t> active;
};

/// Steps from r, in place; r becomes the best iterate measured.
NewtonResult run_admm(const ScaledFriction& s, const AdmmOptions& options, BlockLu& lu, AdmmWorkspace& workspace,
                      double* r);

/// Up to `steps` steps as part of a solve.
void take_admm_steps(FrictionSolve& solve, int steps);

/// "admm"
extern const FrictionSolver admm_friction;

}  // namespace stiction::solvers
