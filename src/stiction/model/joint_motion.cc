#include "stiction/model/joint_motion.h"

#include <cmath>

#include "stiction/math/rotation.h"

namespace stiction {
namespace {

Matrix3 turn(const Vector3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

}  // namespace

Pose joint_pose(const Joint& joint, const double* q) {
  switch (joint.type) {
    case JointType::revolute:
      return {turn(joint.axis, q[0]), Vector3::Zero()};
    case JointType::prismatic:
      return {Matrix3::Identity(), joint.axis * q[0]};
    case JointType::cylindrical:
      return {turn(joint.axis, q[1]), joint.axis * q[0]};
    case JointType::universal:
      return {turn(joint.axis, q[0]) * turn(joint.axis2, q[1]), Vector3::Zero()};
    case JointType::planar:
      return {turn(joint.axis, q[2]), joint.axis2 * q[0] + joint.axis.cross(joint.axis2) * q[1]};
    case JointType::spherical:
      return {load_quaternion(q).toRotationMatrix(), Vector3::Zero()};
    case JointType::fixed:
    case JointType::free:
      break;
  }
  return {};
}

JointAxes joint_axes(const Joint& joint, const double* q) {
  JointAxes axes;
  switch (joint.type) {
    case JointType::revolute:
      axes.axis[0] = joint.axis;
      axes.count = 1;
      break;
    case JointType::prismatic:
      axes.axis[0] = joint.axis;
      axes.linear_count = axes.count = 1;
      break;
    case JointType::cylindrical:
      axes.axis[0] = axes.axis[1] = joint.axis;
      axes.linear_count = 1;
      axes.count = 2;
      break;
    case JointType::universal:
      axes.axis[0] = joint.axis;
      axes.axis[1] = turn(joint.axis, q[0]) * joint.axis2;
      axes.count = 2;
      break;
    case JointType::planar:
      axes.axis = {joint.axis2, joint.axis.cross(joint.axis2), joint.axis};
      axes.linear_count = 2;
      axes.count = 3;
      break;
    case JointType::spherical:
      axes.axis = {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
      axes.count = 3;
      break;
    case JointType::fixed:
    case JointType::free:
      break;
  }
  return axes;
}

void write_motion_subspace(const JointAxes& axes, const Matrix3& R_WJ, const Vector3& arm, double* columns) {
  for (int k = 0; k < axes.count; ++k) {
    const Vector3 axis_W = R_WJ * axes.axis[k];
    Eigen::Map<Vector3> linear(columns + 6 * k), angular(columns + 6 * k + 3);
    if (k < axes.linear_count) {
      linear = axis_W;
      angular.setZero();
    } else {
      linear = axis_W.cross(arm);
      angular = axis_W;
    }
  }
}

void joint_coordinates(const Joint& joint, const double* q, double* values) {
  if (joint.type == JointType::spherical) {
    Eigen::Map<Vector3> rotation(values);
    rotation = log_rotation(load_quaternion(q));
  } else if (joint.type == JointType::free) {
    Eigen::Map<Vector3> position(values), rotation(values + 3);
    position = Eigen::Map<const Vector3>(q);
    rotation = log_rotation(load_quaternion(q + 3));
  } else {
    for (int k = 0; k < joint.v_size; ++k) values[k] = q[k];
  }
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

}  // namespace stiction
