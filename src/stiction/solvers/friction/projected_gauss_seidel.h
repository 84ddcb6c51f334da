// Projected Gauss-Seidel, the baseline of real-time engines: one row at a time, clamped; friction on the disc of the
// normal impulse as it stands.
//
//     r_n <- max(0, r_n - u_n / W_nn),    r_t <- P(r_t - u_t / w) on the ball of radius mu r_n
//
// Friction rows of one contact share the step 1 / w, w a bound of |W_tt|: steps of their own would change the direction
// of friction, since a fixed point of r = P(r - rho u) obeys maximum dissipation only for one rho. Bilateral rows are
// rows without a clamp, bounded blocks friction rows on their own ball. Slow where contacts are coupled.
#pragma once

#include <vector>

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/block_gauss_seidel.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// What to run.
struct ProjectedOptions {
  double tolerance = 1e-8;
  int sweeps = 20000;
  Deadline deadline;
};

/// Its memory.
struct ProjectedWorkspace {
  std::vector<double> u, best;
};

/// Sweeps from r, in place; r becomes the best of the iterates that were measured (every tenth).
SweepResult run_projected_gauss_seidel(const ScaledFriction& s, const ProjectedOptions& options,
                                       ProjectedWorkspace& workspace, double* r);

/// "pgs"
extern const FrictionSolver pgs_friction;

}  // namespace stiction::solvers
