// Proximal point method around Newton: a sequence of problems with W + a I and q - a r_k, each easier than the whole.
//
// The added compliance makes redundant contacts determinate; r_k+1 is the answer of the k-th problem (to a tolerance
// that follows the residual), and where r_k stands still the compliance has no effect. a falls while Newton succeeds
// and rises when it fails.
#pragma once

#include <vector>

#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/newton_friction.h"

namespace stiction::solvers {

/// What to run.
struct ProximalOptions {
  double tolerance = 1e-8;
  int steps = 200;       ///< of the outer iteration
  double start = 1e-2;   ///< first a, in scaled units where W is about 1
  double lowest = 1e-7;  ///< least a
  double shrink = 0.5;   ///< factor of a after success
  double grow = 4;       ///< factor of a after failure
  Deadline deadline;
};

/// Its memory besides Newton's.
struct ProximalWorkspace {
  std::vector<double> center, trial, u;
};

/// Outer steps from r, in place; r becomes the best iterate. steps counts Newton steps.
NewtonResult run_proximal(const ScaledFriction& s, const ProximalOptions& options, NewtonWorkspace& newton,
                          ProximalWorkspace& workspace, double* r);

/// Up to `steps` outer steps as part of a solve; the penalty shrinks and grows by these factors.
void take_proximal_steps(FrictionSolve& solve, int steps, double shrink = 0.5, double grow = 4);

/// "proximal"
extern const FrictionSolver proximal_friction;

}  // namespace stiction::solvers
