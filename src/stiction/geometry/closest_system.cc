#include "stiction/geometry/closest_system.h"

#include <algorithm>
#include <cmath>

#include "stiction/solvers/dense_lu.h"

namespace stiction::geometry {
namespace {

/// A multiplier above the slack by less than this does not make a surface active: rounding must not choose among the
/// faces that meet in one corner.
constexpr double tie = 1e-13;

}  // namespace

void ClosestSystem::evaluate_surface(int k, const Vector3& x, double level, const Matrix3& R) {
  const ImplicitValue f = evaluate(surface(k), x);
  slack_[k] = -(f.value + level) / length_;
  gradient_[k] = R * f.gradient;
  Matrix3& bend = of_A(k) ? bend_A_ : bend_B_;
  if (multipliers_[k] != 0) bend += (multipliers_[k] * length_) * f.hessian;
}

void ClosestSystem::set_complementarity(int k) {
  const double lambda = multipliers_[k];
  const double slack = slack_[k];
  if (smoothing_ > 0 && !equality(k)) {
    const double root = std::hypot(lambda - slack, 2 * smoothing_);
    active_[k] = true;
    residual_[10 + k] = (lambda + slack - root) / 2;
    by_slack_[k] = (1 + (lambda - slack) / root) / 2;
    by_multiplier_[k] = 1 - by_slack_[k];
    return;
  }
  active_[k] = equality(k) || slack < lambda - tie;
  residual_[10 + k] = surface(k).held ? -slack : equality(k) ? slack : std::min(lambda, slack);
  by_slack_[k] = surface(k).held ? -1 : 1;
  by_multiplier_[k] = 0;
}

void ClosestSystem::evaluate_at(const ClosestUnknowns& unknowns) {
  a_ = Eigen::Map<const Vector3>(unknowns.y.data());
  b_ = Eigen::Map<const Vector3>(unknowns.y.data() + 3);
  n_ = Eigen::Map<const Vector3>(unknowns.y.data() + 6);
  g_ = unknowns.y[9] / length_;
  p_AB_ = pair_.X_WB.p - pair_.X_WA.p;
  bend_A_.setZero();
  bend_B_.setZero();
  Vector3 outward_A = -n_;
  Vector3 outward_B = n_;
  for (int k = 0; k < surface_count(); ++k) {
    multipliers_[k] = unknowns.y[10 + k];
    of_A(k) ? evaluate_surface(k, a_, pair_.level_A, pair_.X_WA.R)
            : evaluate_surface(k, b_, pair_.level_B, pair_.X_WB.R);
    (of_A(k) ? outward_A : outward_B) += multipliers_[k] * gradient_[k];
    set_complementarity(k);
  }
  bend_A_ = pair_.X_WA.R * bend_A_;
  bend_B_ = pair_.X_WB.R * bend_B_;
  const Vector3 apart = (p_AB_ + pair_.X_WB.R * b_ - pair_.X_WA.R * a_) / length_ - g_ * n_;
  for (int i = 0; i < 3; ++i) {
    residual_[i] = outward_A[i];
    residual_[3 + i] = outward_B[i];
    residual_[6 + i] = apart[i];
  }
  residual_[9] = (n_.squaredNorm() - 1) / 2;
}

double ClosestSystem::residual_norm() const {
  return Eigen::Map<const VectorX>(residual_.data(), size()).norm();
}

double ClosestSystem::rounding() const {
  constexpr double floor = 1e-13;
  constexpr double unit = 4e-16;
  return std::max(floor, unit * (p_AB_.norm() + a_.norm() + b_.norm()) / length_);
}

void ClosestSystem::settle_active_set() {
  for (int k = 0; k < surface_count(); ++k) active_[k] = equality(k) || multipliers_[k] > std::max(slack_[k], 1e-10);
}

/// Rows as the residual, those of surfaces that are not active left out; columns likewise.
void ClosestSystem::assemble() {
  int n = 10;
  for (int k = 0; k < surface_count(); ++k) n += active_[k];
  matrix_.setZero(n, n);
  const Matrix3& R_A = pair_.X_WA.R;
  const Matrix3& R_B = pair_.X_WB.R;
  matrix_.block<3, 3>(0, 0) = bend_A_;
  matrix_.block<3, 3>(3, 3) = bend_B_;
  for (int i = 0; i < 3; ++i) {
    matrix_(i, 6 + i) = -1;
    matrix_(3 + i, 6 + i) = 1;
    matrix_(6 + i, 6 + i) = -g_;
    matrix_(6 + i, 9) = -n_[i];
    matrix_(9, 6 + i) = n_[i];
  }
  matrix_.block<3, 3>(6, 0) = -R_A;
  matrix_.block<3, 3>(6, 3) = R_B;
  int at = 10;
  for (int k = 0; k < surface_count(); ++k) {
    if (!active_[k]) continue;
    const int body = of_A(k) ? 0 : 3;
    matrix_.block<3, 1>(body, at) = gradient_[k];
    matrix_.block<1, 3>(at, body) = -by_slack_[k] * gradient_[k].transpose() * (of_A(k) ? R_A : R_B);
    matrix_(at, at) = by_multiplier_[k];
    ++at;
  }
}

void ClosestSystem::factor(double singular) {
  assemble();
  const int n = static_cast<int>(matrix_.rows());
  lu_ = solvers::factor_lu(n, matrix_.data(), n, rows_.data(), singular);
  if (!lu_) factor_least_norm();
}

void ClosestSystem::factor_least_norm() {
  constexpr double rank_threshold = 1e-7;
  lu_ = false;
  assemble();
  least_norm_.setThreshold(rank_threshold);
  least_norm_.compute(matrix_);
}

void ClosestSystem::solve(const ClosestVector& rhs, ClosestVector& x) const {
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, max_closest_unknowns, 1> z(matrix_.rows());
  std::copy_n(rhs.begin(), 10, z.data());
  for (int k = 0, at = 10; k < surface_count(); ++k) {
    if (active_[k]) {
      z[at++] = rhs[10 + k];
    } else {
      z.segment<3>(of_A(k) ? 0 : 3) -= rhs[10 + k] * gradient_[k];
    }
  }
  if (lu_) {
    solvers::solve_lu(static_cast<int>(z.size()), matrix_.data(), static_cast<int>(z.size()), rows_.data(), z.data());
  } else {
    z = least_norm_.solve(z).eval();
  }
  std::copy_n(z.data(), 10, x.begin());
  for (int k = 0, at = 10; k < surface_count(); ++k) x[10 + k] = active_[k] ? z[at++] : rhs[10 + k];
}

}  // namespace stiction::geometry
