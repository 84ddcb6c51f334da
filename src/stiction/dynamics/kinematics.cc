// Forward recursion over the tree joints. With r = com - joint origin, o = offset from the parent's centre of mass, u
// and w the joint's own travel and turn, V_p = (v_p, w_p) the parent's twist:
//   v = v_p + w_p x o + u + w x r,                 omega = w_p + w
//   bias: w_p x (v - v_p) + w_p x u + wdot x r + w x (omega x r),  wdot,    wdot = w_p x w (+ a1 x a2 q1' q2' for a
//   universal)
// because every axis is fixed in the parent, except a universal joint's second one.
#include "stiction/dynamics/kinematics.h"

#include "stiction/math/rotation.h"
#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

void place_free(const Body& body, const double* q, int child, Kinematics& k) {
  Pose& X_WB = k.X_WB[child];
  X_WB.R = load_quaternion(q + 3).toRotationMatrix();
  k.com_W[child] = Eigen::Map<const Vector3>(q);
  X_WB.p = k.com_W[child] - X_WB.R * body.com_B;
}

void place_jointed(const Body& body, const Joint& joint, const double* q, Kinematics& k) {
  static const Pose world;
  const int child = joint.child;
  const Pose X_WJ = (joint.parent == world_index ? world : k.X_WB[joint.parent]) * joint.X_PJ;
  const Pose J = joint_pose(joint, q);
  const Vector3 origin = X_WJ * J.p;
  const Matrix3 R_WJC = X_WJ.R * J.R;
  Pose& X_WB = k.X_WB[child];
  X_WB.R.noalias() = R_WJC * joint.X_CJ.R.transpose();
  k.arm[child].noalias() = X_WB.R * (body.com_B - joint.X_CJ.p);
  X_WB.p = origin - X_WB.R * joint.X_CJ.p;
  k.com_W[child] = origin + k.arm[child];
  if (joint.parent != world_index) k.offset[child] = k.com_W[child] - k.com_W[joint.parent];
  write_motion_subspace(joint_axes(joint, q), X_WJ.R, k.arm[child], k.S.data() + 6 * joint.v_offset);
}

// R I R^T, symmetric to the bit.
void turn_inertia(const Body& body, const Matrix3& R, Matrix3& inertia_W) {
  const Matrix3 half = R * body.inertia_B;
  inertia_W.noalias() = half * R.transpose();
  inertia_W(1, 0) = inertia_W(0, 1);
  inertia_W(2, 0) = inertia_W(0, 2);
  inertia_W(2, 1) = inertia_W(1, 2);
}

void place_prescribed(const Body& body, int index, double time, double h, Kinematics& k) {
  k.X_WB[index] = prescribed_pose(body, time);
  k.com_W[index] = k.X_WB[index] * body.com_B;
  if (body.kind == BodyKind::fixed) return;
  if (h == 0) {
    const PrescribedMotion motion = prescribed_motion(body, time);
    k.velocity[index] = motion.velocity;
    k.prescribed[index] = motion.acceleration;
    return;
  }
  const Twist next = prescribed_mean_twist(body, time, h), last = prescribed_mean_twist(body, time - h, h);
  k.velocity[index] = next;
  k.prescribed[index] = {(next.linear - last.linear) / h, (next.angular - last.angular) / h};
}

void move_free(const Joint& joint, const VectorX& v, Kinematics& k) {
  k.velocity[joint.child] = {v.segment<3>(joint.v_offset), v.segment<3>(joint.v_offset + 3)};
}

void move_jointed(const Joint& joint, const VectorX& v, Kinematics& k) {
  static const Twist at_rest;
  const int child = joint.child;
  const Twist& parent = joint.parent == world_index ? at_rest : k.velocity[joint.parent];
  Vector3 linear = Vector3::Zero(), w = Vector3::Zero();
  for (int i = joint.v_offset; i < joint.v_offset + joint.v_size; ++i) {
    linear += v[i] * k.S.col(i).head<3>();
    w += v[i] * k.S.col(i).tail<3>();
  }
  const Vector3& arm = k.arm[child];
  const Vector3& w_p = parent.angular;
  const Vector3 from_parent = w_p.cross(k.offset[child]) + linear;  // v - v_p
  Twist& velocity = k.velocity[child];
  velocity.linear = parent.linear + from_parent;
  velocity.angular = w_p + w;
  Vector3 wdot = w_p.cross(w);
  if (joint_traits(joint.type).second_axis == SecondAxis::turn) {
    const int i = joint.v_offset;
    wdot += (v[i] * v[i + 1]) * k.S.col(i).tail<3>().cross(k.S.col(i + 1).tail<3>());
  }
  const Vector3 travel = linear - w.cross(arm);
  k.bias[child].linear = w_p.cross(from_parent + travel) + wdot.cross(arm) + w.cross(velocity.angular.cross(arm));
  k.bias[child].angular = wdot;
}

void move_joint(const Joint& joint, const VectorX& v, double h, Representation representation, VectorX& q) {
  double* joint_q = q.data() + joint.q_offset;
  const double* joint_v = v.data() + joint.v_offset;
  const JointTraits& traits = joint_traits(joint.type);
  const int first = traits.vector_size;
  for (int i = 0; i < first; ++i) joint_q[i] += h * joint_v[i];
  if (!traits.quaternion) return;
  const Vector3 omega = Eigen::Map<const Vector3>(joint_v + first);
  const Quaternion orientation = load_quaternion(joint_q + first);
  store_quaternion(step_orientation(representation, orientation, omega, h), joint_q + first);
}

}  // namespace

Kinematics make_kinematics(const Model& model) {
  const size_t n = model.bodies.size();
  Kinematics k;
  k.X_WB.resize(n);
  k.com_W.assign(n, Vector3::Zero());
  k.inertia_W.assign(n, Matrix3::Zero());
  k.offset.assign(n, Vector3::Zero());
  k.arm.assign(n, Vector3::Zero());
  k.velocity.resize(n);
  k.bias.resize(n);
  k.prescribed.resize(n);
  k.S = Matrix6X::Zero(6, model.v_size);
  for (const Joint& joint : model.tree_joints)
    if (is_free(joint.type)) k.S.middleCols<6>(joint.v_offset).setIdentity();
  return k;
}

void update_prescribed(const Model& model, double time, double h, Kinematics& k) {
  for (size_t b = 0; b < model.bodies.size(); ++b)
    if (model.bodies[b].kind != BodyKind::simulated) place_prescribed(model.bodies[b], static_cast<int>(b), time, h, k);
}

void update_poses(const Model& model, std::span<const Joint> joints, const VectorX& q, Kinematics& k) {
  for (const Joint& joint : joints) {
    const Body& body = model.bodies[joint.child];
    const double* joint_q = q.data() + joint.q_offset;
    if (is_free(joint.type)) {
      place_free(body, joint_q, joint.child, k);
    } else {
      place_jointed(body, joint, joint_q, k);
    }
    turn_inertia(body, k.X_WB[joint.child].R, k.inertia_W[joint.child]);
  }
}

void update_kinematics(const Model& model, const State& state, double h, Kinematics& k) {
  update_prescribed(model, state.time, h, k);
  update_poses(model, model.tree_joints, state.q, k);
  update_velocities(model, state.v, k);
}

void update_velocities(const Model& model, const VectorX& v, Kinematics& k) {
  update_velocities(std::span<const Joint>(model.tree_joints), v, k);
}

void update_velocities(std::span<const Joint> joints, const VectorX& v, Kinematics& k) {
  for (const Joint& joint : joints) {
    if (is_free(joint.type)) {
      move_free(joint, v, k);
    } else {
      move_jointed(joint, v, k);
    }
  }
}

void integrate_positions(const Model& model, const VectorX& v, double h, VectorX& q) {
  integrate_positions(std::span<const Joint>(model.tree_joints), v, h, q);
}

void integrate_positions(std::span<const Joint> joints, const VectorX& v, double h, VectorX& q) {
  for (const Joint& joint : joints) move_joint(joint, v, h, Representation::exponential, q);
}

std::optional<int> integrate_positions(const Model& model, const VectorX& v, double h, Representation representation,
                                       VectorX& q) {
  for (size_t j = 0; j < model.tree_joints.size(); ++j) {
    const Joint& joint = model.tree_joints[j];
    const JointTraits& traits = joint_traits(joint.type);
    if (!traits.quaternion) continue;
    const double* const quaternion = q.data() + joint.q_offset + traits.vector_size;
    if (is_singular(representation, load_quaternion(quaternion))) return static_cast<int>(j);
  }
  for (const Joint& joint : model.tree_joints) move_joint(joint, v, h, representation, q);
  return std::nullopt;
}

}  // namespace stiction
