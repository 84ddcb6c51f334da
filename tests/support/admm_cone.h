// A second solver for quadratic programmes over cones, on another formulation than solvers/cone_qp.h: all impulses x as
// unknowns with the equations C x = d, by the alternating direction method of multipliers.
//
//     minimise 1/2 x^T P x + p^T x  over  C x = d,  E x + e in K
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "stiction/math/types.h"

namespace stiction::testing {

/// See the top of the file.
struct AdmmCone {
  MatrixX P, C, E;
  VectorX p, d, e;
  std::vector<int> cones;  ///< sizes, head first

  /// Projects s on the cones.
  void project(VectorX& s) const {
    int first = 0;
    for (const int n : cones) {
      const double head = s[first], tail = s.segment(first + 1, n - 1).norm();
      if (tail <= -head) {
        s.segment(first, n).setZero();
      } else if (tail > head) {
        s.segment(first + 1, n - 1) *= (head + tail) / (2 * tail);
        s[first] = (head + tail) / 2;
      }
      first += n;
    }
  }

  /// x after at most `iterations`; `residual` becomes what is left of E x + e = s and of the step, relative to |e|.
  VectorX solve(int iterations, double tolerance, double& residual) const {
    // x = x_0 + N y.
    const Eigen::JacobiSVD<MatrixX> svd(C, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const double largest = svd.singularValues().size() > 0 ? svd.singularValues()[0] : 0;
    int rank = 0;
    while (rank < svd.singularValues().size() && svd.singularValues()[rank] > 1e-9 * largest) ++rank;
    const VectorX x_0 = svd.matrixV().leftCols(rank) *
                        (svd.matrixU().leftCols(rank).transpose() * d).cwiseQuotient(svd.singularValues().head(rank));
    const MatrixX N = svd.matrixV().rightCols(C.cols() - rank);
    if (N.cols() == 0) return x_0;
    const MatrixX Q = N.transpose() * P * N, F = E * N;
    const VectorX q = N.transpose() * (P * x_0 + p), f = E * x_0 + e;
    double rho = std::max(1e-12, Q.trace()) / std::max(1e-12, (F.transpose() * F).trace());
    VectorX y = VectorX::Zero(N.cols()), s = f, dual = VectorX::Zero(f.size()), best;
    project(s);
    Eigen::LDLT<MatrixX> factor(Q + rho * F.transpose() * F);
    const double size = std::max(1e-300, f.cwiseAbs().maxCoeff());
    for (int k = 0; k < iterations; ++k) {
      y = factor.solve(rho * F.transpose() * (s - f - dual) - q);
      const VectorX at = 1.6 * (F * y + f) - 0.6 * s, before = s;
      s = at + dual;
      project(s);
      dual += at - s;
      const double primal = (F * y + f - s).cwiseAbs().maxCoeff() / size;
      const double change = (s - before).cwiseAbs().maxCoeff() / size;
      residual = std::max(primal, change);
      if (residual < tolerance) break;
      if (k % 100 == 99 && k < iterations / 2 && (primal > 10 * change || change > 10 * primal)) {
        const double factor_of_rho = primal > change ? 3 : 1.0 / 3;
        rho *= factor_of_rho;
        dual /= factor_of_rho;
        factor.compute(Q + rho * F.transpose() * F);
      }
    }
    return x_0 + N * y;
  }
};

}  // namespace stiction::testing
