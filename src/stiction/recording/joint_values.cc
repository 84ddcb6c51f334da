#include "stiction/recording/joint_values.h"

#include "stiction/dynamics/joint_rows.h"
#include "stiction/model/joint_traits.h"

namespace stiction::recording {

namespace {

void add_joint(const Joint& joint, int source, int positions, int velocities, JointLayout& layout) {
  layout.names.push_back(joint.name);
  layout.types.emplace_back(joint_type_name(joint.type));
  layout.source.push_back(source);
  layout.position_offset.push_back(layout.position_offset.back() + positions);
  layout.velocity_offset.push_back(layout.velocity_offset.back() + velocities);
}

Vector3 velocity_at(const Kinematics& kinematics, int body, const Vector3& point_W) {
  return body < 0 ? Vector3(Vector3::Zero()) : kinematics.velocity[body].at(point_W - kinematics.com_W[body]);
}

Vector3 angular_velocity(const Kinematics& kinematics, int body) {
  return body < 0 ? Vector3(Vector3::Zero()) : kinematics.velocity[body].angular;
}

// The rate of a free direction: power of its unit load on the child, the opposite on the parent.
void read_loop_joint(const Model& model, const Joint& joint, const Kinematics& kinematics, double* position,
                     double* velocity) {
  const JointRows rows = joint_freedom_rows(model, joint, kinematics);
  const Vector3 linear =
      velocity_at(kinematics, joint.child, rows.point_W) - velocity_at(kinematics, joint.parent, rows.point_W);
  const Vector3 angular = angular_velocity(kinematics, joint.child) - angular_velocity(kinematics, joint.parent);
  for (int r = 0; r < rows.count; ++r) {
    position[r] = rows.rows[r].value;
    velocity[r] = rows.rows[r].force.dot(linear) + rows.rows[r].moment.dot(angular);
  }
}

}  // namespace

JointLayout make_joint_layout(const Model& model) {
  JointLayout layout;
  for (size_t j = 0; j < model.tree_joints.size(); ++j) {
    const Joint& joint = model.tree_joints[j];
    if (!joint.implicit) add_joint(joint, static_cast<int>(j), joint.q_size, joint.v_size, layout);
  }
  for (size_t j = 0; j < model.loop_joints.size(); ++j) {
    const Joint& joint = model.loop_joints[j];
    add_joint(joint, -1 - static_cast<int>(j), joint.v_size, joint.v_size, layout);
  }
  return layout;
}

void read_joints(const Model& model, const State& state, const Kinematics& kinematics, const JointLayout& layout,
                 JointValues& values) {
  values.position.assign(layout.position_offset.back(), 0.0);
  values.velocity.assign(layout.velocity_offset.back(), 0.0);
  for (size_t j = 0; j < layout.names.size(); ++j) {
    double* position = values.position.data() + layout.position_offset[j];
    double* velocity = values.velocity.data() + layout.velocity_offset[j];
    if (layout.source[j] < 0) {
      read_loop_joint(model, model.loop_joints[-1 - layout.source[j]], kinematics, position, velocity);
      continue;
    }
    const Joint& joint = model.tree_joints[layout.source[j]];
    for (int k = 0; k < joint.q_size; ++k) position[k] = state.q[joint.q_offset + k];
    for (int k = 0; k < joint.v_size; ++k) velocity[k] = state.v[joint.v_offset + k];
  }
}

}  // namespace stiction::recording
