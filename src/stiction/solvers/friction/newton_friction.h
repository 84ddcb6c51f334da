// Nonsmooth Newton on the Alart-Curnier equations, globalised by a line search; optionally around a proximal centre.
//
// In scaled units (scaled_friction.h), with tau = r_n - u_n and x = r_t - u_t, a contact's equations are
//
//     F_n = r_n - max(0, tau),   F_t = r_t - P(x on the ball of radius mu max(0, tau))
//
// and a Newton step solves (A W + delta (B + alpha A)) dr = -F, A = dF/du, B = dF/dr at fixed u:
//
//     open   (tau <= 0)            A = 0                          B = I, the block drops out of the system
//     stick  (|x| <= mu tau)       A = I                          B = 0
//     slide  e = x/|x|             A = [1 0; mu e, G]             B = [0 0; -mu e, I - G],  G = (mu tau/|x|)(I - e e^T)
//
// Bounded blocks likewise with radius R (mu e then multiplies the normal impulse of the linked contact); bilateral
// blocks always stick. alpha is a small compliance that carries redundant contacts; it does not move the answer.
#pragma once

#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/block_lu.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// Which function the line search brings down.
enum class Merit { alart_curnier, fischer_burmeister };

/// What to run.
struct NewtonOptions {
  double tolerance = 1e-8;
  int steps = 30;
  int poor_steps = 8;      ///< give up after this many short or fruitless ones
  double lost = infinity;  ///< give up where the residual is larger than this; that of no impulses is about 1
  Merit merit = Merit::alart_curnier;
  int memory = 1;                  ///< non-monotone line search: compares with the worst of this many
  double shift = 0;                ///< a of W + a I
  const double* center = nullptr;  ///< r_k of q - a r_k, when shift > 0
  Deadline deadline;
};

/// Memory of Newton's method; `lu` must have been analysed for the problem.
struct NewtonWorkspace {
  BlockLu lu;
  bool analyzed = false;
  double alpha = 1e-10;
  std::vector<double> u, du, dr, F, value, trial_r, trial_u, best;
  std::vector<std::uint8_t> active;
  std::vector<double> A, B, coupling;  ///< 36 doubles per block: dF/du, dF/dr; column of the linked normal impulse
};

/// How it ended.
struct NewtonResult {
  bool solved = false;
  int steps = 0;
  int factorizations = 0;
  double residual = 0;  ///< of the returned r: natural map, of the shifted problem when there is a shift
};

/// Newton steps from r, in place; r becomes the best iterate.
NewtonResult run_newton(const ScaledFriction& s, const NewtonOptions& options, NewtonWorkspace& workspace, double* r);

/// Up to `steps` Newton steps as part of a solve, fewer where `poor_steps` of them are short or fruitless, or where one
/// leaves a residual above `lost`.
void take_newton_steps(FrictionSolve& solve, int steps, int poor_steps, Merit merit, double lost = infinity);

/// "newton" and "newton-fb"
extern const FrictionSolver newton_friction, newton_fb_friction;

}  // namespace stiction::solvers
