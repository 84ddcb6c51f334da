// One door to every solver of LCPs and mixed LCPs: problem, options and the caller's memory in; z, a report and, where
// there is no answer, the proof out.
//
// `auto` goes down this chain until an answer holds at the tolerance or none is proved to exist:
//
//   1. warm-basis    the basis of the guess, when there is one
//   2. lemke         lexicographic tableau up to 250 rows; above, sparse-lemke first and the tableau where that fails;
//                    mixed-lemke where there are equations
//   3. farkas        the ray that sparse-lemke ended on, where it refutes the problem (M positive semidefinite)
//   4. newton-fb     from zero, polished by the LU of its basis
//   5. enumeration   all cases, as far as counted work allows (up to 400 rows); called farkas where the first refutes
//
// The chain depends on counted work only, never on the clock, unless a time limit is set.
#pragma once

#include <string_view>

#include "stiction/base/infinity.h"
#include "stiction/problem/lcp.h"
#include "stiction/problem/lcp_proof.h"
#include "stiction/solvers/lcp/enumeration.h"
#include "stiction/solvers/lcp/lemke.h"
#include "stiction/solvers/lcp/newton_lcp.h"
#include "stiction/solvers/lcp/pgs_lcp.h"
#include "stiction/solvers/lcp/sparse_lemke.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

struct LcpSolve;

/// A solver of LCPs and mixed LCPs that describes itself; solvers/registry.cc lists them all.
struct LcpSolver {
  std::string_view name;                               ///< what users type
  std::string_view source;                             ///< a publication, or "stiction"
  std::string_view sentence;                           ///< what it does
  void (*run)(LcpSolve& solve, const VectorX& guess);  ///< works on the trial and offers it (lcp_solve.h)
  bool portfolio = false;                              ///< several in turn: LcpReport::rung says which gave the answer
};

/// `auto`, the chain above.
extern const LcpSolver auto_lcp;
/// "lemke": pivoting, by the variant that suits size and equations.
extern const LcpSolver lemke_lcp;
/// "newton-fb", "pgs" and "enumeration".
extern const LcpSolver newton_fb_lcp, pgs_lcp, enumeration_lcp;

/// What every solver obeys.
struct LcpOptions {
  double tolerance = 1e-8;       ///< of the residual of certify/lcp_residual.h
  int max_iterations = 0;        ///< pivots, steps, sweeps or cases; 0: the solver's own limit
  double time_limit = infinity;  ///< s of CPU time of this thread
  bool warm_start = false;       ///< z holds a guess
};

/// Outcome of one solve; `solve.residual` is the solver's own figure.
struct LcpReport {
  SolveReport solve;
  std::string_view rung;     ///< which algorithm gave the answer or the proof, or the best iterate
  LcpNoSolutionProof proof;  ///< where solve.termination is no_solution; certify/lcp_no_solution.h checks it
};

/// Caller-owned memory of all solvers. Lemke, Newton and PGS allocate nothing on problems no larger and no fuller;
/// mixed-lemke and enumeration do.
struct LcpWorkspace {
  SparseColumns M;
  LemkeWorkspace lemke;
  SparseLemkeWorkspace sparse_lemke;
  NewtonLcpWorkspace newton;
  PgsLcpWorkspace pgs;
  VectorX trial, w, terms, best;
};

/// Solves into z (n values: a guess when options.warm_start). Called solved only where the residual, computed from the
/// problem itself, is within the tolerance. When not solved, z is the best iterate seen, always finite.
LcpReport solve_lcp(const LcpSolver& solver, const MixedLcp& problem, const LcpOptions& options,
                    LcpWorkspace& workspace, VectorX& z);

}  // namespace stiction::solvers
