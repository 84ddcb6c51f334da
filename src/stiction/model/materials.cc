// Materials and their combination. Where no [[pair]] says otherwise, two materials meet with the geometric mean of
// their friction (each component, torsional and rolling alike, and static over sliding) and the larger restitution and
// Stribeck velocity; each shape keeps the compliant layer of its own material.
#include <algorithm>
#include <cmath>

#include "stiction/model/build_steps.h"
#include "stiction/model/stribeck.h"

namespace stiction {
namespace {

void check_material(const Material& m, const Item& item, Checker& check) {
  for (double value : {m.friction[0], m.friction[1], m.torsional_friction, m.rolling_friction, m.restitution,
                       m.tangential_restitution, m.static_friction, m.stribeck_velocity})
    check.require(std::isfinite(value), item, "material has a value that is not finite", "Give a finite number.");
  check.require(m.friction[0] >= 0 && m.friction[1] >= 0, item, "friction is negative",
                "Give a friction of zero or more.");
  check.require(m.torsional_friction >= 0, item, "torsional_friction is negative", "Give zero or more metres.");
  check.require(m.rolling_friction >= 0, item, "rolling_friction is negative", "Give zero or more metres.");
  check.require(m.restitution >= 0 && m.restitution <= 1, item, "restitution is outside 0..1",
                "Give a restitution from 0 (no rebound) to 1 (no loss).");
  check.require(m.tangential_restitution >= 0 && m.tangential_restitution <= 1, item,
                "tangential_restitution is outside 0..1", "Give a number from 0 (steel) to 1 (a perfect superball).");
  check.require(m.static_friction < 0 || m.static_friction >= sliding_friction(m), item,
                "static_friction is below friction", "Give a static_friction of at least friction.");
  check.require(m.static_friction <= 0 || sliding_friction(m) > 0, item, "static_friction needs a friction above zero",
                "Give a friction above zero, however small, or leave static_friction out.");
  check.require(m.stribeck_velocity >= 0, item, "stribeck_velocity is negative", "Give zero or more m/s.");
}

// The friction set of a material, where it is not an ellipse.
Result<std::optional<FrictionCone>> friction_cone(const Material& m) {
  if (m.friction_polygon.empty() && m.friction_exponent == 2) return std::optional<FrictionCone>{};
  Result<FrictionCone> cone = m.friction_polygon.empty()
                                  ? make_superellipse_cone(m.friction[0], m.friction[1], m.friction_exponent)
                                  : make_polygon_cone(m.friction_polygon);
  if (!cone) return failure(cone.error());
  return std::optional<FrictionCone>(std::move(*cone));
}

void check_cone(const Material& m, const Item& item, Checker& check) {
  check.require(m.friction_polygon.empty() || m.friction_exponent == 2, item,
                "friction_polygon and friction_exponent exclude each other", "Leave one of them out.");
  const auto cone = friction_cone(m);
  if (!cone) return check.fail(item, "friction: " + cone.error().what, cone.error().remedy);
  check.require(!*cone || m.torsional_friction == 0, item, "torsional_friction needs an elliptic friction set",
                "Leave out friction_polygon and friction_exponent, or torsional_friction.");
}

Material combine(const Material& a, const Material& b) {
  // The root of a square is not always the number itself; a material against itself keeps its values to the bit.
  const auto mean = [](double x, double y) { return x == y ? x : std::sqrt(x * y); };
  Material m;
  m.name = a.name == b.name ? a.name : a.name + "/" + b.name;
  m.line = a.line > 0 ? a.line : b.line;
  m.friction = {mean(a.friction[0], b.friction[0]), mean(a.friction[1], b.friction[1])};
  // A set that is not an ellipse has no mean with another one: the material that states it gives it.
  m.friction_exponent = a.friction_exponent != 2 ? a.friction_exponent : b.friction_exponent;
  m.friction_polygon = a.friction_polygon.empty() ? b.friction_polygon : a.friction_polygon;
  if (!m.friction_polygon.empty()) m.friction_exponent = 2;
  m.torsional_friction = mean(a.torsional_friction, b.torsional_friction);
  if (!m.friction_polygon.empty() || m.friction_exponent != 2) m.torsional_friction = 0;
  m.rolling_friction = mean(a.rolling_friction, b.rolling_friction);
  m.restitution = std::max(a.restitution, b.restitution);
  m.tangential_restitution = std::max(a.tangential_restitution, b.tangential_restitution);
  // Sets of different shapes have the mean of what rest adds to them; a factor of one leaves nothing to state.
  const double factor = mean(static_factor(a), static_factor(b));
  if (&a == &b) m.static_friction = a.static_friction;
  if (&a != &b && factor > 1) m.static_friction = factor * sliding_friction(m);
  m.stribeck_velocity = std::max(a.stribeck_velocity, b.stribeck_velocity);
  return m;
}

void add_material(BuildContext& build, const Material& material) {
  const Item item{material.name, material.line};
  check_material(material, item, build.check);
  check_cone(material, item, build.check);
  check_layer(material.layer, item, build.check);
  if (material.name == "default") {
    build.model.materials[0] = material;
    return;
  }
  const bool added = build.material_index.emplace(material.name, static_cast<int>(build.model.materials.size())).second;
  build.check.require(added, item, "two materials have the same name", "Give every material its own name.");
  build.model.materials.push_back(material);
}

// Two friction sets that are not ellipses do not combine.
void require_pair(BuildContext& build, const Material& a, const Material& b, bool stated) {
  const bool a_states = !a.friction_polygon.empty() || a.friction_exponent != 2;
  const bool b_states = !b.friction_polygon.empty() || b.friction_exponent != 2;
  const bool same = a.friction_polygon == b.friction_polygon && a.friction_exponent == b.friction_exponent;
  build.check.require(stated || !a_states || !b_states || same, {a.name + "/" + b.name, a.line},
                      "two materials with friction sets of their own meet without a [[pair]]",
                      "Say what holds between them in a [[pair]].");
}

void apply_pair(BuildContext& build, const MaterialPair& pair, std::vector<bool>& stated) {
  const Item item{pair.materials[0] + "/" + pair.materials[1], pair.line};
  check_material(pair.values, item, build.check);
  check_cone(pair.values, item, build.check);
  check_layer(pair.values.layer, item, build.check);
  std::vector<std::string> names;
  for (const Material& m : build.model.materials) names.push_back(m.name);
  int index[2] = {0, 0};
  for (int side = 0; side < 2; ++side) {
    const auto found = build.material_index.find(pair.materials[side]);
    if (found == build.material_index.end()) {
      build.check.unknown_name({"pair", pair.line}, "material", pair.materials[side], names);
      return;
    }
    index[side] = found->second;
  }
  const size_t n = names.size();
  const size_t ab = index[0] * n + index[1], ba = index[1] * n + index[0];
  build.check.require(!stated[ab], item, "two [[pair]] entries name the same materials", "Remove one of them.");
  stated[ab] = stated[ba] = true;
  Material values = pair.values;
  if (values.name.empty()) values.name = item.name;
  build.model.pair_table[ab] = build.model.pair_table[ba] = values;
}

}  // namespace

void build_materials(BuildContext& build) {
  Model& model = build.model;
  model.materials.emplace_back();
  model.materials[0].name = "default";
  build.material_index["default"] = 0;
  for (const Material& material : build.description.materials) add_material(build, material);
  const size_t n = model.materials.size();
  model.pair_table.resize(n * n);
  for (size_t a = 0; a < n; ++a)
    for (size_t b = 0; b < n; ++b) model.pair_table[a * n + b] = combine(model.materials[a], model.materials[b]);
  std::vector<bool> stated(n * n, false);
  for (const MaterialPair& pair : build.description.pairs) apply_pair(build, pair, stated);
  for (size_t a = 0; a < n; ++a) {
    for (size_t b = 0; b < a; ++b) require_pair(build, model.materials[a], model.materials[b], stated[a * n + b]);
  }
  for (Material& material : model.pair_table) {
    if (auto cone = friction_cone(material)) material.cone = std::move(*cone);
  }
}

}  // namespace stiction
