// The implicit function theorem at a solution: J dy = - d residual / d parameter, active surfaces as equations, the
// others left out.
#include <algorithm>
#include <cmath>

#include "stiction/geometry/closest/closest_system.h"

namespace stiction::geometry {
namespace {

using Columns = Eigen::Matrix<double, 10, 14>;

/// What the equations of normals and points lose by the poses (rows 0..8), translation of B left out: it is minus A's.
Eigen::Matrix<double, 9, 9> pose_columns(const PiecePair& pair, double length, const ClosestUnknowns& unknowns) {
  const Eigen::Map<const Vector3> a(unknowns.y.data());
  const Eigen::Map<const Vector3> b(unknowns.y.data() + 3);
  const Eigen::Map<const Vector3> n(unknowns.y.data() + 6);
  Eigen::Matrix<double, 9, 9> rhs = Eigen::Matrix<double, 9, 9>::Zero();
  rhs.block<3, 3>(6, 0) = Matrix3::Identity() / length;
  rhs.block<3, 3>(0, 3) = skew(n);
  rhs.block<3, 3>(6, 3) = -skew(pair.X_WA.R * a) / length;
  rhs.block<3, 3>(3, 6) = -skew(n);
  rhs.block<3, 3>(6, 6) = skew(pair.X_WB.R * b) / length;
  return rhs;
}

/// Solves one column and gives a, b, n, g in their units.
Eigen::Matrix<double, 10, 1> column(const ClosestSystem& system, const ClosestVector& rhs, double length) {
  ClosestVector x;
  system.solve(rhs, x);
  Eigen::Matrix<double, 10, 1> y = Eigen::Map<const Eigen::Matrix<double, 10, 1>>(x.data());
  y.head<6>() *= length;
  y[9] *= length;
  return y;
}

Columns columns(const ClosestSystem& system, const PiecePair& pair, double length, const ClosestUnknowns& unknowns) {
  const Eigen::Matrix<double, 9, 9> poses = pose_columns(pair, length, unknowns);
  Columns result;
  for (int k = 0; k < 9; ++k) {
    ClosestVector rhs = {};
    Eigen::Map<Eigen::Matrix<double, 9, 1>>(rhs.data()) = poses.col(k);
    result.col(k < 6 ? k : k + 3) = column(system, rhs, length);
  }
  result.middleCols<3>(6) = -result.leftCols<3>();
  for (int side = 0; side < 2; ++side) {
    ClosestVector rhs = {};
    for (int k = 0; k < system.size() - 10; ++k) {
      const bool own = (k < pair.A.count) == (side == 0);
      if (own && system.active(k)) rhs[10 + k] = (system.surface(k).held ? -1 : 1) / length;
    }
    result.col(12 + side) = column(system, rhs, length);
  }
  return result;
}

}  // namespace

bool closest_derivative(const PiecePair& pair, double length, const ClosestUnknowns& unknowns,
                        ClosestDerivative& derivative) {
  constexpr double largest = 1e5;  // lengths per length or radian: above this the solution counts as not unique
  ClosestSystem system(pair, length);
  system.evaluate_at(unknowns);
  system.settle_active_set();
  system.factor();
  Columns all = columns(system, pair, length, unknowns);
  const double limit = largest * std::max(1.0, length);
  if (!(all.cwiseAbs().maxCoeff() < limit)) {
    system.factor_least_norm(1 / largest);
    all = columns(system, pair, length, unknowns);
  }
  derivative.pose = all.leftCols<12>();
  derivative.level = all.rightCols<2>();
  return all.allFinite();
}

}  // namespace stiction::geometry
