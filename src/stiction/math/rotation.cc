#include "stiction/math/rotation.h"

#include <cmath>

namespace stiction {

Quaternion exp_rotation(const Vector3& w) {
  const double half = 0.5 * w.norm();
  // sin(x)/x by its series where the quotient would lose digits; the next term is below 1e-18.
  const double sinc = half < 1e-4 ? 1.0 - half * half / 6.0 : std::sin(half) / half;
  const Vector3 v = 0.5 * sinc * w;
  return Quaternion(std::cos(half), v.x(), v.y(), v.z());
}

Vector3 log_rotation(const Quaternion& rotation) {
  const double sign = rotation.w() < 0 ? -1.0 : 1.0;  // q and -q are one rotation; take the short way
  const Vector3 v = sign * rotation.vec();
  const double sine = v.norm();
  if (sine < 1e-8) return 2.0 * v;
  return (2.0 * std::atan2(sine, sign * rotation.w()) / sine) * v;
}

Vector3 log_rotation(const Matrix3& R) {
  const Vector3 v = 0.5 * Vector3(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));  // sin(angle) times axis
  const double s = v.squaredNorm();
  if (!(s < 1e-3) || !(R.trace() > 1)) return log_rotation(Quaternion(R));
  // arcsin(x) / x by its series; the next term is below 1e-16.
  return (1.0 + s * (1.0 / 6.0 + s * (3.0 / 40.0 + s * (15.0 / 336.0 + s * (105.0 / 3456.0))))) * v;
}

Quaternion integrate_rotation(const Quaternion& orientation, const Vector3& omega_W, double h) {
  return (exp_rotation(h * omega_W) * orientation).normalized();
}

Matrix3 rotation_vector_rate(const Vector3& phi) {
  const double angle2 = phi.squaredNorm();
  const double half = 0.5 * std::sqrt(angle2);
  // (1 - x cot x) / (4 x^2) at x = half; by its series where the difference would lose digits (next term below 1e-17).
  const double c = half < 1e-3 ? 1.0 / 12.0 + angle2 / 720.0 : (1.0 - half / std::tan(half)) / angle2;
  return Matrix3::Identity() - 0.5 * skew(phi) + c * (phi * phi.transpose() - angle2 * Matrix3::Identity());
}

Matrix3 exponential_jacobian(const Vector3& phi) {
  const double angle2 = phi.squaredNorm();
  const double angle = std::sqrt(angle2);
  double b = 0.5 - angle2 / 24.0, c = 1.0 / 6.0 - angle2 / 120.0;
  if (angle > 1e-3) {
    const double sine_half = std::sin(0.5 * angle);
    b = 2.0 * sine_half * sine_half / angle2;
    c = (angle - std::sin(angle)) / (angle2 * angle);
  }
  return Matrix3::Identity() + b * skew(phi) + c * (phi * phi.transpose() - angle2 * Matrix3::Identity());
}

Eigen::Matrix<double, 4, 3> quaternion_rate_map(const Quaternion& orientation) {
  const double w = orientation.w(), x = orientation.x(), y = orientation.y(), z = orientation.z();
  Eigen::Matrix<double, 4, 3> G;
  G << -x, -y, -z, w, z, -y, -z, w, x, y, -x, w;
  return 0.5 * G;
}

Vector3 any_orthogonal(const Vector3& n) {
  // Duff et al. 2017: branch-free basis, discontinuous only where n.z changes sign.
  const double sign = std::copysign(1.0, n.z());
  const double a = -1.0 / (sign + n.z());
  return {1.0 + sign * n.x() * n.x() * a, sign * n.x() * n.y() * a, -sign * n.x()};
}

}  // namespace stiction
