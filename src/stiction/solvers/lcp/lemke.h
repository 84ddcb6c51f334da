// Lemke's algorithm with lexicographic pivoting: LCP(M, q) -> z, surviving degenerate and redundant contacts.
//
//   w = M z + q,  0 <= z,  0 <= w,  z . w = 0                           trinkle2003 (14)-(15), (47)
//
// The problem is solved scaled: z = s D z', w' = D w / s with D_ii = M_ii^(-1/2) and s the size of D q, both powers of
// two, so that scaling rounds nothing. Pivoting only finds which z are basic; the answer is then solved from M itself
// by LU.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/problem/lcp.h"
#include "stiction/solvers/lcp/lemke_tableau.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// Options of Lemke's algorithm.
struct LemkeOptions {
  int max_pivots = 0;  ///< of each attempt; 0: 50 * n + 1000
  /// Ratios this close, relative to the ratio, are tied and go to the lexicographic rule.
  double tie_tolerance = 1e-11;
  double pivot_tolerance = 1e-11;  ///< entries below this fraction of the column's largest are not pivots
  bool scale = true;               ///< solve the problem scaled by M_ii^(-1/2)
  double tolerance = 1e-9;         ///< largest violation, in scaled units, of an answer that is called solved
  int max_repairs = 4;             ///< principal pivots tried on a warm start that is nearly right; 0: none
  double time_limit = infinity;    ///< s of CPU time, looked at every few pivots
};

/// Caller-owned memory and memory of the last answer. Sized on first use; problems no larger allocate nothing.
struct LemkeWorkspace {
  std::vector<std::uint8_t> basis;  ///< in: a guess of which z are basic (1) when size matches; out: the final basis

  std::vector<double> scale;              ///< D
  std::vector<double> q;                  ///< D q / s
  std::vector<double> factor;             ///< LU of the basic block
  std::vector<double> z;                  ///< scaled
  std::vector<double> w;                  ///< scaled
  std::vector<double> correction;         ///< right-hand side of the basic block
  std::vector<int> rows;                  ///< basic indices, then the row exchanges of the LU
  std::vector<std::uint8_t> trial_basis;  ///< being tried
  LemkeTableau tableau;                   ///< used by cold starts only
};

/// A problem held in the caller's memory: M column-major n x n.
struct LcpView {
  int n = 0;
  const double* M = nullptr;
  const double* q = nullptr;
};

/// Solves the LCP. First tries the workspace's basis when warm_start is set, then pivots from scratch. z and w get n
/// values (invalidated to NaN before the solve). The final basis is solved again by LU with refinement, so the answer
/// does not carry the tableau's rounding; non-basic z and the w of basic z are exactly zero. When not found, z and w
/// are the best answer seen, or NaN where there was none; numbers in M or q that are not finite end as not_found. A ray
/// proves nothing unless the caller knows M to be copositive-plus, so it ends as not_found too.
SolveReport solve_lemke(const LcpView& problem, bool warm_start, const LemkeOptions& options, LemkeWorkspace& workspace,
                        double* z, double* w);

/// Convenience for tests and files: allocates its own workspace.
SolveReport solve_lemke(const Lcp& problem, VectorX& z, const LemkeOptions& options = {});

}  // namespace stiction::solvers
