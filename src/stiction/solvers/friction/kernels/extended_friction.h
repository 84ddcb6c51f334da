// A small scaled problem as a dense matrix in extended precision: scaled from the problem's own numbers, not from their
// rounded scaled copies.
#pragma once

#include <Eigen/Core>

#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// W' and q' of scaled_friction.h in long double.
struct ExtendedFriction {
  using Real = long double;
  static constexpr int most_rows = 36;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_rows, most_rows> W;
  Eigen::Matrix<Real, Eigen::Dynamic, 1, Eigen::ColMajor, most_rows, 1> q;
};

/// Expands s, which must have no more than most_rows rows.
void extend_friction(const ScaledFriction& s, ExtendedFriction& extended);

}  // namespace stiction::solvers
