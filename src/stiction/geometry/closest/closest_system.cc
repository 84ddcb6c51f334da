#include "stiction/geometry/closest/closest_system.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense_lu.h"

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
  Matrix3& W = of_A(k) ? W_A_ : W_B_;
  if (multipliers_[k] != 0) W += (multipliers_[k] * length_) * f.hessian;
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
  W_A_.setZero();
  W_B_.setZero();
  Vector3 outward_A = -n_;
  Vector3 outward_B = n_;
  for (int k = 0; k < surface_count(); ++k) {
    multipliers_[k] = unknowns.y[10 + k];
    of_A(k) ? evaluate_surface(k, a_, pair_.level_A, pair_.X_WA.R)
            : evaluate_surface(k, b_, pair_.level_B, pair_.X_WB.R);
    (of_A(k) ? outward_A : outward_B) += multipliers_[k] * gradient_[k];
    set_complementarity(k);
  }
  W_A_ = pair_.X_WA.R * W_A_ * pair_.X_WA.R.transpose();
  W_B_ = pair_.X_WB.R * W_B_ * pair_.X_WB.R.transpose();
  // Along a straight line (a capsule's side) nothing else says how far to go.
  W_A_.diagonal().array() += smoothing_;
  W_B_.diagonal().array() += smoothing_;
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

/// Columns alpha, dg, dlambda, dmu of the active surfaces; rows r_2 (with r_1 and r_3 put in), r_4, active surfaces.
void ClosestSystem::assemble() {
  int n = 4;
  for (int k = 0; k < surface_count(); ++k) n += active_[k];
  matrix_.setZero(n, n);
  beta_by_alpha_ = Matrix3::Identity() + g_ * W_A_;
  matrix_.block<3, 3>(0, 0) = W_B_ * beta_by_alpha_ + W_A_;
  matrix_.block<3, 1>(0, 3) = W_B_ * n_;
  matrix_.block<1, 3>(3, 0) = n_.transpose() * W_A_;
  for (int k = 0, at = 4; k < surface_count(); ++k) {
    if (!active_[k]) continue;
    const Vector3& G = gradient_[k];
    if (of_A(k)) {
      matrix_.block<3, 1>(0, at) = g_ * (W_B_ * G) + G;
      matrix_(3, at) = n_.dot(G);
      matrix_.block<1, 3>(at, 0) = -by_slack_[k] * G.transpose();
    } else {
      matrix_.block<3, 1>(0, at) = G;
      matrix_.block<1, 3>(at, 0) = -by_slack_[k] * G.transpose() * beta_by_alpha_;
      matrix_(at, 3) = -by_slack_[k] * G.dot(n_);
      for (int l = 0, column = 4; l < pair_.A.count; ++l) {
        if (active_[l]) matrix_(at, column++) = -by_slack_[k] * g_ * G.dot(gradient_[l]);
      }
    }
    matrix_(at, at) += by_multiplier_[k];
    ++at;
  }
}

void ClosestSystem::factor() {
  constexpr double singular = 1e-11;
  assemble();
  const int n = static_cast<int>(matrix_.rows());
  lu_ = factor_lu(n, matrix_.data(), n, rows_.data(), singular);
  if (!lu_) factor_least_norm();
}

void ClosestSystem::factor_least_norm(double least) {
  lu_ = false;
  least_ = least;
  assemble();
  if (!matrix_.allFinite()) matrix_.setZero();
  svd_.compute(matrix_, Eigen::ComputeFullU | Eigen::ComputeFullV);
}

void ClosestSystem::solve(const ClosestVector& rhs, ClosestVector& x) const {
  Vector3 r1 = Eigen::Map<const Vector3>(rhs.data());
  Vector3 r2 = Eigen::Map<const Vector3>(rhs.data() + 3);
  for (int k = 0; k < surface_count(); ++k) {
    x[10 + k] = rhs[10 + k];
    if (!active_[k]) (of_A(k) ? r1 : r2) -= rhs[10 + k] * gradient_[k];
  }
  const Vector3 beta_0 = Eigen::Map<const Vector3>(rhs.data() + 6) - g_ * r1;
  Vector z(matrix_.rows());
  z.head<3>() = r2 + r1 - W_B_ * beta_0;
  z[3] = rhs[9] + n_.dot(r1);
  for (int k = 0, at = 4; k < surface_count(); ++k) {
    if (active_[k]) z[at++] = rhs[10 + k] + (of_A(k) ? 0 : by_slack_[k] * gradient_[k].dot(beta_0));
  }
  solve_reduced(z);
  const Vector3 alpha = z.head<3>();
  Vector3 dn = W_A_ * alpha - r1;
  for (int k = 0, at = 4; k < surface_count(); ++k) {
    if (!active_[k]) continue;
    x[10 + k] = z[at++];
    if (of_A(k)) dn += x[10 + k] * gradient_[k];
  }
  Eigen::Map<Vector3>(x.data()) = pair_.X_WA.R.transpose() * alpha;
  const Vector3 r3 = Eigen::Map<const Vector3>(rhs.data() + 6);
  Eigen::Map<Vector3>(x.data() + 3) = pair_.X_WB.R.transpose() * (r3 + alpha + g_ * dn + z[3] * n_);
  Eigen::Map<Vector3>(x.data() + 6) = dn;
  x[9] = z[3];
}

void ClosestSystem::solve_reduced(Vector& z) const {
  const int n = static_cast<int>(z.size());
  if (lu_) return solve_lu(n, matrix_.data(), n, rows_.data(), z.data());
  const auto& sigma = svd_.singularValues();
  Vector y = Vector::Zero(n);
  for (int k = 0; k < n && sigma[k] > least_ * std::min(1.0, sigma[0]); ++k) {
    y += (svd_.matrixU().col(k).dot(z) / sigma[k]) * svd_.matrixV().col(k);
  }
  z = y;
}

}  // namespace stiction::geometry
