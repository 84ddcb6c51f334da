// Is it proved that a frictional contact problem has no answer? From problem and multipliers alone.
//
// y, one value per row: >= 0 on normals, free on bilateral rows, 0 on friction rows and bounded blocks. Any answer has
// u_n >= 0 and u = 0 on bilateral rows, so y . u >= 0; but y . u = c . r + y . q with c = W^T y. Over the cones
//
//     c . r <= sum_contacts r_n (c_n + |axes c_f|)+ + sum_bounded (bound + r_n(link)) |axes c| + sum_bilateral |c| |r|
//
// so y . q + (that) < 0 is a contradiction. In floating point c comes out as rounding where it should be zero, and
// rounding times an unbounded r refutes nothing. What the check establishes, with every rounding error of its own
// bounded and counted against the proof, is:
//
//   no r with r_n (bilateral: |r_j|) <= radius v,  v = |q|_max / |W_.j|_max,  has a residual
//   (friction_residual.h, natural) of `tolerance` or less.
//
// An answer with that residual has u_n >= -(1 + mu) t, |u| <= t on bilateral rows, and lies within rho t of its cone or
// ball, t = tolerance |S q|; these slacks count against the proof too. The radius is infinite where c vanishes exactly.
#pragma once

#include <span>
#include <string_view>

#include "stiction/problem/friction_problem.h"

namespace stiction::certify {

/// What counts as a proof.
struct FrictionNoSolutionOptions {
  double tolerance = 1e-8;  ///< answers of this residual are excluded too; so nothing is both solved and refuted
  double radius = 1e6;      ///< least radius, in the problem's own units v
};

/// Outcome of the check.
struct FrictionNoSolutionCheck {
  bool proved = false;
  double radius = 0;        ///< of the region without answers; 0 when not proved
  std::string_view reason;  ///< why not proved; empty when it is
};

/// Checks the multipliers y.
FrictionNoSolutionCheck check_friction_no_solution(const FrictionProblem& problem, std::span<const double> y,
                                                   const FrictionNoSolutionOptions& options = {});

}  // namespace stiction::certify
