// The frictional contact problem before velocities are eliminated, as the FCLIB collection stores it:
//
//     M v = H r + G lambda + f
//     u = H^T v + w                    contacts: Coulomb's law between u and r, as in friction_problem.h
//     0 = G^T v + b                    bilateral constraints
//
// v are generalised velocities, r impulses (normal first, `dimension` rows per contact), lambda bilateral impulses.
#pragma once

#include <vector>

#include "stiction/base/error.h"
#include "stiction/problem/friction_matrix.h"
#include "stiction/problem/friction_problem.h"

namespace stiction {

/// See the top of the file; with N velocities, C contacts of d rows and B bilateral rows.
struct GlobalFrictionProblem {
  int dimension = 3;       ///< d: 3, or 2 for planar problems
  SparseRows M;            ///< N x N
  SparseRows H;            ///< N x d C
  SparseRows G;            ///< N x B; without columns where there are none
  std::vector<double> f;   ///< N
  std::vector<double> w;   ///< d C
  std::vector<double> b;   ///< B
  std::vector<double> mu;  ///< C
};

/// Eliminates the velocities: W = A^T M^-1 A and q = A^T M^-1 f + (w, b) with A = (H, G); rows are the contacts' and
/// then the bilateral ones, a block each. W keeps the sparsity that M^-1 has. Fails where M is singular.
Result<FrictionProblem> condense(const GlobalFrictionProblem& problem);

}  // namespace stiction
