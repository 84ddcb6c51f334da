// Names for the vectors and matrices used everywhere. Concrete double; no template unless it pays.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace stiction {

using Vector2 = Eigen::Vector2d;
using Vector3 = Eigen::Vector3d;
using Vector4 = Eigen::Vector4d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using VectorX = Eigen::VectorXd;
using Matrix3 = Eigen::Matrix3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using MatrixX = Eigen::MatrixXd;
using RowMatrixX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Quaternion = Eigen::Quaterniond;  ///< always unit norm; files and State store [w, x, y, z]

/// A frame B seen from a frame A: x_A = R * x_B + p. Named X_AB at boundaries.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();

  Vector3 operator*(const Vector3& x) const { return R * x + p; }
  Pose operator*(const Pose& other) const { return {R * other.R, R * other.p + p}; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// Velocity of a rigid body in world axes: of its centre of mass unless said otherwise, linear part first (paper:
/// nu_j).
struct Twist {
  Vector3 linear = Vector3::Zero();
  Vector3 angular = Vector3::Zero();

  /// Velocity of the body-fixed point that is `arm` away from the reference point.
  Vector3 at(const Vector3& arm) const { return linear + angular.cross(arm); }
};

/// The matrix of the cross product: skew(a) * b = a x b.
inline Matrix3 skew(const Vector3& a) {
  Matrix3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

}  // namespace stiction
