// What a joint does as a function of its coordinates: the pose it makes and the axes its velocities move along.
//
// J(q) is the joint frame on the child seen from the joint frame on the parent, so X_WB(child) = X_WB(parent) X_PJ J(q)
// X_CJ^-1. Every joint but the free one is a sequence of travels followed by turns about the child's joint origin.
#pragma once

#include <array>
#include <span>

#include "stiction/model/model.h"

namespace stiction {

/// The directions of a joint's velocities, in the joint frame on the parent: first travels, then turns about the joint
/// origin on the child.
struct JointAxes {
  std::array<Vector3, 3> axis;
  int linear_count = 0;  ///< travels
  int count = 0;         ///< all
};

/// J(q); `q` are the joint's own coordinates. Not for free joints, whose coordinates are world poses.
Pose joint_pose(const Joint& joint, const double* q);

/// Directions at q. None for free joints.
JointAxes joint_axes(const Joint& joint, const double* q);

/// Writes one column a velocity, the twist of the child's centre of mass (world axes, linear first), to `columns` (6
/// numbers a column). R_WJ is the joint frame on the parent, `arm` leads from the joint origin on the child to its
/// centre of mass.
void write_motion_subspace(const JointAxes& axes, const Matrix3& R_WJ, const Vector3& arm, double* columns);

/// One number a velocity: travels and angles as they are, orientations as rotation vectors. This is what limits,
/// springs and actuators of the joint act on.
void joint_coordinates(const Joint& joint, const double* q, double* values);

/// Inverse of the left Jacobian of the exponential map at the rotation vector phi (norm below 2 pi): with R = exp(phi)
/// and dR/dt = [w] R, dphi/dt = this w.
Matrix3 rotation_vector_rate(const Vector3& phi);

/// Left Jacobian of the exponential map: w = this dphi/dt.
Matrix3 exponential_jacobian(const Vector3& phi);

}  // namespace stiction
