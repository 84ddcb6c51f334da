// Projected Gauss-Seidel for LCPs and mixed LCPs: z_i <- max(0, z_i - w_i / M_ii), row after row; no max on equations.
//
// Converges for symmetric positive definite M (Cryer 1971) and where the diagonal dominates. Rows without a positive
// diagonal (equations: without any) are left as they are: the residual tells.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/math/linear/sparse_lu.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// Options of the sweeps.
struct PgsLcpOptions {
  double tolerance = 1e-8;  ///< of the residual of certify/lcp_residual.h
  int max_sweeps = 10000;
  double relaxation = 1;         ///< in (0, 2)
  bool warm_start = false;       ///< z holds a guess
  double time_limit = infinity;  ///< s of CPU time
};

/// Caller-owned memory; keeps its capacity.
struct PgsLcpWorkspace {
  std::vector<double> w, diagonal, best_z;
};

/// Solves into z (n values). Not solved: z is the best sweep's, always finite. `is_complementarity` null: all rows are.
SolveReport solve_pgs_lcp(const SparseColumns& M, const double* q, const std::uint8_t* is_complementarity,
                          const PgsLcpOptions& options, PgsLcpWorkspace& workspace, double* z);

}  // namespace stiction::solvers
