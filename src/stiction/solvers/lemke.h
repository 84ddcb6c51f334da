// Lemke's algorithm with lexicographic pivoting: LCP(M, q) -> z, surviving degenerate and redundant contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/problem/lcp.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// Options of Lemke's algorithm.
struct LemkeOptions {
  int max_pivots = 0;  ///< 0: 50 * n + 1000
  double tie_tolerance =
      1e-11;  ///< ratios this close, relative to the ratio, are tied and go to the lexicographic rule
  double pivot_tolerance = 1e-11;  ///< entries below this fraction of the column's largest are no pivots
  bool scale = true;               ///< solve the problem scaled by M_ii^(-1/2)
};

/// Caller-owned memory and memory of the last answer. Sized on first use; problems no larger allocate nothing.
struct LemkeWorkspace {
  std::vector<std::uint8_t> basis;  ///< in: a guess of which z are basic (1) when size matches; out: the final basis
  std::vector<double> storage;      ///< tableau, factors and vectors
  std::vector<int> indices;
};

/// A problem held in the caller's memory: M column-major n x n.
struct LcpView {
  int n = 0;
  const double* M = nullptr;
  const double* q = nullptr;
};

/// Solves the LCP. First tries the workspace's basis when warm_start is set, then pivots from scratch. z and w get n
/// values (invalidated to NaN before the solve). The final basis is solved again by LU with refinement, so the answer
/// does not carry the tableau's rounding. A ray ends as no_solution only where M is copositive-plus by construction and
/// the caller says so; here it is reported as not_found.
SolveReport solve_lemke(const LcpView& problem, bool warm_start, const LemkeOptions& options, LemkeWorkspace& workspace,
                        double* z, double* w);

/// Convenience for tests and files: allocates its own workspace.
SolveReport solve_lemke(const Lcp& problem, VectorX& z, const LemkeOptions& options = {});

}  // namespace stiction::solvers
