// A proof that a mixed LCP has no solution, as plain data: written by solvers, checked by certify/lcp_no_solution.h.
#pragma once

#include <vector>

#include "stiction/math/types.h"

namespace stiction {

/// A binary tree of cases in preorder. A node p >= 0 splits on the pair p: first the case z_p = 0, then w_p = 0; every
/// solution is in one of them. A node -1 is a leaf: its case is refuted by the next multipliers y, with
///
///   y_i >= 0 where w_i >= 0 only (any sign where the case or an equation says w_i = 0),
///   (M^T y)_j <= 0 where z_j >= 0 only, = 0 where z_j is free (anything where the case says z_j = 0),   y . q < 0:
///
/// then 0 <= y . w = y . M z + y . q <= y . q < 0 for every solution of the case. A lone leaf is Farkas' proof that
/// even z >= 0, w >= 0 and the equations contradict each other; a tree is an exhausted enumeration.
struct LcpNoSolutionProof {
  std::vector<int> nodes;
  std::vector<VectorX> multipliers;  ///< of the leaves, in their order
};

}  // namespace stiction
