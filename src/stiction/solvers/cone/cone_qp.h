// Convex quadratic programmes over second-order cones (problem/cone_qp.h) by a primal-dual interior-point method.
//
// Newton's method on  U y + v = G^T z,  s = G y + g,  s o z = sigma mu e  with the Nesterov-Todd scaling W of every
// cone and Mehrotra's corrector (Vandenberghe: The CVXOPT linear and quadratic cone program solvers, 2010):
//
//     (U + G^T W^-2 G) dy = -r_d + G^T (W^-1 (lambda \ c) - W^-2 r_p),    c = sigma mu e - lambda o lambda - correction
//
// y starts at zero, with s = g where that is inside its cone and s = g + t e where it is not. The gap s^T z bounds how
// far f(y) is above the least value, once r_p and r_d are rounding. Where the minimum of f without cones lies in the
// cones it is the answer, and its gap zero: looked at before the first step, and again from the last, since U may be
// singular and only some of its minima inside.
#pragma once

#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/problem/cone_qp.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// What to run.
struct ConeQpOptions {
  double tolerance = 1e-10;  ///< of gap, r_p and r_d, each relative
  double scale = 0;          ///< what the gap is relative to; 0: |f(0)|, or what the start's gap is where that is zero
  double least = -infinity;  ///< f is known not to fall below this: f(y) - least bounds the gap too
  int max_iterations = 100;
};

/// Caller-owned memory; problems no larger than ever before allocate nothing.
struct ConeQpWorkspace {
  std::vector<double> multipliers;                 ///< out: z that belongs to y, one per row, inside its cones
  std::vector<double> s, z, lambda, scaling, eta;  ///< one per row; eta one per cone
  std::vector<double> ds, dz, step_s, step_z, r_p, c, e_p, e_c, scaled_p;  ///< one per row
  std::vector<double> dy, r_d, right, best, reach, e_d, e_y;               ///< one per unknown
  std::vector<double> scaled_G;                                            ///< W^-1 G
  std::vector<double> root, stack;                                         ///< U = root^T root; root over W^-1 G
  std::vector<double> H, factor;                                           ///< m x m
  std::vector<double> diagonal;                                            ///< one per unknown
  std::vector<double> length;                                              ///< of the rows of `stack`
  std::vector<int> pivots, order;
};

/// y becomes the best iterate (one value per unknown, always finite). report.residual: the largest of the three
/// relative measures there. Termination is solved or not_found.
SolveReport solve_cone_qp(const ConeQp& problem, const ConeQpOptions& options, ConeQpWorkspace& workspace,
                          std::vector<double>& y);

}  // namespace stiction::solvers
