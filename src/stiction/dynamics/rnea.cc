// Outward: accelerations; inward: the wrenches that cause them, carried to the parent's centre of mass.
#include "stiction/dynamics/rnea.h"

#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

// Acceleration of the parent's centre of mass: from the recursion, or prescribed at the root.
Twist parent_acceleration(const Joint& joint, const Kinematics& k, const Recursion& scratch) {
  if (joint.parent_joint >= 0) return scratch.acceleration[joint.parent];
  return joint.parent == world_index ? Twist{} : k.prescribed[joint.parent];
}

void accelerate(const Joint& joint, const Kinematics& k, const VectorX& vdot, Recursion& scratch) {
  Twist& a = scratch.acceleration[joint.child];
  if (is_free(joint.type)) {
    a.linear = vdot.segment<3>(joint.v_offset);
    a.angular = vdot.segment<3>(joint.v_offset + 3);
    return;
  }
  const Twist parent = parent_acceleration(joint, k, scratch);
  const Twist& bias = k.bias[joint.child];
  a.linear = parent.at(k.offset[joint.child]) + bias.linear;
  a.angular = parent.angular + bias.angular;
  for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i) {
    a.linear += vdot[i] * k.S.col(i).head<3>();
    a.angular += vdot[i] * k.S.col(i).tail<3>();
  }
}

// Newton and Euler about the centre of mass.
Wrench inertial_wrench(const Model& model, int body, const Kinematics& k, const Twist& a) {
  const Vector3& omega = k.velocity[body].angular;
  const Matrix3& I = k.inertia_W[body];
  const Vector3 L = I * omega;
  return {model.bodies[body].mass * (a.linear - model.gravity), I * a.angular + omega.cross(L)};
}

void project(const Model& model, const Joint& joint, const Kinematics& k, const VectorX& vdot, Recursion& scratch,
             VectorX& tau) {
  const Wrench& wrench = scratch.wrench[joint.child];
  for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i) {
    const auto S = k.S.col(i);
    tau[i] = S.head<3>().dot(wrench.force) + S.tail<3>().dot(wrench.moment) + model.armature[i] * vdot[i];
  }
  if (joint.parent_joint < 0) return;
  Wrench& parent = scratch.wrench[joint.parent];
  parent.force += wrench.force;
  parent.moment += wrench.moment + k.offset[joint.child].cross(wrench.force);
}

}  // namespace

Recursion make_recursion(const Model& model) {
  const size_t n = model.bodies.size();
  Recursion scratch;
  scratch.acceleration.resize(n);
  scratch.wrench.resize(n);
  scratch.composite.resize(n);
  scratch.articulated.resize(n);
  scratch.gain = Matrix6X::Zero(6, model.v_size);
  scratch.joint_inverse = Eigen::Matrix3Xd::Zero(3, model.v_size);
  scratch.joint_acceleration = VectorX::Zero(model.v_size);
  return scratch;
}

void rnea(const Model& model, std::span<const Joint> joints, const Kinematics& k, const VectorX& vdot,
          std::span<const Wrench> external, Recursion& scratch, VectorX& tau) {
  for (const Joint& joint : joints) {
    accelerate(joint, k, vdot, scratch);
    Wrench& wrench = scratch.wrench[joint.child];
    wrench = inertial_wrench(model, joint.child, k, scratch.acceleration[joint.child]);
    if (external.empty()) continue;
    wrench.force -= external[joint.child].force;
    wrench.moment -= external[joint.child].moment;
  }
  for (size_t j = joints.size(); j-- > 0;) project(model, joints[j], k, vdot, scratch, tau);
}

void rnea(const Model& model, const Kinematics& k, const VectorX& vdot, std::span<const Wrench> external,
          Recursion& scratch, VectorX& tau) {
  rnea(model, std::span<const Joint>(model.tree_joints), k, vdot, external, scratch, tau);
}

}  // namespace stiction
