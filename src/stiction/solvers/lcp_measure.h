// The residual that LCP solvers stop on; certify/lcp_residual.h has the one that judges them.
#pragma once

#include "stiction/problem/lcp.h"

namespace stiction::solvers {

/// |min(d z, w)| / |q| with d_i = M_ii where positive, else 1; equations count w_i. Infinity where not finite. `w` is
/// scratch and gets M z + q.
double lcp_measure(const MixedLcp& problem, const VectorX& z, VectorX& w);

}  // namespace stiction::solvers
