// Mixed nonlinear complementarity problems by a globalised semismooth Newton method, and by homotopy where it fails.
//
// The problem (problem/mixed_ncp.h) is Phi(z) = 0 with the natural map of every row,
//
//     equation        Phi = F
//     complementary   Phi = min(w z, F)
//     ball            Phi = w z - P(w z - F on the ball of radius w R)
//
// whose zeros are its solutions. A Newton step solves with an element of the generalised Jacobian: dense LU for small
// problems, sparse LU in minimum-degree order for large ones. Rows whose F is active get a compliance alpha w on the
// diagonal, which carries redundant contacts and does not move the answer. The line search compares |Phi| with the
// worst of the last few values: the natural map is not smooth, and a step across a kink may have to climb.
//
// Homotopy: from a solution at t = 0, t is raised to 1 in steps, halved when Newton fails and doubled when it succeeds.
#pragma once

#include <array>
#include <vector>

#include "stiction/math/linear/sparse_lu.h"
#include "stiction/problem/mixed_ncp.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// What to run.
struct MixedNcpOptions {
  double tolerance = 1e-10;  ///< largest scaled residual that counts as solved
  int steps = 40;            ///< Newton steps, of the whole homotopy too
  int poor_steps = 6;        ///< gives up after this many steps in a row that do not bring the residual down
};

/// Factors of a block matrix; keeps its capacity.
class BlockSystem {
 public:
  /// Factors the n x n sum of blocks. False where it is singular to rounding.
  bool factor(int n, const BlockMatrix& J);
  /// b -> J^-1 b.
  void solve(double* b);

 private:
  bool factor_dense(const BlockMatrix& J);
  bool factor_sparse(const BlockMatrix& J);
  void compress(const BlockMatrix& J);

  int n_ = 0;
  bool dense_ = true;
  std::vector<double> matrix_, result_;
  std::vector<int> pivots_;
  SparseColumns columns_;
  OrderingMemory ordering_;
  std::vector<int> order_, preferred_, cursor_, entry_row_, mark_;
  std::vector<double> entry_value_;
  SparseLu lu_;
};

/// Memory of the solver.
struct MixedNcpWorkspace {
  BlockMatrix J;
  BlockSystem system;
  std::vector<double> F, Phi, trial_z, trial_F, trial_Phi, step, best, factor, path;
  std::vector<std::array<double, 9>> balls;
  std::vector<int> ball_of;
  std::vector<double> recent;  ///< residual norms that the line search compares with
};

/// The largest scaled natural-map residual of z; infinity where F is not defined.
double mixed_ncp_residual(MixedNcpFunction& function, const MixedNcpRows& rows, MixedNcpWorkspace& workspace,
                          const std::vector<double>& z);

/// Newton from z, in place: on success the solution at `t`, otherwise the best iterate. The function's last evaluation
/// is at the z returned.
SolveReport solve_mixed_ncp(MixedNcpFunction& function, const MixedNcpRows& rows, const MixedNcpOptions& options,
                            double t, MixedNcpWorkspace& workspace, std::vector<double>& z);

/// Follows the path from the solution z at t = 0 to t = 1.
SolveReport follow_mixed_ncp(MixedNcpFunction& function, const MixedNcpRows& rows, const MixedNcpOptions& options,
                             MixedNcpWorkspace& workspace, std::vector<double>& z);

}  // namespace stiction::solvers
