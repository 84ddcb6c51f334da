#include "stiction/math/representation.h"

#include <cmath>
#include <numbers>

#include "stiction/base/assert.h"
#include "stiction/math/rotation.h"

namespace stiction {
namespace {

// Half sum and half difference of yaw and roll, as vectors of lengths cos(pitch/2) -+ sin(pitch/2).
struct HalfAngles {
  Vector2 sum, difference;

  explicit HalfAngles(const Quaternion& q)
      : sum(q.w() - q.y(), q.x() + q.z()), difference(q.w() + q.y(), q.z() - q.x()) {}

  double cos_pitch() const { return sum.norm() * difference.norm(); }
};

Vector3 euler_angles(const Quaternion& q) {
  const HalfAngles half(q);
  const double sum = std::atan2(half.sum.y(), half.sum.x());
  const double difference = std::atan2(half.difference.y(), half.difference.x());
  const double pitch = 2 * std::atan2(half.difference.norm(), half.sum.norm()) - std::numbers::pi / 2;
  const auto wrapped = [](double angle) { return std::remainder(angle, 2 * std::numbers::pi); };
  return {wrapped(sum + difference), pitch, wrapped(sum - difference)};
}

Quaternion euler_orientation(const Vector3& x) {
  const auto turn = [](double angle, int axis) {
    Quaternion q(std::cos(0.5 * angle), 0, 0, 0);
    q.vec()[axis] = std::sin(0.5 * angle);
    return q;
  };
  return (turn(x[0], 2) * turn(x[1], 1) * turn(x[2], 0)).normalized();
}

// omega = yaw' e_z + pitch' Rz e_y + roll' Rz Ry e_x, solved for the rates.
Matrix3 euler_rate_map(const Vector3& x) {
  const double cos_yaw = std::cos(x[0]), sin_yaw = std::sin(x[0]);
  const double cos_pitch = std::cos(x[1]), sin_pitch = std::sin(x[1]);
  Matrix3 G;
  G.row(2) << cos_yaw / cos_pitch, sin_yaw / cos_pitch, 0;
  G.row(1) << -sin_yaw, cos_yaw, 0;
  G.row(0) = sin_pitch * G.row(2) + Vector3::UnitZ().transpose();
  return G;
}

// Of x and its shadow the one of norm at most 1: that of the quaternion with w >= 0.
Vector3 rodrigues_vector(const Quaternion& q) {
  return q.w() < 0 ? Vector3(-q.vec() / (1 - q.w())) : Vector3(q.vec() / (1 + q.w()));
}

// A vector that the step took past norm 1 is read through its shadow, which no length can overflow.
Quaternion rodrigues_orientation(const Vector3& x) {
  const double square = x.squaredNorm();
  const bool past = square > 1;
  const Vector3 y = past ? Vector3(x / square) : x;
  const double w = 1 - y.squaredNorm();
  return Quaternion(past ? -w : w, 2 * y.x(), 2 * y.y(), 2 * y.z()).normalized();
}

Matrix3 rodrigues_rate_map(const Vector3& x) {
  return 0.25 * ((1 - x.squaredNorm()) * Matrix3::Identity() - 2 * skew(x) + 2 * x * x.transpose());
}

// Of numbers of any size: their squares need not be finite.
Quaternion normalized_quaternion(const Vector4& wxyz) {
  const Vector4 scaled = wxyz / wxyz.cwiseAbs().maxCoeff();
  return load_quaternion(scaled.data()).normalized();
}

}  // namespace

std::string_view representation_name(Representation representation) {
  switch (representation) {
    case Representation::exponential:
      return "exponential";
    case Representation::quaternion:
      return "quaternion";
    case Representation::matrix:
      return "matrix";
    case Representation::euler:
      return "euler";
    case Representation::rodrigues:
      return "rodrigues";
  }
  return "";
}

OrientationCoordinates orientation_coordinates(Representation representation, const Quaternion& orientation) {
  switch (representation) {
    case Representation::quaternion:
      return Vector4(orientation.w(), orientation.x(), orientation.y(), orientation.z());
    case Representation::matrix: {
      const Matrix3 R = orientation.toRotationMatrix();
      return Eigen::Map<const Eigen::Matrix<double, 9, 1>>(R.data());
    }
    case Representation::euler:
      return euler_angles(orientation);
    case Representation::rodrigues:
      return rodrigues_vector(orientation);
    case Representation::exponential:
      break;
  }
  STICTION_ASSERT(false, "the exponential map has no coordinates");
  return {};
}

OrientationRateMap orientation_rate_map(Representation representation, const OrientationCoordinates& x) {
  switch (representation) {
    case Representation::quaternion:
      return quaternion_rate_map(load_quaternion(x.data()));
    case Representation::matrix: {  // (30), column by column: omega x r = -r* omega
      Eigen::Matrix<double, 9, 3> G;
      for (int column = 0; column < 3; ++column) G.middleRows<3>(3 * column) = -skew(x.segment<3>(3 * column));
      return G;
    }
    case Representation::euler:
      return euler_rate_map(x);
    case Representation::rodrigues:
      return rodrigues_rate_map(x);
    case Representation::exponential:
      break;
  }
  STICTION_ASSERT(false, "the exponential map has no coordinates");
  return {};
}

Quaternion orientation_of(Representation representation, const OrientationCoordinates& x) {
  switch (representation) {
    case Representation::quaternion:
      return normalized_quaternion(x.head<4>());
    case Representation::matrix:
      return Quaternion(nearest_rotation(Eigen::Map<const Matrix3>(x.data()))).normalized();
    case Representation::euler:
      return euler_orientation(x);
    case Representation::rodrigues:
      return rodrigues_orientation(x);
    case Representation::exponential:
      break;
  }
  STICTION_ASSERT(false, "the exponential map has no coordinates");
  return Quaternion::Identity();
}

bool is_singular(Representation representation, const Quaternion& orientation) {
  return representation == Representation::euler && HalfAngles(orientation).cos_pitch() < singular_cos_pitch;
}

Quaternion step_orientation(Representation representation, const Quaternion& orientation, const Vector3& omega,
                            double h) {
  if (representation == Representation::exponential) return integrate_rotation(orientation, omega, h);
  STICTION_DASSERT(!is_singular(representation, orientation), "the caller checks first");
  OrientationCoordinates x = orientation_coordinates(representation, orientation);
  x += h * orientation_rate_map(representation, x).lazyProduct(omega);
  Quaternion next = orientation_of(representation, x);
  // q and -q are one rotation; the stored numbers should not jump.
  if (next.dot(orientation) < 0) next.coeffs() *= -1;
  return next;
}

Matrix3 nearest_rotation(const Matrix3& matrix) {
  // Newton's iteration for X^T X = I (Higham 1986). Its error squares, so the step after a change below 1e-8 is at
  // rounding. A large factor halves with every step: 64 reach any that a double tells from a singular matrix.
  Matrix3 X = matrix;
  double change = 1;
  for (int i = 0; i < 64 && change > 1e-8; ++i) {
    Matrix3 cofactor;
    cofactor << X.col(1).cross(X.col(2)), X.col(2).cross(X.col(0)), X.col(0).cross(X.col(1));
    const Matrix3 next = 0.5 * (X + cofactor / X.col(0).dot(cofactor.col(0)));  // (X + X^-T) / 2
    change = (next - X).norm();
    X = next;
  }
  return X;
}

}  // namespace stiction
