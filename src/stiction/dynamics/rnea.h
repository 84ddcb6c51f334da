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

/// Scratch of the recursions, one entry a body. Sized by make_recursion.
struct Recursion {
  std::vector<Twist> acceleration;
  std::vector<Wrench> wrench;
  std::vector<Matrix6> inertia;
  std::vector<double> joint;  ///< ABA: U (6 x v_size), D^-1, u
};

Recursion make_recursion(const Model& model);

/// tau = M vdot + c(q, v) - gravity - external wrenches (one a body, or empty); armature included; joint springs and
/// dampers are not.
void rnea(const Model& model, const Kinematics& kinematics, const VectorX& vdot, std::span<const Wrench> external,
          Recursion& scratch, VectorX& tau);

}  // namespace stiction
