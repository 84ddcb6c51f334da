// Poses, velocities and motion subspaces of all bodies, in world axes about each body's own centre of mass.
//
// Why this frame: the linear part of a free body's velocity is then the one whose momentum is conserved (a tumbling
// projectile follows its parabola to rounding), transforms between bodies are translations only, and no precision is
// lost far from the world's origin. Accelerations are classical (d/dt of the twist above), not spatial.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stiction/math/representation.h"
#include "stiction/model/model.h"
#include "stiction/model/prescribed_motion.h"

namespace stiction {

/// Everything that follows from (Model, q, v, t); each array documents its shape. Sized by make_kinematics.
struct Kinematics {
  std::vector<Pose> X_WB;          ///< bodies: pose of the body's frame
  std::vector<Vector3> com_W;      ///< bodies: centre of mass
  std::vector<Matrix3> inertia_W;  ///< bodies: about the centre of mass, world axes
  /// Simulated bodies: from the parent's centre of mass to its own; zero where there is no parent.
  std::vector<Vector3> offset;
  std::vector<Vector3> arm;     ///< simulated bodies: from the joint origin on the body to its centre of mass
  std::vector<Twist> velocity;  ///< bodies: of the centre of mass
  std::vector<Twist> bias;  ///< bodies: acceleration at zero vdot, relative to the parent's acceleration carried over
  std::vector<Twist> prescribed;  ///< bodies: acceleration of prescribed bodies; zero for others
  Matrix6X S;  ///< 6 x v_size: twist of the joint's child's centre of mass per unit velocity, linear first
};

/// The joints of one tree, parents first; every recursion also works on such a range alone.
inline std::span<const Joint> joints_of(const Model& model, const Tree& tree) {
  return {model.tree_joints.data() + tree.first_joint, static_cast<size_t>(tree.joint_count)};
}

/// Memory for a model.
Kinematics make_kinematics(const Model& model);

/// Fills poses, inertias and S from q and t, then velocities and biases from v. Prescribed bodies move over the coming
/// step by (X(t + h) - X(t)) / h, and their acceleration is the change of that quotient over h; h = 0 takes derivatives
/// instead.
void update_kinematics(const Model& model, const State& state, double h, Kinematics& kinematics);

/// Poses, inertias and S of the bodies of some joints (parents first) at q; their parents' poses must be up to date.
void update_poses(const Model& model, std::span<const Joint> joints, const VectorX& q, Kinematics& kinematics);

/// Poses of fixed and prescribed bodies at a time, their velocities over the step h that starts then.
void update_prescribed(const Model& model, double time, double h, Kinematics& kinematics);

/// Only the velocity-dependent part, for another v at the same configuration.
void update_velocities(const Model& model, const VectorX& v, Kinematics& kinematics);

/// The same for the bodies of one tree.
void update_velocities(std::span<const Joint> joints, const VectorX& v, Kinematics& kinematics);

/// q after moving with velocity v for the time h: quaternions turn by the exponential map and keep their norm (26).
void integrate_positions(const Model& model, const VectorX& v, double h, VectorX& q);

/// The same for some joints.
void integrate_positions(std::span<const Joint> joints, const VectorX& v, double h, VectorX& q);

/// The same with orientations of free and spherical joints advanced in a representation: q + h G(q) v (anitescu1998,
/// section 5); all other coordinates as above. When a joint's orientation is one where the representation is singular,
/// returns that joint's index in Model::tree_joints and leaves q as it is.
[[nodiscard]] std::optional<int> integrate_positions(const Model& model, const VectorX& v, double h,
                                                     Representation representation, VectorX& q);

}  // namespace stiction
