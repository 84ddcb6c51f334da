// [[include]]: another scene placed in this one. Its names get a prefix, its poses and velocities the include's pose.
// Its [simulation] and [method] tables are checked and otherwise left aside: this scene says how to run.
#include <fmt/format.h>

#include "stiction/model/joint_traits.h"
#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

struct Placement {
  std::string prefix;
  Vector3 position = Vector3::Zero();
  Quaternion orientation = Quaternion::Identity();
  bool own_default = false;  ///< the included scene defines [material.default]
  int line = 0;              ///< of the [[include]]: where this file says that the included items exist
};

void rotate(const Placement& placement, Vector3& vector) {
  vector = placement.orientation * vector;
}

void rotate(const Placement& placement, std::optional<Vector3>& vector) {
  if (vector) rotate(placement, *vector);
}

void place_pose(const Placement& placement, Vector3& position, Quaternion& orientation) {
  position = placement.orientation * position + placement.position;
  orientation = (placement.orientation * orientation).normalized();
}

void add_prefix(const Placement& placement, std::string& name) {
  name = placement.prefix + name;
}

// The default material, named or not, is this scene's unless the included one defines its own.
void place_material(const Placement& placement, std::string& name) {
  const bool is_default = name.empty() || name == "default";
  if (!is_default) return add_prefix(placement, name);
  if (placement.own_default) name = placement.prefix + "default";
}

// R(t) = exp(w(t)) R0 becomes Q exp(w(t)) R0 = exp(Q w(t)) Q R0: rotation vectors turn like the rest.
void place_motion(const Placement& placement, MotionDescription& motion) {
  rotate(placement, motion.velocity);
  rotate(placement, motion.angular_velocity);
  for (MotionTerm& term : motion.translation) rotate(placement, term.amplitude);
  for (MotionTerm& term : motion.rotation) rotate(placement, term.amplitude);
}

void place_body(const Placement& placement, BodyDescription& body) {
  add_prefix(placement, body.name);
  place_pose(placement, body.position, body.orientation);
  rotate(placement, body.linear_velocity);
  rotate(placement, body.angular_velocity);
  if (body.motion) place_motion(placement, *body.motion);
  for (ShapeDescription& shape : body.shapes) {
    place_material(placement, shape.material);
    shape.line = placement.line;
  }
  body.line = placement.line;
}

// Velocities of a free joint are in world axes, those of the others in the joint's.
void place_free_velocity(const Placement& placement, std::vector<double>& velocity) {
  for (size_t first = 0; first + 3 <= velocity.size(); first += 3) {
    Eigen::Map<Vector3> part(velocity.data() + first);
    part = (placement.orientation * Vector3(part)).eval();
  }
}

void place_joint(const Placement& placement, JointDescription& joint) {
  add_prefix(placement, joint.name);
  add_prefix(placement, joint.child);
  if (joint.parent == "world") {
    place_pose(placement, joint.position, joint.orientation);
  } else {
    add_prefix(placement, joint.parent);
  }
  if (is_free(joint.type)) place_free_velocity(placement, joint.initial_velocity);
  joint.line = placement.line;
}

template <class T>
void append(std::vector<T>& target, std::vector<T>& source) {
  target.insert(target.end(), std::make_move_iterator(source.begin()), std::make_move_iterator(source.end()));
}

void add(Placement placement, Scene& included, Scene& scene) {
  ModelDescription& model = included.model;
  for (const Material& material : model.materials) placement.own_default |= material.name == "default";
  for (Material& material : model.materials) {
    add_prefix(placement, material.name);
    material.line = placement.line;
  }
  for (MaterialPair& pair : model.pairs) {
    for (std::string& name : pair.materials) place_material(placement, name);
    pair.line = pair.values.line = placement.line;
  }
  for (BodyDescription& body : model.bodies) place_body(placement, body);
  for (JointDescription& joint : model.joints) place_joint(placement, joint);
  for (ActuatorDescription& actuator : model.actuators) {
    add_prefix(placement, actuator.name);
    add_prefix(placement, actuator.joint);
    actuator.line = placement.line;
  }
  for (ControllerDescription& controller : model.controllers) {
    add_prefix(placement, controller.name);
    add_prefix(placement, controller.joint);
    controller.line = placement.line;
  }
  append(scene.model.materials, model.materials);
  append(scene.model.pairs, model.pairs);
  append(scene.model.bodies, model.bodies);
  append(scene.model.joints, model.joints);
  append(scene.model.actuators, model.actuators);
  append(scene.model.controllers, model.controllers);
  append(scene.warnings, included.warnings);
}

}  // namespace

void read_includes(TableReader& root, Scene& scene) {
  size_t index = 0;
  root.each_entry("include", [&](const toml::table& entry, const std::string& path) {
    Context& context = root.context();
    TableReader table(entry, "include", path, context);
    Placement placement;
    placement.line = table.line();
    std::string file;
    table.require("file");
    table.read("file", file);
    table.read("prefix", placement.prefix);
    table.read("position", placement.position);
    table.read("orientation", placement.orientation);
    table.finish();
    const std::vector<Override>& overrides = context.include_overrides[index++];
    if (file.empty()) return;
    Result<Scene> included = read_file(context.resolve(file), overrides, context.including);
    if (included) return add(placement, *included, scene);
    Error error = included.error();
    // A file that cannot be opened is this scene's mistake; what is wrong inside it is reported there.
    if (error.line == 0 && error.file != override_source) error = located(error, entry.get("file")->source(), context);
    context.report(std::move(error));
  });
}

}  // namespace stiction::scene
