// The last digits of an answer that is right but for rounding.
//
// A light body between heavy ones makes W of 1e8: impulses of size one, rounded to doubles, leave velocities of 1e-8,
// and impulses rounded one by one do not make up for each other. Here each impulse moves by a few units of its last
// digit, alone or together with one other, and of all such moves the one that leaves the least residual is taken, again
// and again. The residual is accurate_residual.h's, in long double: in doubles it would be noise.
//
// Takes at most 36 rows and residuals within 100 times the tolerance. At most 12 moves, each the best of 16 per pair of
// rows and 6 per row: a few milliseconds for six contacts. Impulses that are zero stay zero. Allocates nothing.
#pragma once

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// What to run.
struct NearbyOptions {
  double tolerance = 1e-8;
  int most_moves = 12;
  Deadline deadline;
};

/// How it ended.
struct NearbyResult {
  bool applicable = true;  ///< false: too large, or too far from an answer; nothing was tried
  int moves = 0;
  double residual = 0;  ///< of the returned r, beyond rounding
};

/// Moves r' until its residual is within the tolerance or no move lessens it, in place.
NearbyResult run_nearby_doubles(const ScaledFriction& s, const NearbyOptions& options, double* r);

/// The same as part of a solve; its answers go by the name of the solver that came so near.
void choose_nearby_doubles(FrictionSolve& solve);

}  // namespace stiction::solvers
