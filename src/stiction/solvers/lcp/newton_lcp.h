// Semismooth Newton on the Fischer-Burmeister equations of an LCP or mixed LCP, globalised by their merit.
//
//   phi(a, b) = a + b - sqrt(a^2 + b^2) is zero exactly where a >= 0, b >= 0, a b = 0
//   Phi_i(z) = phi(z_i, w_i) on pairs, w_i on equations;   merit = |Phi|^2 / 2
//   (J + lambda I) dz = -Phi,  J = D_a + D_b M                     De Luca, Facchinei, Kanzow (1996)
//
// lambda is zero where J can be factored and its step descends, and grows by 100 where not; then the gradient. Close to
// an answer the basis is read off and solved by LU, which ends in rounding rather than at the tolerance.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/solvers/lcp/basis_polish.h"
#include "stiction/solvers/lcp/lcp_scaling.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// Options of Newton's method.
struct NewtonLcpOptions {
  double tolerance = 1e-8;       ///< of the residual of certify/lcp_residual.h
  int max_iterations = 200;      ///< steps
  bool warm_start = false;       ///< z holds a guess
  double time_limit = infinity;  ///< s of CPU time
};

/// Caller-owned memory; keeps its capacity.
struct NewtonLcpWorkspace {
  ScaledLcp scaled;
  OrderingMemory ordering;
  std::vector<int> order, diagonal_row;
  SparseColumns J;
  SparseLu lu;
  PolishWorkspace polish;
  std::vector<double> diagonal, z, w, phi, a, b, step, gradient, right, trial_z, trial_w, best_z;
};

/// Solves into z (n values). Not solved: z is the best iterate, always finite. `is_complementarity` null: all rows are.
SolveReport solve_newton_lcp(const SparseColumns& M, const double* q, const std::uint8_t* is_complementarity,
                             const NewtonLcpOptions& options, NewtonLcpWorkspace& workspace, double* z);

}  // namespace stiction::solvers
