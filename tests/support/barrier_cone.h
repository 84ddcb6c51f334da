// A second solver for quadratic programmes over cones, on another formulation than solvers/cone/cone_qp.h, in long
// double: all impulses x as unknowns with the equations C x = d, primal only, by Newton's method on a logarithmic
// barrier.
//
//     minimise  f(x) = 1/2 |D x + b|^2  over  C x = d,  E x + e in K
//
// From a feasible x_0 (the cones are widened by `slack`, so that it lies inside, and the set need have no interior of
// its own): x = x_0 + N y, N a basis of the null space of C, and for growing t
//
//     y(t) minimises  t f + sum of -log(s_0^2 - |s_1|^2),   s = E x + e + slack (1, 0)
//
// where f(x(t)) is at most (degree of the barrier) / t above the least value over the widened set (Boyd and
// Vandenberghe, Convex Optimization, 11.2 and 11.6), and z = grad / t are multipliers, also of the set as it was: weak
// duality bounds its least value from below by f(x(t)) - degree / t - slack * sum z_0.
//
// The Hessian is M^T M with rows sqrt(t) D and, of each cone with n = s_1 / |s_1|, 1 / (s_0 -+ |s_1|) along (1, -+n)
// and sqrt(2 / det) across; Newton's step is the least-squares solution of M d = (-sqrt(t) (D x + b), 1, 1, 0), which
// keeps the digits that M^T M would lose.
#pragma once

#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "stiction/math/types.h"

namespace stiction::testing {

/// See the top of the file.
struct BarrierCone {
  using Real = long double;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  MatrixX D, C, E;
  VectorX b, e;
  std::vector<int> cones;  ///< sizes, head first

  /// What solve() found.
  struct Answer {
    VectorX x;
    double gap = 0;       ///< f(x) is at most this above the least value over the widened set
    double widening = 0;  ///< and that is at most this below the least value
    int steps = 0;
  };

  /// Until the gap is below `gap`, from x_0 with C x_0 = d in the cones; as far as rounding lets it.
  Answer solve(const VectorX& x_0, double gap, double slack) const;

 private:
  struct Path;
};

/// State of the solver: y, s = F y + f, r = D y + b.
struct BarrierCone::Path {
  const std::vector<int>& cones;
  Matrix D, F;  // of y
  Vector y, s, r;
  Real t = 1;

  // visit(first row, size) of every cone.
  template <class Visit>
  void for_each_cone(Visit&& visit) const {
    int first = 0;
    for (const int n : cones) {
      visit(first, n);
      first += n;
    }
  }

  // -grad of one cone's barrier at s: 2 (s_0, -s_1) / det.
  static Vector pull(const Vector& at) {
    const Real tail = at.tail(at.size() - 1).norm(), det = (at[0] - tail) * (at[0] + tail);
    Vector g = -2 * at / det;
    g[0] = 2 * at[0] / det;
    return g;
  }

  // The step, and |M d|^2 by which a unit step lowers twice the model.
  Vector newton(Real& decrement) const {
    const long count = static_cast<long>(cones.size());
    Matrix M(D.rows() + F.rows() + count, D.cols());
    Vector right = Vector::Zero(M.rows());
    M.topRows(D.rows()) = std::sqrt(t) * D;
    right.head(D.rows()) = -std::sqrt(t) * r;
    long row = D.rows();
    for_each_cone([&](int first, int n) {
      const Vector tail = s.segment(first + 1, n - 1);
      const Real length = tail.norm(), low = s[first] - length, high = s[first] + length;
      const Vector along = length > 0 ? Vector(tail / length) : tail;
      const Matrix head = F.row(first), rest = F.middleRows(first + 1, n - 1), dots = along.transpose() * rest;
      M.row(row) = (head - dots) / low;
      M.row(row + 1) = (head + dots) / high;
      M.middleRows(row + 2, n - 1) = std::sqrt(2 / (low * high)) * (rest - along * dots);
      right[row] = right[row + 1] = 1;
      row += n + 1;
    });
    const Vector scale = M.colwise().norm().cwiseInverse().transpose();
    const Vector d = scale.cwiseProduct((M * scale.asDiagonal()).colPivHouseholderQr().solve(right));
    decrement = (M * d).squaredNorm();
    return d;
  }

  // Slope of t f + barrier along d at y + a d; infinite outside the cones.
  Real slope_along(const Vector& Dd, const Vector& Fd, Real a) const {
    Real sum = t * Dd.dot(r + a * Dd);
    for_each_cone([&](int first, int n) {
      const Vector at = s.segment(first, n) + a * Fd.segment(first, n);
      sum = at[0] > at.tail(n - 1).norm() ? sum - pull(at).dot(Fd.segment(first, n)) : HUGE_VALL;
    });
    return sum;
  }

  // 1, or where the slope along d vanishes.
  Real best_step(const Vector& Dd, const Vector& Fd) const {
    if (slope_along(Dd, Fd, 1) <= 0) return 1;
    Real low = 0, high = 1;
    for (int i = 0; i < 60 && high - low > 1e-3L * high; ++i) {
      const Real middle = (low + high) / 2;
      (slope_along(Dd, Fd, middle) > 0 ? high : low) = middle;
    }
    return low;
  }

  // Centres for this t; false where rounding stops it.
  bool centre(int& steps) {
    for (int k = 0; k < 200; ++k, ++steps) {
      Real decrement = 0;
      const Vector d = newton(decrement);
      if (!std::isfinite(decrement)) return false;
      if (decrement < 1e-6L) return true;
      const Vector Dd = D * d, Fd = F * d;
      const Real a = best_step(Dd, Fd);
      if (a == 0) return false;
      y += a * d;
      s += a * Fd;
      r += a * Dd;
    }
    return false;
  }
};

inline BarrierCone::Answer BarrierCone::solve(const VectorX& x_0, double gap, double slack) const {
  Eigen::ColPivHouseholderQR<Matrix> qr;
  qr.setThreshold(1e-10L);
  qr.compute(C.transpose().cast<Real>());
  const Matrix basis = qr.householderQ() * Matrix::Identity(C.cols(), C.cols());
  const Matrix N = basis.rightCols(C.cols() - qr.rank());
  Answer answer{.x = x_0};
  if (N.cols() == 0) return answer;
  const Vector start = x_0.cast<Real>();
  Path path{.cones = cones,
            .D = D.cast<Real>() * N,
            .F = E.cast<Real>() * N,
            .y = Vector::Zero(N.cols()),
            .s = E.cast<Real>() * start + e.cast<Real>(),
            .r = D.cast<Real>() * start + b.cast<Real>()};
  path.for_each_cone([&](int first, int) { path.s[first] += slack; });
  const Real degree = 2 * static_cast<Real>(cones.size());
  answer.gap = HUGE_VAL;
  while (answer.gap > gap && path.centre(answer.steps)) {
    answer.gap = static_cast<double>(degree / path.t);
    answer.x = (start + N * path.y).cast<double>();
    Real pulls = 0;
    path.for_each_cone([&](int first, int n) { pulls += Path::pull(path.s.segment(first, n))[0]; });
    answer.widening = static_cast<double>(slack * pulls / path.t);
    path.t *= 10;
  }
  return answer;
}

}  // namespace stiction::testing
