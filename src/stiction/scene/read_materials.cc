// [material.NAME] and [[pair]]: the laws at surfaces.
#include <algorithm>

#include <fmt/format.h>

#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

// One number, or [along, across] for an ellipse.
void read_friction(TableReader& table, std::array<double, 2>& friction) {
  const toml::node* node = table.find("friction");
  if (!node) return;
  if (node->is_array()) return table.read("friction", friction, non_negative);
  table.read("friction", friction[0], non_negative);
  friction[1] = friction[0];
}

// [[along, across], ...].
void read_polygon(TableReader& table, std::vector<Vector2>& corners) {
  const toml::node* node = table.find("friction_polygon");
  if (!node) return;
  const auto fail = [&] {
    table.fail("friction_polygon", "expected corners, two numbers each",
               "Write friction_polygon = [[0.5, 0], [0, 0.2], [-0.5, 0], [0, -0.2]].");
  };
  const toml::array* array = node->as_array();
  if (!array) return fail();
  for (const toml::node& entry : *array) {
    const toml::array* corner = entry.as_array();
    if (!corner || corner->size() != 2 || !(*corner)[0].is_number() || !(*corner)[1].is_number()) return fail();
    corners.emplace_back(*(*corner)[0].value<double>(), *(*corner)[1].value<double>());
  }
}

// Stiffness and damping, the same in all directions, and the thickness.
void read_layer(TableReader& table, CompliantLayer& layer) {
  double stiffness = 0, damping = 0;
  table.read("stiffness", stiffness, non_negative);
  table.read("damping", damping, non_negative);
  layer.stiffness = stiffness * Matrix3::Identity();
  layer.damping = damping * Matrix3::Identity();
  table.read("layer_thickness", layer.thickness, positive);
}

// The keys that a material and a pair share.
void read_values(TableReader& table, Material& material) {
  read_friction(table, material.friction);
  table.read("friction_exponent", material.friction_exponent, positive);
  read_polygon(table, material.friction_polygon);
  table.read("torsional_friction", material.torsional_friction, non_negative);
  table.read("rolling_friction", material.rolling_friction, non_negative);
  table.read("restitution", material.restitution, zero_to_one);
  table.read("tangential_restitution", material.tangential_restitution, zero_to_one);
  table.read("static_friction", material.static_friction, non_negative);
  table.read("stribeck_velocity", material.stribeck_velocity, non_negative);
  read_layer(table, material.layer);
  const double sliding = std::max(material.friction[0], material.friction[1]);
  if (table.table().contains("static_friction") && material.static_friction >= 0 &&
      material.static_friction < sliding) {
    table.fail("static_friction", fmt::format("{} is less than friction, {}", material.static_friction, sliding),
               "Give at least the value of friction, or leave static_friction out.");
  }
}

// Exactly two strings.
void read_names(TableReader& table, std::array<std::string, 2>& names) {
  table.require("materials");
  const toml::node* node = table.find("materials");
  if (!node) return;
  const toml::array* array = node->as_array();
  const bool two_strings = array && array->size() == 2 && (*array)[0].is_string() && (*array)[1].is_string();
  if (!two_strings)
    return table.fail("materials", "expected the names of two materials", "Write materials = [\"a\", \"b\"].");
  for (size_t i = 0; i < 2; ++i) names[i] = (*array)[i].as_string()->get();
}

}  // namespace

void read_materials(TableReader& root, ModelDescription& model) {
  root.each_named("material", [&](const toml::table& entry, const std::string& name) {
    TableReader table(entry, "material", "material." + name, root.context());
    Material material;
    material.name = name;
    material.line = table.line();
    read_values(table, material);
    table.finish();
    model.materials.push_back(std::move(material));
  });
  // toml++ sorts tables by name; messages and listings follow the file.
  std::stable_sort(model.materials.begin(), model.materials.end(),
                   [](const Material& a, const Material& b) { return a.line < b.line; });
}

void read_pairs(TableReader& root, ModelDescription& model) {
  root.each_entry("pair", [&](const toml::table& entry, const std::string& path) {
    TableReader table(entry, "pair", path, root.context());
    MaterialPair pair;
    pair.line = pair.values.line = table.line();
    read_names(table, pair.materials);
    read_values(table, pair.values);
    table.finish();
    model.pairs.push_back(std::move(pair));
  });
}

}  // namespace stiction::scene
