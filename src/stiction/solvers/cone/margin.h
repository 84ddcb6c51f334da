// A point deep inside an intersection of Lorentz cones: maximise s over (z, s) with
//
//     c_i + C_i z - |d_i + D_i z| >= s  for all i,    |z_j| <= reach,    s <= 1
//
// by a logarithmic barrier and Newton's method. s > 0: the set has an inner point; s < 0: it is empty; s = 0 to
// rounding: a set without interior. For a handful of variables: allocates.
#pragma once

#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/math/types.h"

namespace stiction::solvers {

/// c + C z >= |d + D z|; D without rows: a half space.
struct LorentzCondition {
  double c = 0;
  VectorX C;
  VectorX d;
  MatrixX D;

  /// c + C z - |d + D z|.
  double margin(const VectorX& z) const { return c + C.dot(z) - (d.size() > 0 ? (d + D * z).norm() : 0.0); }
};

/// The deepest point found and its s.
struct DeepestPoint {
  VectorX z;
  double margin = 0;
};

/// See the top of the file; `conditions` share the size of z. A point with a margin of `enough` will do.
DeepestPoint find_deepest_point(const std::vector<LorentzCondition>& conditions, int size, double reach,
                                double enough = infinity);

}  // namespace stiction::solvers
