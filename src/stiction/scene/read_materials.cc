// [material.NAME] and [[pair]]: the laws at surfaces.
#include <algorithm>

#include <fmt/format.h>

#include "stiction/model/stribeck.h"
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

// A number for all directions, [normal, tangents], [n, t, o], or a matrix with rows n, t, o.
void read_matrix(TableReader& table, std::string_view key, Matrix3& matrix) {
  const toml::node* node = table.find(key);
  if (!node) return;
  Vector3 diagonal = Vector3::Zero();
  const toml::array* array = node->as_array();
  if (!array) {
    table.read(key, diagonal[0], non_negative);
    matrix = diagonal[0] * Matrix3::Identity();
  } else if (array->size() == 3 && (*array)[0].is_array()) {
    for (int i = 0; i < 3; ++i) {
      Vector3 row = Vector3::Zero();
      if (!table.read_array((*array)[i], fmt::format("{}.{}", table.path(key), i), {row.data(), 3}, any_number)) return;
      matrix.row(i) = row;
    }
  } else if (array->size() == 2 || array->size() == 3) {
    if (!table.read_array(*node, table.path(key), {diagonal.data(), array->size()}, non_negative)) return;
    if (array->size() == 2) diagonal[2] = diagonal[1];
    matrix = diagonal.asDiagonal();
  } else {
    table.fail(key, fmt::format("expected 2 or 3 values, or 3 rows, found {}", array->size()),
               fmt::format("Write {0} = 1e4, {0} = [normal, tangents], {0} = [n, t, o], or three rows of three.", key));
  }
}

// An exponent that the law does not know is a mistake.
void read_exponent(TableReader& table, std::string_view key, double& value, Range range, bool known) {
  table.read(key, value, range);
  if (known || !table.table().contains(key)) return;
  table.fail(key, "the contact_law has no such exponent",
             "contact_exponent goes with \"hertz\" and \"hunt-crossley\", the others with \"hunt-crossley\".");
}

void read_layer(TableReader& table, CompliantLayer& layer) {
  using Law = CompliantLayer::Law;
  read_matrix(table, "stiffness", layer.stiffness);
  read_matrix(table, "damping", layer.damping);
  std::string law = "kelvin-voigt";
  table.read_choice("contact_law", law, {"kelvin-voigt", "hertz", "hunt-crossley"});
  layer.law = law == "hertz" ? Law::hertz : law == "hunt-crossley" ? Law::hunt_crossley : Law::kelvin_voigt;
  const bool damped = layer.law == Law::hunt_crossley;
  read_exponent(table, "contact_exponent", layer.exponent, {1}, layer.law != Law::kelvin_voigt);
  layer.damping_exponent = layer.exponent;
  read_exponent(table, "damping_exponent", layer.damping_exponent, positive, damped);
  read_exponent(table, "rate_exponent", layer.rate_exponent, positive, damped);
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
  const double sliding = sliding_friction(material);
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
