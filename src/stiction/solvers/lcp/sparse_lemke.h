// Lemke's method for large sparse problems: a sparse LU of the basis with product-form updates in place of the tableau.
//
//   B = basic columns of [I, -M, -e] in w - M z - e z0 = q;   B^-1 = E_k^-1 ... E_1^-1 (L U)^-1, refactored when
//   the updates have cost as much as a factorisation.
//
// One solve with B per pivot instead of n^2 numbers changed. The price: ties go to z0, then to the largest pivot, not
// to the lexicographic rule, whose rows of B^-1 are not at hand. So it may cycle where solve_lemke does not; callers
// fall back on that.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/math/linear/sparse_lu.h"
#include "stiction/solvers/lcp/lcp_scaling.h"
#include "stiction/solvers/lcp/lemke.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// Options of the sparse method: those of Lemke and its own.
struct SparseLemkeOptions {
  LemkeOptions lemke;            ///< max_pivots 0: 10 n + 1000 here; `scale` is always on
  int refactor_interval = 100;   ///< most pivots between factorisations; fewer where updates cost more than a new one
  double time_limit = infinity;  ///< s of CPU time
};

/// Caller-owned memory and memory of the last answer. Sized on first use; problems no larger and no fuller allocate
/// nothing.
struct SparseLemkeWorkspace {
  std::vector<std::uint8_t> basis;  ///< in: a guess of which z are basic (1) when size matches; out: the final basis

  ScaledLcp scaled;
  OrderingMemory ordering;
  std::vector<int> order;         ///< of elimination of the z
  SparseColumns B;                ///< the basis
  SparseLu lu;                    ///< of B when it was last factored
  std::vector<int> basic, place;  ///< variable of each slot, slot of each variable (-1: non-basic)
  std::vector<int> slots, preferred;
  std::vector<double> x, d, right;  ///< values of the basic variables, entering column, right-hand side
  std::vector<int> eta_start, eta_slot, eta_index;
  std::vector<double> eta_value, eta_pivot;
  std::vector<std::uint8_t> trial_basis;
  std::vector<double> ray;  ///< z of the ray that the last solve ended on, else empty
};

/// Solves LCP(M, q). First the workspace's basis when warm_start is set, then pivots from w = q. z and w get n values
/// (NaN before the solve); the final basis is solved afresh with refinement. Not found: the best basis seen, or NaN.
SolveReport solve_sparse_lemke(const SparseColumns& M, const double* q, bool warm_start,
                               const SparseLemkeOptions& options, SparseLemkeWorkspace& workspace, double* z,
                               double* w);

}  // namespace stiction::solvers
