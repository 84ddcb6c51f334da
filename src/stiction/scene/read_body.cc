// [[body]]: mass, pose, velocity, shapes, prescribed motion.
#include <fmt/format.h>

#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

void read_terms(TableReader& motion, std::string_view key, std::vector<MotionTerm>& terms) {
  motion.each_entry(key, [&](const toml::table& entry, const std::string& path) {
    TableReader table(entry, "motion.term", path, motion.context());
    MotionTerm& term = terms.emplace_back();
    table.require("amplitude");
    table.read("amplitude", term.amplitude);
    table.require("frequency");
    table.read("frequency", term.frequency, non_negative);
    table.read("phase", term.phase);
    table.finish();
  });
}

void read_motion(TableReader& body, std::optional<MotionDescription>& motion) {
  const toml::table* entry = body.find_table("motion");
  if (!entry) return;
  TableReader table(*entry, "motion", body.path("motion"), body.context());
  motion.emplace();
  table.read("velocity", motion->velocity);
  table.read("angular_velocity", motion->angular_velocity);
  read_terms(table, "translation", motion->translation);
  read_terms(table, "rotation", motion->rotation);
  table.finish();
}

void read_shapes(TableReader& body, std::vector<ShapeDescription>& shapes) {
  body.exclude("shape", "shapes");
  if (const toml::table* shape = body.find_table("shape")) {
    shapes.push_back(read_shape(*shape, body.path("shape"), body.context()));
  }
  body.each_entry("shapes", [&](const toml::table& entry, const std::string& path) {
    shapes.push_back(read_shape(entry, path, body.context()));
  });
}

BodyDescription read_body(const toml::table& entry, const std::string& path, Context& context) {
  TableReader table(entry, "body", path, context);
  BodyDescription body;
  body.line = table.line();
  table.require("name");
  table.read("name", body.name);
  table.read("fixed", body.fixed);
  table.read("mass", body.mass, positive);
  table.read("density", body.density, positive);
  table.read("inertia", body.inertia);
  table.read("center_of_mass", body.center_of_mass);
  table.read("position", body.position);
  table.read("orientation", body.orientation);
  table.read("linear_velocity", body.linear_velocity);
  table.read("angular_velocity", body.angular_velocity);
  read_shapes(table, body.shapes);
  read_motion(table, body.motion);
  table.exclude("mass", "density");
  if (body.fixed) table.exclude("fixed", "motion");
  table.finish();
  return body;
}

}  // namespace

void read_bodies(TableReader& root, ModelDescription& model) {
  root.each_entry("body", [&](const toml::table& entry, const std::string& path) {
    model.bodies.push_back(read_body(entry, path, root.context()));
  });
}

}  // namespace stiction::scene
