// Maximal coordinates: every simulated body free, every joint a bilateral constraint, as trinkle2003 has it.
//
// Limits, dry friction, springs, dampers and actuators stay with their joint, which is now a loop joint. Armature
// belongs to a joint velocity, which maximal coordinates do not have; it is left out with a warning.
#include <fmt/format.h>

#include "stiction/math/rotation.h"
#include "stiction/model/body_states.h"
#include "stiction/model/build_steps.h"
#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

bool has_armature(const Joint& joint) {
  for (const JointCoordinate& coordinate : joint.coordinates)
    if (coordinate.armature > 0) return true;
  return false;
}

Joint as_loop(Joint joint) {
  joint.q_offset = joint.v_offset = joint.tree = joint.parent_joint = -1;
  joint.q_size = 0;
  return joint;
}

// Where each joint of the reduced model went: >= 0 a tree joint of the maximal model, < 0 the loop joint -1 - value.
std::vector<int> split_joints(const Model& reduced, BuiltModel& result) {
  Model& model = result.model;
  std::vector<int> moved(reduced.tree_joints.size(), 0);
  model.tree_joints.clear();
  model.loop_joints.clear();
  for (size_t b = 0; b < reduced.bodies.size(); ++b) {
    if (reduced.bodies[b].kind != BodyKind::simulated) continue;
    const int old = reduced.bodies[b].joint;
    const Joint& joint = reduced.tree_joints[old];
    const bool is_free_already = is_free(joint.type);
    if (is_free_already) moved[old] = static_cast<int>(model.tree_joints.size());
    model.tree_joints.push_back(is_free_already ? joint : implicit_free_joint(reduced.bodies[b], static_cast<int>(b)));
  }
  for (size_t j = 0; j < reduced.tree_joints.size(); ++j) {
    const Joint& joint = reduced.tree_joints[j];
    if (is_free(joint.type)) continue;
    if (has_armature(joint))
      result.warnings.push_back(fmt::format("'{}': armature is left out in maximal coordinates", joint.name));
    moved[j] = -1 - static_cast<int>(model.loop_joints.size());
    model.loop_joints.push_back(as_loop(joint));
  }
  for (const Joint& joint : reduced.loop_joints) model.loop_joints.push_back(joint);
  return moved;
}

void move_actuators(const std::vector<int>& moved, size_t first_old_loop, Model& model) {
  for (Actuator& actuator : model.actuators) {
    if (actuator.on_loop_joint) {
      actuator.joint += static_cast<int>(first_old_loop);
    } else if (moved[actuator.joint] < 0) {
      actuator.joint = -1 - moved[actuator.joint];
      actuator.on_loop_joint = true;
    } else {
      actuator.joint = moved[actuator.joint];
    }
  }
}

State convert_state(const BuiltModel& reduced, const Model& maximal) {
  const BodyStates states = body_states(reduced.model, reduced.state);
  State state{reduced.state.time, VectorX(maximal.q_size), VectorX(maximal.v_size)};
  for (const Joint& joint : maximal.tree_joints) {
    const Pose& X_WB = states.X_WB[joint.child];
    const Joint& old = reduced.model.tree_joints[reduced.model.bodies[joint.child].joint];
    if (is_free(old.type)) {  // the same numbers, not a round trip through matrices
      state.q.segment<7>(joint.q_offset) = reduced.state.q.segment<7>(old.q_offset);
    } else {
      state.q.segment<3>(joint.q_offset) = X_WB * maximal.bodies[joint.child].com_B;
      store_quaternion(Quaternion(X_WB.R).normalized(), state.q.data() + joint.q_offset + 3);
    }
    state.v.segment<3>(joint.v_offset) = states.velocity[joint.child].linear;
    state.v.segment<3>(joint.v_offset + 3) = states.velocity[joint.child].angular;
  }
  return state;
}

}  // namespace

BuiltModel to_maximal(const BuiltModel& reduced) {
  BuiltModel result = reduced;
  const std::vector<int> moved = split_joints(reduced.model, result);
  move_actuators(moved, result.model.loop_joints.size() - reduced.model.loop_joints.size(), result.model);
  assign_offsets(result.model);
  result.state = convert_state(reduced, result.model);
  return result;
}

}  // namespace stiction
