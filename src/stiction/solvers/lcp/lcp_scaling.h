// The scaling that LCP solvers share: z = s D z', w' = D w / s, powers of two, so that scaling rounds nothing.
#pragma once

#include <vector>

#include "stiction/math/linear/sparse_lu.h"

namespace stiction::solvers {

/// A problem in scaled units, and the way back.
struct ScaledLcp {
  SparseColumns M;            ///< D M D
  std::vector<double> q;      ///< D q / s
  std::vector<double> scale;  ///< D
  double q_scale = 1;         ///< s
  std::vector<double> scratch;

  /// D_ii = |M_ii|^(-1/2); rows without a diagonal take the scale that makes their largest coupling one. False where a
  /// number is not finite.
  bool assign(const SparseColumns& original, const double* original_q);

  double z_unit(int i) const { return scale[i] * q_scale; }  ///< z_i = z_unit(i) z'_i
  double w_unit(int i) const { return q_scale / scale[i]; }  ///< w_i = w_unit(i) w'_i
};

}  // namespace stiction::solvers
