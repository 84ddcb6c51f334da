// Every case of a mixed LCP: branch and bound over the pairs (z_i = 0 or w_i = 0), until one has a solution or all are
// refuted.
//
// A case leaves a linear system with signs, so a singular pattern is an ordinary one: feasible or not (small_lp.h).
// Pairs that no case has settled yet count as z_i >= 0, w_i >= 0; what is infeasible so far is refuted with all cases
// below it. The refutations together are the proof that no solution exists (problem/lcp_proof.h); the first of them
// alone, before any branching, is Farkas' proof.
#pragma once

#include "stiction/base/infinity.h"
#include "stiction/problem/lcp.h"
#include "stiction/problem/lcp_proof.h"
#include "stiction/solvers/lcp/small_lp.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// Limits of the search.
struct EnumerationOptions {
  double tolerance = 1e-8;       ///< residual of an answer, and what the refutations must exclude
  double radius = 1e6;           ///< refutations must hold for |z_j| up to this many |q|_max / |M_.j|_max
  int max_nodes = 100000;        ///< cases looked at; 2^pairs is the most there are
  double time_limit = infinity;  ///< s of CPU time
};

/// Searches all cases. solved: z is an answer. no_solution: `proof` (may be null) gets the refutations. not_found: a
/// limit was reached, or a case could be neither solved nor refuted within rounding. Allocates.
SolveReport solve_enumeration(const MixedLcp& problem, const EnumerationOptions& options, VectorX& z,
                              LcpNoSolutionProof* proof);

/// Do multipliers y refute the case with these signs of (w, z), clear of rounding and of answers within the tolerance?
/// The solver's own judgement; certify/lcp_no_solution.h has the one that counts.
bool refutes(const MixedLcp& problem, const VectorX& y, const std::vector<LpSign>& sign,
             const EnumerationOptions& options);

}  // namespace stiction::solvers
