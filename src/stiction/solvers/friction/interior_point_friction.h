// Primal-dual interior point on Coulomb's law itself: a second-order cone problem with De Saxce's term inside.
//
// With T = diag(1, mu, ..) on every contact, r = T z, u^ = T u, W^ = T W T, the law is
//
//     s = u^ + |u^_t| n,   z in L,   s in L,   z . s = 0,        L = { |x_t| <= x_n }, u^ = W^ z + q^
//
// The bend |u^_t| n is linearised with the rest, not lagged: with E = I + n (u^_t / |u^_t|)^T and the Nesterov-Todd
// scaling D (D z = s) of every cone,
//
//     (W^ + E^-1 D) dz = E^-1 (xi - r_p),   ds = E W^ dz + r_p,   r_p = u^ + |u^_t| n - s
//
// where xi = -s + (centring and Mehrotra's correction). Bilateral blocks have no cone (D = 0, s = 0). Problems with
// bounded blocks are not taken. Damped: E = I + theta n (u^_t / |u^_t|)^T, with theta = 1, 0.7 or 0, whichever first
// allows an affine step of 0.1, from z = s = the axis of every cone (body/body_interior_point.h in contact space).
#pragma once

#include <vector>

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/block_lu.h"
#include "stiction/solvers/friction/newton_friction.h"

namespace stiction::solvers {

/// What to run.
struct InteriorPointOptions {
  double tolerance = 1e-8;
  int steps = 60;
  int short_steps = 4;  ///< give up after this many steps below 0.1
  bool damped = false;  ///< from a cold start, centred well, with as much of the bend as allows an affine step of 0.1
  Deadline deadline;
};

/// Its memory; the LU is Newton's, which must have been analysed for the problem.
struct InteriorPointWorkspace {
  std::vector<double> W, q, matrix;        ///< W^ and q^; the system's matrix
  std::vector<double> z, s, u, du, r;      ///< iterates; r = T z
  std::vector<double> dz, ds, right, r_p;  ///< directions and residual
  std::vector<double> dz_affine, ds_affine;
  std::vector<double> scaling;  ///< 5 doubles per contact: eta, w
  std::vector<double> best;
  std::vector<std::uint8_t> active;
};

/// Steps from the interior point nearest to r; r becomes the best iterate by the natural-map residual.
NewtonResult run_interior_point(const ScaledFriction& problem, const InteriorPointOptions& options, BlockLu& lu,
                                InteriorPointWorkspace& workspace, double* r);

/// Up to `steps` steps as part of a solve, fewer where `short_steps` of them are short. Damped: to where proximal steps
/// on velocities go on.
void take_interior_steps(FrictionSolve& solve, int steps, int short_steps, bool damped = false);

/// "interior-point": ends in a few steps of Newton.
extern const FrictionSolver interior_point_friction;

}  // namespace stiction::solvers
