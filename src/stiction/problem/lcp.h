// Linear complementarity problems as plain data.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/math/types.h"

namespace stiction {

/// LCP(M, q): find z with w = M z + q, 0 <= w, 0 <= z, w . z = 0 (trinkle2003 (14)-(15)).
struct Lcp {
  MatrixX M;
  VectorX q;
};

/// Mixed LCP: w = M z + q; a row with is_complementarity false is an equation (w_i = 0, z_i free), the others as in
/// Lcp.
struct MixedLcp {
  MatrixX M;
  VectorX q;
  std::vector<std::uint8_t> is_complementarity;  ///< one flag per row: 1 complementarity, 0 equation
};

}  // namespace stiction
