// build_model: the steps in order, and the small ones.
#include <algorithm>
#include <cmath>

#include "stiction/model/build_steps.h"
#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

void check_actuator(const ActuatorDescription& a, const Item& item, Checker& check) {
  const bool finite = std::isfinite(a.force) && std::isfinite(a.stiffness) && std::isfinite(a.damping) &&
                      std::isfinite(a.target) && std::isfinite(a.target_velocity) && !std::isnan(a.max_force);
  check.require(finite, item, "actuator has a value that is not finite",
                "Give finite numbers (max_force may be infinite).");
  check.require(a.stiffness >= 0, item, "actuator stiffness is negative", "Give a stiffness of zero or more.");
  check.require(a.damping >= 0, item, "actuator damping is negative", "Give a damping of zero or more.");
  check.require(a.max_force > 0, item, "actuator max_force is not positive", "Give a max_force above zero.");
}

// Finds the joint among the tree joints, then among the loop joints.
const Joint* find_joint(const Model& model, const std::string& name, Actuator& actuator) {
  for (const bool loop : {false, true}) {
    const std::vector<Joint>& joints = loop ? model.loop_joints : model.tree_joints;
    for (size_t j = 0; j < joints.size(); ++j) {
      if (joints[j].implicit || joints[j].name != name) continue;
      actuator.joint = static_cast<int>(j);
      actuator.on_loop_joint = loop;
      return &joints[j];
    }
  }
  return nullptr;
}

void add_actuator(BuildContext& build, const ActuatorDescription& d) {
  const Item item{d.name.empty() ? d.joint : d.name, d.line};
  check_actuator(d, item, build.check);
  Actuator a;
  const Joint* joint = find_joint(build.model, d.joint, a);
  if (joint == nullptr) {
    std::vector<std::string> names;
    for (const JointDescription& candidate : build.description.joints) names.push_back(candidate.name);
    build.check.unknown_name(item, "joint", d.joint, names);
    return;
  }
  build.check.require(d.coordinate >= 0 && d.coordinate < joint->v_size, item,
                      "actuator drives a coordinate its joint lacks",
                      "Give a coordinate from 0 to the number of the joint's coordinates less one.");
  a.name = item.name;
  a.coordinate = d.coordinate;
  a.force = d.force;
  a.stiffness = d.stiffness;
  a.damping = d.damping;
  a.target = d.target;
  a.target_velocity = d.target_velocity;
  a.max_force = d.max_force;
  build.model.actuators.push_back(a);
}

}  // namespace

void build_actuators(BuildContext& build) {
  for (const ActuatorDescription& d : build.description.actuators) add_actuator(build, d);
}

void build_shape_pairs(BuildContext& build) {
  Model& model = build.model;
  for (const Joint& joint : model.tree_joints) {  // parents first
    model.bodies[joint.child].moves = joint.v_size > 0 || (joint.parent >= 0 && model.bodies[joint.parent].moves);
  }
  const auto join = [&](const Joint& joint, int source) {
    if (source < 0 || build.description.joints[source].collide || is_free(joint.type)) return;
    if (joint.parent == world_index || joint.child == world_index) return;
    model.joined.emplace_back(std::min(joint.parent, joint.child), std::max(joint.parent, joint.child));
  };
  for (size_t j = 0; j < model.tree_joints.size(); ++j) join(model.tree_joints[j], build.tree_source[j]);
  for (size_t j = 0; j < model.loop_joints.size(); ++j) join(model.loop_joints[j], build.loop_source[j]);
  std::sort(model.joined.begin(), model.joined.end());
  // Contacts are named by two shape indices of 16 bits.
  build.check.require(model.shapes.size() < 65536, {"shapes", 0}, "more than 65535 shapes",
                      "Split the scene, or merge shapes that move together into one.");
}

Result<BuiltModel> build_model(const ModelDescription& description) {
  BuildContext build(description);
  build.model.gravity = description.gravity;
  build.check.require(description.gravity.allFinite(), {"gravity", 0}, "gravity is not finite",
                      "Give three finite numbers.");
  for (const auto step : {build_materials, build_bodies, check_pair_depths, build_joints, build_actuators,
                          build_controllers, build_shape_pairs, build_initial_state}) {
    if (!build.check.failed()) step(build);
  }
  if (build.check.failed()) return failure(build.check.error());
  return BuiltModel{std::move(build.model), std::move(build.state), build.check.take_warnings()};
}

}  // namespace stiction
