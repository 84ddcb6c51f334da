// Unit quaternions: the kinematic map G(q), the exponential with its derivatives, and an update that keeps the norm.
#pragma once

#include "stiction/math/types.h"

namespace stiction {

/// The rotation by the vector `w` (axis times angle), exact for small and large angles.
Quaternion exp_rotation(const Vector3& w);

/// The rotation vector of `rotation`, of norm at most pi: the inverse of exp_rotation.
Vector3 log_rotation(const Quaternion& rotation);
/// The same, quickly where the angle is small.
Vector3 log_rotation(const Matrix3& rotation);

/// Inverse of the left Jacobian of the exponential map at the rotation vector phi (norm below 2 pi): with R = exp(phi)
/// and dR/dt = [w] R, dphi/dt = this w.
Matrix3 rotation_vector_rate(const Vector3& phi);

/// Left Jacobian of the exponential map: w = this dphi/dt.
Matrix3 exponential_jacobian(const Vector3& phi);

/// `orientation` after turning for the time h at the constant world angular velocity `omega_W`; unit norm to rounding.
Quaternion integrate_rotation(const Quaternion& orientation, const Vector3& omega_W, double h);

/// G(q) of trinkle2003 (6): d[w,x,y,z]/dt = G(q) omega_W. G^T G = I/4, not I as printed (see ERRATA).
Eigen::Matrix<double, 4, 3> quaternion_rate_map(const Quaternion& orientation);

/// Some unit vector orthogonal to the unit vector `n`, a continuous choice away from one pole.
Vector3 any_orthogonal(const Vector3& n);

/// Quaternion from four stored numbers [w, x, y, z].
inline Quaternion load_quaternion(const double* wxyz) {
  return {wxyz[0], wxyz[1], wxyz[2], wxyz[3]};
}

/// Four stored numbers [w, x, y, z] from a quaternion.
inline void store_quaternion(const Quaternion& quaternion, double* wxyz) {
  wxyz[0] = quaternion.w();
  wxyz[1] = quaternion.x();
  wxyz[2] = quaternion.y();
  wxyz[3] = quaternion.z();
}

}  // namespace stiction
