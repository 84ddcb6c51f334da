// [[joint]], [[actuator]] and [[controller]].
#include <array>

#include <fmt/format.h>

#include "stiction/model/joint_traits.h"
#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

constexpr int max_coordinates = 6;

bool read_type(TableReader& table, JointType& type) {
  std::vector<std::string> names;
  for (const JointTraits& candidate : all_joint_traits()) names.emplace_back(candidate.name);
  std::string name;
  table.require("type");
  table.read_choice("type", name, names);
  for (const JointTraits& candidate : all_joint_traits()) {
    if (candidate.name == name) return type = candidate.type, true;
  }
  return false;
}

bool is_pair_list(const toml::node& node) {
  const toml::array* array = node.as_array();
  return array && !array->empty() && (*array)[0].is_array();
}

// [lower, upper] for every coordinate, or an array with a pair for each.
void read_limits(TableReader& table, std::vector<JointCoordinate>& coordinates) {
  const toml::node* node = table.find("limits");
  if (!node) return;
  if (coordinates.empty()) return table.fail("limits", "the joint has no coordinate to limit", "Leave this key out.");
  const bool pairs = is_pair_list(*node);
  if (pairs && node->as_array()->size() != coordinates.size()) {
    return table.fail("limits",
                      fmt::format("expected {} pairs, found {}", coordinates.size(), node->as_array()->size()),
                      "Give one pair for each coordinate, or one for all.");
  }
  for (size_t i = 0; i < coordinates.size(); ++i) {
    std::array<double, 2>& limits = coordinates[i].limits;
    const toml::node& source = pairs ? *node->as_array()->get(i) : *node;
    const std::string name = pairs ? fmt::format("{}.{}", table.path("limits"), i) : table.path("limits");
    if (!table.read_array(source, name, limits, any_number_or_infinite)) return;
    if (limits[0] > limits[1]) {
      return table.fail("limits", fmt::format("the lower limit {} is above the upper limit {}", limits[0], limits[1]),
                        "Write limits = [lower, upper].");
    }
  }
}

// One key of every coordinate.
void read_each_coordinate(TableReader& table, std::string_view key, double JointCoordinate::*member,
                          std::vector<JointCoordinate>& coordinates, Range range) {
  std::array<double, max_coordinates> values;
  values.fill(JointCoordinate{}.*member);
  table.read_each(key, std::span(values.data(), coordinates.size()), range);
  for (size_t i = 0; i < coordinates.size(); ++i) coordinates[i].*member = values[i];
}

void read_coordinates(TableReader& table, JointDescription& joint, size_t count) {
  joint.coordinates.resize(count);
  read_limits(table, joint.coordinates);
  read_each_coordinate(table, "friction", &JointCoordinate::friction, joint.coordinates, non_negative);
  read_each_coordinate(table, "damping", &JointCoordinate::damping, joint.coordinates, non_negative);
  read_each_coordinate(table, "stiffness", &JointCoordinate::stiffness, joint.coordinates, non_negative);
  read_each_coordinate(table, "rest", &JointCoordinate::rest, joint.coordinates, any_number);
  read_each_coordinate(table, "armature", &JointCoordinate::armature, joint.coordinates, non_negative);
}

// A number, or an array with one for each coordinate; stays empty where the key is absent.
void read_list(TableReader& table, std::string_view key, std::vector<double>& values, size_t count) {
  if (table.find(key)) values.resize(count);
  table.read_each(key, values);
}

// Required where a turn travels, out of place everywhere else. `traits` is null where the type is not known.
void read_pitch(TableReader& table, const JointTraits* traits, double& pitch) {
  table.read("pitch", pitch);
  if (traits == nullptr) return;
  if (traits->has_pitch) table.require("pitch");
  if (!table.find("pitch")) return;
  if (!traits->has_pitch) {
    table.fail("pitch", fmt::format("a {} joint has no pitch", traits->name),
               "Leave this key out, or write type = \"screw\".");
  } else if (pitch == 0) {
    table.fail("pitch", "0 is not a pitch",
               "Give the travel in m per turn, negative for a left-handed thread; a revolute joint does not travel.");
  }
}

JointDescription read_joint(const toml::table& entry, const std::string& path, Context& context) {
  TableReader table(entry, "joint", path, context);
  JointDescription joint;
  joint.line = table.line();
  table.require("name");
  table.read("name", joint.name);
  const bool known_type = read_type(table, joint.type);
  table.require("parent");
  table.read("parent", joint.parent);
  table.require("child");
  table.read("child", joint.child);
  table.read("position", joint.position);
  table.read("orientation", joint.orientation);
  table.read_direction("axis", joint.axis);
  table.read_direction("axis2", joint.axis2);
  const JointTraits& traits = joint_traits(joint.type);
  read_pitch(table, known_type ? &traits : nullptr, joint.pitch);
  const size_t count = known_type ? static_cast<size_t>(traits.v_size()) : 1;
  read_coordinates(table, joint, count);
  read_list(table, "velocity", joint.initial_velocity, count);
  read_list(table, "reference", joint.reference, traits.quaternion ? 0 : count);
  table.read("loop", joint.loop);
  table.read("collide", joint.collide);
  table.finish();
  return joint;
}

ActuatorDescription read_actuator(const toml::table& entry, const std::string& path, Context& context) {
  TableReader table(entry, "actuator", path, context);
  ActuatorDescription actuator;
  actuator.line = table.line();
  table.require("name");
  table.read("name", actuator.name);
  table.require("joint");
  table.read("joint", actuator.joint);
  table.read("coordinate", actuator.coordinate, 0, max_coordinates - 1);
  table.read("force", actuator.force);
  table.read("stiffness", actuator.stiffness, non_negative);
  table.read("damping", actuator.damping, non_negative);
  table.read("target", actuator.target);
  table.read("target_velocity", actuator.target_velocity);
  table.read("max_force", actuator.max_force, positive_or_infinite);
  table.finish();
  return actuator;
}

TrajectoryTerm read_term(const toml::table& entry, const std::string& path, Context& context) {
  TableReader table(entry, "controller.trajectory", path, context);
  TrajectoryTerm term;
  table.require("amplitude");
  table.read("amplitude", term.amplitude);
  table.require("frequency");
  table.read("frequency", term.frequency);
  table.read("phase", term.phase);
  table.finish();
  return term;
}

ControllerDescription read_controller(const toml::table& entry, const std::string& path, Context& context) {
  TableReader table(entry, "controller", path, context);
  ControllerDescription controller;
  controller.line = table.line();
  table.require("name");
  table.read("name", controller.name);
  table.require("joint");
  table.read("joint", controller.joint);
  table.read("coordinate", controller.coordinate, 0, max_coordinates - 1);
  table.read("offset", controller.offset);
  table.read("velocity", controller.velocity);
  table.each_entry("trajectory", [&](const toml::table& term, const std::string& term_path) {
    controller.terms.push_back(read_term(term, term_path, context));
  });
  table.read("acceleration", controller.acceleration);
  table.read("stiffness", controller.stiffness, non_negative);
  table.read("damping", controller.damping, non_negative);
  table.read("max_force", controller.max_force, positive_or_infinite);
  table.finish();
  return controller;
}

}  // namespace

void read_joints(TableReader& root, ModelDescription& model) {
  root.each_entry("joint", [&](const toml::table& entry, const std::string& path) {
    model.joints.push_back(read_joint(entry, path, root.context()));
  });
}

void read_actuators(TableReader& root, ModelDescription& model) {
  root.each_entry("actuator", [&](const toml::table& entry, const std::string& path) {
    model.actuators.push_back(read_actuator(entry, path, root.context()));
  });
}

void read_controllers(TableReader& root, ModelDescription& model) {
  root.each_entry("controller", [&](const toml::table& entry, const std::string& path) {
    model.controllers.push_back(read_controller(entry, path, root.context()));
  });
}

}  // namespace stiction::scene
