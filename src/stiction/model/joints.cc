// Joints: checks, axes, frames, and which of them span the tree.
//
// A joint closes a loop when it says so, when its child is not simulated, or when its child has a tree joint already.
#include <cmath>

#include <fmt/format.h>

#include "stiction/model/build_steps.h"
#include "stiction/model/joint_traits.h"
#include "stiction/model/prescribed_motion.h"

namespace stiction {
namespace {

constexpr int unknown_body = -2;

int resolve_body(BuildContext& build, const Item& item, const std::string& name) {
  if (name == "world") return world_index;
  const auto found = build.body_index.find(name);
  if (found != build.body_index.end()) return found->second;
  std::vector<std::string> names = {"world"};
  for (const Body& body : build.model.bodies) names.push_back(body.name);
  build.check.unknown_name(item, "body", name, names);
  return unknown_body;
}

void check_coordinate(const JointCoordinate& c, const Item& item, Checker& check) {
  const bool numbers = !std::isnan(c.limits[0]) && !std::isnan(c.limits[1]) && std::isfinite(c.friction) &&
                       std::isfinite(c.damping) && std::isfinite(c.stiffness) && std::isfinite(c.rest) &&
                       std::isfinite(c.armature);
  check.require(numbers, item, "joint has a value that is not finite", "Give finite numbers (limits may be infinite).");
  check.require(c.limits[0] <= c.limits[1], item, "joint limits are reversed", "Give limits = [lower, upper].");
  check.require(c.friction >= 0, item, "joint friction is negative", "Give a friction of zero or more.");
  check.require(c.damping >= 0, item, "joint damping is negative", "Give a damping of zero or more.");
  check.require(c.stiffness >= 0, item, "joint stiffness is negative", "Give a stiffness of zero or more.");
  check.require(c.armature >= 0, item, "joint armature is negative", "Give an armature of zero or more.");
}

void check_count(size_t count, int wanted, const char* key, const JointDescription& d, Checker& check) {
  if (count == 0 || static_cast<int>(count) == wanted) return;
  check.fail({d.name, d.line}, fmt::format("joint has {} values of {}, not {}", count, key, wanted),
             fmt::format("A {} joint has {} coordinates; give one value for each.", joint_type_name(d.type), wanted));
}

void check_numbers(const JointDescription& d, const Item& item, Checker& check) {
  check.require(d.position.allFinite(), item, "joint position is not finite", "Give three finite numbers.");
  const JointTraits& traits = joint_traits(d.type);
  check_count(d.coordinates.size(), traits.v_size(), "coordinates", d, check);
  check_count(d.initial_velocity.size(), traits.v_size(), "initial_velocity", d, check);
  check_count(d.reference.size(), traits.v_size(), "reference", d, check);
  if (traits.quaternion && !d.reference.empty())
    check.fail(item, fmt::format("a {} joint has a reference", traits.name),
               "Remove it: the scene's poses show these joints as they start.");
  for (const auto* numbers : {&d.initial_velocity, &d.reference})
    for (double x : *numbers)
      check.require(std::isfinite(x), item, "joint has a value that is not finite", "Give finite numbers.");
  for (const JointCoordinate& coordinate : d.coordinates) check_coordinate(coordinate, item, check);
}

bool simulated(const Model& model, int body) {
  return body != world_index && model.bodies[body].kind == BodyKind::simulated;
}

// At time zero; a prescribed body is where its motion puts it.
Pose start_pose(const Model& model, int body) {
  return body == world_index ? Pose{} : prescribed_pose(model.bodies[body], 0);
}

// The poses of the scene show the joint at its reference coordinates, which places the joint frame on the child.
void set_frames(const Model& model, const JointDescription& d, const Quaternion& orientation, Joint& joint) {
  joint.X_PJ = {orientation.toRotationMatrix(), d.position};
  if (is_free(joint.type)) return;
  std::array<double, 4> q;
  reference_coordinates(joint_traits(joint.type), d.reference, q.data());
  const Pose X_WJ = start_pose(model, joint.parent) * joint.X_PJ * joint_pose(joint, q.data());
  joint.X_CJ = start_pose(model, joint.child).inverse() * X_WJ;
}

Joint make_joint(BuildContext& build, const JointDescription& d) {
  Checker& check = build.check;
  Joint joint;
  joint.name = d.name.empty() ? d.parent + "-" + d.child : d.name;
  const Item item{joint.name, d.line};
  joint.type = d.type;
  joint.v_size = joint_traits(d.type).v_size();
  joint.parent = resolve_body(build, item, d.parent);
  joint.child = resolve_body(build, item, d.child);
  if (check.failed()) return joint;
  check.require(joint.parent != joint.child, item, "joint joins a body to itself", "Name two different bodies.");
  check.require(simulated(build.model, joint.parent) || simulated(build.model, joint.child), item,
                "joint joins two bodies that are not simulated", "Remove the joint, or let one of the bodies move.");
  check_numbers(d, item, check);
  set_joint_constants(d, item, check, joint);
  const Quaternion orientation = check.unit(d.orientation, item);
  if (check.failed()) return joint;
  joint.coordinates = d.coordinates;
  joint.coordinates.resize(joint.v_size);
  set_frames(build.model, d, orientation, joint);
  return joint;
}

bool closes_loop(const Model& model, const JointDescription& d, const Joint& joint,
                 const std::vector<bool>& has_joint) {
  return d.loop || !simulated(model, joint.child) || has_joint[joint.child];
}

void add_loop_joint(BuildContext& build, Joint joint, int source) {
  const JointDescription& d = build.description.joints[source];
  const Item item{joint.name, d.line};
  build.check.require(!is_free(joint.type), item, "a free joint closes a loop",
                      "Remove it: it constrains nothing, and its child is placed by another joint.");
  build.check.require(d.initial_velocity.empty(), item, "a joint that closes a loop has an initial velocity",
                      "Give the velocity on the joints of the tree.");
  build.model.loop_joints.push_back(std::move(joint));
  build.loop_source.push_back(source);
}

}  // namespace

Joint implicit_free_joint(const Body& body, int index) {
  Joint joint;  // free, as every joint until it is told otherwise
  joint.name = body.name;
  joint.child = index;
  joint.v_size = joint_traits(joint.type).v_size();
  joint.coordinates.resize(joint.v_size);
  joint.implicit = true;
  return joint;
}

void build_joints(BuildContext& build) {
  const Model& model = build.model;
  std::vector<Joint> tree;
  std::vector<int> source;
  std::vector<bool> has_joint(model.bodies.size(), false);
  std::unordered_map<std::string, int> names;
  for (size_t i = 0; i < build.description.joints.size(); ++i) {
    const JointDescription& d = build.description.joints[i];
    Joint joint = make_joint(build, d);
    const bool unique = names.emplace(joint.name, 0).second;
    build.check.require(unique, {joint.name, d.line}, "two joints have the same name",
                        "Give every joint its own name.");
    if (build.check.failed()) return;
    if (closes_loop(model, d, joint, has_joint)) {
      add_loop_joint(build, std::move(joint), static_cast<int>(i));
      continue;
    }
    has_joint[joint.child] = true;
    if (is_free(joint.type)) joint.parent = world_index;  // its coordinates are those of the world
    tree.push_back(std::move(joint));
    source.push_back(static_cast<int>(i));
  }
  for (size_t b = 0; b < model.bodies.size(); ++b) {
    if (model.bodies[b].kind != BodyKind::simulated || has_joint[b]) continue;
    tree.push_back(implicit_free_joint(model.bodies[b], static_cast<int>(b)));
    source.push_back(-1);
  }
  sort_trees(build, std::move(tree), std::move(source));
  if (!build.check.failed()) assign_offsets(build.model);
}

}  // namespace stiction
