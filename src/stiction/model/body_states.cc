#include "stiction/model/body_states.h"

#include "stiction/math/rotation.h"
#include "stiction/model/joint_traits.h"
#include "stiction/model/prescribed_motion.h"

namespace stiction {

BodyStates start_body_states(const Model& model, double time) {
  BodyStates states;
  for (const Body& body : model.bodies) {
    states.X_WB.push_back(prescribed_pose(body, time));
    states.velocity.push_back(prescribed_motion(body, time).velocity);
  }
  return states;
}

Matrix6X place_child(const Model& model, const Joint& joint, const VectorX& q, BodyStates& states) {
  const Body& child = model.bodies[joint.child];
  Pose& X_WB = states.X_WB[joint.child];
  const double* joint_q = q.data() + joint.q_offset;
  if (is_free(joint.type)) {
    X_WB.R = load_quaternion(joint_q + 3).toRotationMatrix();
    X_WB.p = Eigen::Map<const Vector3>(joint_q) - X_WB.R * child.com_B;
    return Matrix6::Identity();
  }
  const Pose X_WP = joint.parent == world_index ? Pose{} : states.X_WB[joint.parent];
  const Pose X_WJ = X_WP * joint.X_PJ;
  const Pose X_WJC = X_WJ * joint_pose(joint, joint_q);
  X_WB = X_WJC * joint.X_CJ.inverse();
  Matrix6X S(6, joint.v_size);
  write_motion_subspace(joint_axes(joint, joint_q), X_WJ.R, X_WB * child.com_B - X_WJC.p, S.data());
  return S;
}

Twist carried_twist(const Model& model, const Joint& joint, const BodyStates& states) {
  if (joint.parent == world_index) return {};
  const Vector3 com = states.X_WB[joint.child] * model.bodies[joint.child].com_B;
  const Vector3 parent_com = states.X_WB[joint.parent] * model.bodies[joint.parent].com_B;
  const Twist& parent = states.velocity[joint.parent];
  return {parent.at(com - parent_com), parent.angular};
}

BodyStates body_states(const Model& model, const State& state) {
  BodyStates states = start_body_states(model, state.time);
  for (const Joint& joint : model.tree_joints) {
    const Matrix6X S = place_child(model, joint, state.q, states);
    const Twist carried = carried_twist(model, joint, states);
    const Vector6 relative = S * state.v.segment(joint.v_offset, joint.v_size);
    states.velocity[joint.child] = {carried.linear + relative.head<3>(), carried.angular + relative.tail<3>()};
  }
  return states;
}

}  // namespace stiction
