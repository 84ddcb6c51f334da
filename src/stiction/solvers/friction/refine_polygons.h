// Small problems in extended precision: Lemke on polygons that close in on the round cone, then Newton.
//
// For problems whose answer hangs on the last digits of a double: a light body between heavy ones makes W of 1e8 and 1,
// and the forces that pass through the light body are set by the 1. In scaled units (scaled_friction.h, W and q scaled
// anew in long double), each disc of friction becomes a polygon and the linear problem is solved by Lemke's method.
// Then, round by round, the polygon of a contact keeps eight coarse corners and gets seven more round the friction
// found, at 2/5 of the former distance: a polygon within an angle a of the friction has its edge within a^2/8 of the
// disc. After each round Newton on Alart and Curnier's equations, with full steps, ends in the answer where the modes
// are right. Several numbers of corners and turns of the polygon are tried. Before all of them, Newton goes from the
// given r: where doubles came to the right modes and could not end there, that is all it takes.
//
// Takes contacts of at most three rows only, and at most 36 rows. Allocates: it is one of the last rungs.
#pragma once

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// What to run.
struct RefineOptions {
  double tolerance = 1e-8;
  int rounds = 14;          ///< of refinement for each polygon
  int most_pivots = 20000;  ///< of Lemke's method in all, a second or two
  Deadline deadline;
};

/// How it ended.
struct RefineResult {
  bool applicable = true;  ///< false: too large, or another law than contact; nothing was tried
  int pivots = 0;
  double residual = 0;  ///< of the returned r, in doubles
};

/// The best answer found, from r (kept where nothing better is found), in place.
RefineResult run_refined_polygons(const ScaledFriction& s, const RefineOptions& options, double* r);

/// The same as part of a solve; its answers go by the name of enumeration.
void refine_polygons(FrictionSolve& solve);

}  // namespace stiction::solvers
