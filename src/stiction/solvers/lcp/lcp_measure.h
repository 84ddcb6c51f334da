// The residual that LCP solvers stop on; certify/lcp_residual.h has the one that judges them.
#pragma once

#include "stiction/problem/lcp.h"

namespace stiction::solvers {

/// |min(d z, w)| / |q| with d_i = M_ii where positive, else 1; equations count w_i. What rounding may hide in w is
/// added to each row: else a z of 1e16 that swallows q would look like an answer. Infinity where not finite. `w` gets
/// M z + q, `terms` |M| |z| + |q|.
double lcp_measure(const MixedLcp& problem, const VectorX& z, VectorX& w, VectorX& terms);

}  // namespace stiction::solvers
