// How wrong is z for an LCP or mixed LCP? From problem and answer alone.
#pragma once

#include "stiction/problem/lcp.h"

namespace stiction::certify {

/// |min(d z, w)| / |q| with d_i = M_ii where positive, else 1; Euclidean norms; |q| = 0 counts as 1. Infinity if not
/// finite.
double lcp_residual(const Lcp& problem, const VectorX& z);

/// The same with equation rows contributing w_i.
double mixed_lcp_residual(const MixedLcp& problem, const VectorX& z);

}  // namespace stiction::certify
