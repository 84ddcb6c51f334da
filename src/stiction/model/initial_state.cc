// The state a scene starts from: coordinates from the scene's poses, velocities from the joints or from the bodies.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/QR>

#include "stiction/math/rotation.h"
#include "stiction/model/body_states.h"
#include "stiction/model/build_steps.h"
#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

void set_coordinates(const BuildContext& build, size_t index, VectorX& q) {
  const Joint& joint = build.model.tree_joints[index];
  double* joint_q = q.data() + joint.q_offset;
  if (is_free(joint.type)) {
    const Body& child = build.model.bodies[joint.child];
    Eigen::Map<Vector3>(joint_q, 3) = child.X_WB0 * child.com_B;
    store_quaternion(child.orientation0, joint_q + 3);
  } else {
    const JointDescription& description = build.description.joints[build.tree_source[index]];
    reference_coordinates(joint_traits(joint.type), description.reference, joint_q);
  }
}

// The joint velocity that gives the child's centre of mass the velocities stated for the body, by least squares over
// those that are stated; an error when no joint velocity does.
VectorX fitted_velocity(BuildContext& build, const Joint& joint, const Matrix6X& S, const Twist& carried) {
  const BodyDescription& body = build.description.bodies[joint.child];
  Vector6 wanted = Vector6::Zero();
  Matrix6X rows = S;
  double scale = 0;
  const auto state_part = [&](int first, const std::optional<Vector3>& given, const Vector3& base) {
    if (given) {
      wanted.segment<3>(first) = *given - base;
      scale = std::max({scale, given->norm(), base.norm()});
    } else {
      rows.middleRows<3>(first).setZero();
    }
  };
  state_part(0, body.linear_velocity, carried.linear);
  state_part(3, body.angular_velocity, carried.angular);
  VectorX v = VectorX::Zero(joint.v_size);
  if (joint.v_size > 0) v = rows.completeOrthogonalDecomposition().solve(wanted);
  const double residual = (rows * v - wanted).norm();
  if (residual > 1e-9 * scale)
    build.check.fail({body.name, body.line},
                     fmt::format("velocity is not compatible with joint '{}' (off by {:.3g})", joint.name, residual),
                     "Give a velocity that the joint allows, or initial_velocity on the joint.");
  return v;
}

VectorX initial_velocity(BuildContext& build, size_t index, const Matrix6X& S, const Twist& carried) {
  const Joint& joint = build.model.tree_joints[index];
  const int source = build.tree_source[index];
  if (source >= 0 && !build.description.joints[source].initial_velocity.empty()) {
    const std::vector<double>& given = build.description.joints[source].initial_velocity;
    return Eigen::Map<const VectorX>(given.data(), static_cast<Eigen::Index>(given.size()));
  }
  const BodyDescription& body = build.description.bodies[joint.child];
  if (is_free(joint.type)) {
    Vector6 v;
    v << body.linear_velocity.value_or(Vector3::Zero()), body.angular_velocity.value_or(Vector3::Zero());
    return v;
  }
  if (!body.linear_velocity && !body.angular_velocity) return VectorX::Zero(joint.v_size);
  return fitted_velocity(build, joint, S, carried);
}

}  // namespace

void build_initial_state(BuildContext& build) {
  const Model& model = build.model;
  State& state = build.state;
  state.q = VectorX::Zero(model.q_size);
  state.v = VectorX::Zero(model.v_size);
  BodyStates states = start_body_states(model, 0);
  for (size_t i = 0; i < model.tree_joints.size(); ++i) {
    const Joint& joint = model.tree_joints[i];
    set_coordinates(build, i, state.q);
    const Matrix6X S = place_child(model, joint, state.q, states);
    const Twist carried = carried_twist(model, joint, states);
    const VectorX v = initial_velocity(build, i, S, carried);
    state.v.segment(joint.v_offset, joint.v_size) = v;
    const Vector6 relative = S * v;
    states.velocity[joint.child] = {carried.linear + relative.head<3>(), carried.angular + relative.tail<3>()};
  }
}

}  // namespace stiction
