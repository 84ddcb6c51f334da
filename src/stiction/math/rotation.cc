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

Quaternion integrate_rotation(const Quaternion& orientation, const Vector3& omega_W, double h) {
  return (exp_rotation(h * omega_W) * orientation).normalized();
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
