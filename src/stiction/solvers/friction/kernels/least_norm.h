// Small systems that may be singular, in extended precision.
#pragma once

#include <cmath>

#include <Eigen/LU>
#include <Eigen/QR>

namespace stiction::solvers {

/// K x = b by LU of D K D, D = K_ii^(-1/2) (multipliers span many decades); where that is singular, the x with the
/// least |D^-1 x| (which allocates).
template <class Matrix, class Vector>
class LeastNorm {
 public:
  using Real = typename Matrix::Scalar;
  LeastNorm(const Matrix& K, Real singular) : K_(K) {
    const int n = static_cast<int>(K.rows());
    scale_.resize(n);
    for (int i = 0; i < n; ++i) scale_[i] = K(i, i) > 0 ? 1 / std::sqrt(K(i, i)) : Real(1);
    const Matrix scaled = scale_.asDiagonal() * K * scale_.asDiagonal();
    factor_.compute(scaled);
    regular_ = factor_.matrixLU().diagonal().cwiseAbs().minCoeff() > singular;
    if (regular_) return;
    complete_.setThreshold(singular);
    complete_.compute(scaled);
  }
  /// Is K regular?
  bool regular() const { return regular_; }
  /// x with K x = b.
  Vector solve(const Vector& b) const {
    const Vector scaled = scale_.cwiseProduct(b);
    const Vector x = regular_ ? Vector(factor_.solve(scaled)) : Vector(complete_.solve(scaled));
    return scale_.cwiseProduct(x);
  }
  /// x moved by the least that makes K x = b.
  Vector nearest(const Vector& x, const Vector& b) const { return x + solve(b - K_ * x); }

 private:
  const Matrix& K_;
  Vector scale_;
  Eigen::PartialPivLU<Matrix> factor_;
  Eigen::CompleteOrthogonalDecomposition<Matrix> complete_;
  bool regular_ = false;
};

}  // namespace stiction::solvers
