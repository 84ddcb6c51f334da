// Mixed LCPs by elimination of the equations (rank-revealing), then Lemke on what is left.
#pragma once

#include "stiction/problem/lcp.h"
#include "stiction/solvers/lcp/lemke.h"

namespace stiction::solvers {

/// Solves the mixed LCP; z gets all variables. Works where the block of the equations is singular but consistent.
SolveReport solve_mixed_lemke(const MixedLcp& problem, VectorX& z, const LemkeOptions& options = {});

}  // namespace stiction::solvers
