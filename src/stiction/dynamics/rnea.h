// Recursive Newton-Euler: the joint forces that a motion needs.
#pragma once

#include <span>

#include "stiction/dynamics/kinematics.h"

namespace stiction {

/// A force and a moment at a body's centre of mass, world axes.
struct Wrench {
  Vector3 force = Vector3::Zero();
  Vector3 moment = Vector3::Zero();
};

/// Bodies that move as one: total mass, mass times centre and inertia, both about the centre of mass of the first body.
struct CompositeInertia {
  double mass = 0;
  Vector3 first_moment = Vector3::Zero();
  Matrix3 inertia = Matrix3::Zero();
};

/// The force and moment that an acceleration of the body takes when the joints beyond it are free to move.
struct ArticulatedInertia {
  Matrix3 linear = Matrix3::Zero();  ///< force per linear acceleration
  /// Force per angular acceleration; its transpose: moment per linear acceleration.
  Matrix3 coupling = Matrix3::Zero();
  Matrix3 angular = Matrix3::Zero();  ///< moment per angular acceleration
};

/// Scratch of the recursions; one entry per body unless said otherwise. Sized by make_recursion.
struct Recursion {
  std::vector<Twist> acceleration;
  std::vector<Wrench> wrench;
  std::vector<CompositeInertia> composite;      ///< CRBA
  std::vector<ArticulatedInertia> articulated;  ///< ABA
  Matrix6X gain;                                ///< ABA, 6 x v_size: U D^-1; of a free joint the factor of D
  Eigen::Matrix3Xd joint_inverse;               ///< ABA, 3 x v_size: D^-1, but for free joints
  VectorX joint_acceleration;                   ///< ABA, v_size: D^-1 u
};

/// Memory for a model.
Recursion make_recursion(const Model& model);

/// tau = M vdot + c(q, v) - gravity - external wrenches (one per body, or empty); armature included; joint springs and
/// dampers are not.
void rnea(const Model& model, const Kinematics& kinematics, const VectorX& vdot, std::span<const Wrench> external,
          Recursion& scratch, VectorX& tau);

/// The same for one tree; vdot and tau are those of the whole model, of which only the tree's part is used.
void rnea(const Model& model, std::span<const Joint> joints, const Kinematics& kinematics, const VectorX& vdot,
          std::span<const Wrench> external, Recursion& scratch, VectorX& tau);

}  // namespace stiction
