// build_model: controllers, one coordinate each.
#include <cmath>

#include <fmt/format.h>

#include "stiction/model/build_steps.h"
#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

void check_controller(const ControllerDescription& d, const Item& item, Checker& check) {
  bool finite = std::isfinite(d.offset) && std::isfinite(d.velocity) && std::isfinite(d.acceleration.value_or(0)) &&
                std::isfinite(d.stiffness) && std::isfinite(d.damping) && !std::isnan(d.max_force);
  for (const TrajectoryTerm& term : d.terms)
    finite = finite && std::isfinite(term.amplitude) && std::isfinite(term.frequency) && std::isfinite(term.phase);
  check.require(finite, item, "controller has a value that is not finite",
                "Give finite numbers (max_force may be infinite).");
  check.require(d.stiffness >= 0, item, "controller stiffness is negative", "Give a stiffness of zero or more.");
  check.require(d.damping >= 0, item, "controller damping is negative", "Give a damping of zero or more.");
  check.require(d.max_force > 0, item, "controller max_force is not positive", "Give a max_force above zero.");
  const bool follows = d.offset != 0 || d.velocity != 0 || !d.terms.empty() || d.stiffness > 0;
  check.require(!d.acceleration || !follows, item, "controller wants an acceleration and a trajectory at once",
                "Leave out acceleration, or leave out offset, velocity, trajectory and stiffness.");
}

// Index of a tree joint of that name, or -1.
int find_tree_joint(const Model& model, const std::string& name) {
  for (size_t j = 0; j < model.tree_joints.size(); ++j)
    if (!model.tree_joints[j].implicit && model.tree_joints[j].name == name) return static_cast<int>(j);
  return -1;
}

bool closes_loop(const Model& model, const std::string& name) {
  for (const Joint& joint : model.loop_joints)
    if (joint.name == name) return true;
  return false;
}

// Why the joint cannot be driven; null when it can.
const char* undrivable(const Joint& joint, int coordinate) {
  if (joint_traits(joint.type).quaternion) return "joint has no coordinate to follow";
  if (coordinate < 0 || coordinate >= joint.v_size) return "controller drives a coordinate its joint lacks";
  return nullptr;
}

// "revolute, prismatic or planar", say: the types whose coordinates a controller can follow.
std::string drivable_types() {
  std::vector<std::string_view> names;
  for (const JointTraits& traits : all_joint_traits())
    if (!traits.quaternion && traits.vector_size > 0) names.push_back(traits.name);
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

void add_controller(BuildContext& build, const ControllerDescription& d) {
  const Item item{d.name.empty() ? d.joint : d.name, d.line};
  check_controller(d, item, build.check);
  const int joint = find_tree_joint(build.model, d.joint);
  if (joint < 0 && closes_loop(build.model, d.joint)) {
    return build.check.fail(item, fmt::format("joint '{}' closes a loop: inverse dynamics cannot drive it", d.joint),
                            "Drive a joint of the tree, or take an [[actuator]].");
  }
  if (joint < 0) {
    std::vector<std::string> names;
    for (const JointDescription& candidate : build.description.joints) names.push_back(candidate.name);
    build.check.unknown_name(item, "joint", d.joint, names);
    return;
  }
  const char* const trouble = undrivable(build.model.tree_joints[joint], d.coordinate);
  if (trouble != nullptr)
    build.check.fail(item, trouble, fmt::format("Name a {} joint and one of its coordinates.", drivable_types()));
  for (const Controller& other : build.model.controllers) {
    if (other.joint != joint || other.coordinate != d.coordinate) continue;
    build.check.fail(item, fmt::format("controller '{}' drives the same coordinate", other.name),
                     "Leave one of them out.");
  }
  build.model.controllers.push_back({.name = item.name,
                                     .joint = joint,
                                     .coordinate = d.coordinate,
                                     .offset = d.offset,
                                     .velocity = d.velocity,
                                     .terms = d.terms,
                                     .acceleration = d.acceleration,
                                     .stiffness = d.stiffness,
                                     .damping = d.damping,
                                     .max_force = d.max_force,
                                     .line = d.line});
}

}  // namespace

void build_controllers(BuildContext& build) {
  for (const ControllerDescription& d : build.description.controllers) add_controller(build, d);
}

}  // namespace stiction
