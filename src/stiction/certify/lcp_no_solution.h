// Is it proved that a mixed LCP has no solution? From problem and proof alone.
//
// In floating point (M^T y)_j comes out as rounding where it should be zero, and rounding times an unbounded z refutes
// nothing. What the check establishes, with every rounding error of its own bounded and counted against the proof, is:
//
//   no z with |z_j| <= radius u_j,  u_j = |q|_max / |M_.j|_max,  has a residual (lcp_residual.h) within `tolerance`.
//
// For leaf multipliers y, c = M^T y, t = tolerance |q|: an answer of that residual has w_i >= -t, z_j >= -t / d_j, or,
// on the side the case fixes, |w_i| <= t or |z_j| <= t / d_j. So
//
//   0 <= y . q + sum_j max(0, wrong part of c_j) |z_j| + t (sum_i |y_i| + sum_j |c_j| / d_j),
//
// which cannot hold while |z_j| <= radius u_j, with the radius that this gives. The radius is infinite where the wrong
// parts vanish exactly.
#pragma once

#include <string_view>

#include "stiction/problem/lcp.h"
#include "stiction/problem/lcp_proof.h"

namespace stiction::certify {

/// What counts as a proof.
struct NoSolutionOptions {
  double tolerance = 1e-8;  ///< answers of this residual are excluded too; so nothing is both solved and refuted
  double radius = 1e6;      ///< least radius, in the problem's own units u_j
};

/// Outcome of the check.
struct NoSolutionCheck {
  bool proved = false;
  double radius = 0;  ///< of the ball without solutions: the least over all leaves
  int leaves = 0;
  std::string_view reason;  ///< why not proved; empty when it is
};

/// Walks the tree, checks that its cases cover everything and that each leaf's multipliers refute it.
NoSolutionCheck check_no_solution(const MixedLcp& problem, const LcpNoSolutionProof& proof,
                                  const NoSolutionOptions& options = {});

}  // namespace stiction::certify
