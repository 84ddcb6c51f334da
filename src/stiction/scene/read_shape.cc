// One shape: what all shapes share, the keys that its kind describes, and readers for the kinds whose keys are more
// than numbers.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/geometry/shapes/solids/implicit_solid.h"
#include "stiction/io/vertices_file.h"
#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

// The numbers of one key, which start as its default.
void read_key(TableReader& table, const geometry::ShapeKey& key, std::span<double> values) {
  using Kind = geometry::ShapeKey::Kind;
  const Range range{key.lower, key.upper, key.lower_open, false};
  if (key.required) table.require(key.name);
  if (key.kind == Kind::number) return table.read(key.name, values[0], range);
  if (key.kind == Kind::direction) {
    Vector3 direction = Eigen::Map<Vector3>(values.data());
    table.read_direction(key.name, direction);
    Eigen::Map<Vector3>(values.data()) = direction;
  } else if (const toml::node* node = table.find(key.name)) {
    table.read_array(*node, table.path(key.name), values, range);
  }
}

// A shape whose kind describes its keys.
void read_keyed(TableReader& table, const geometry::ShapeKind& kind, ShapeDescription& shape) {
  std::vector<double> values;
  for (const geometry::ShapeKey& key : kind.keys) {
    const size_t first = values.size();
    values.insert(values.end(), key.otherwise.begin(), key.otherwise.begin() + key.size());
    read_key(table, key, std::span(values).subspan(first));
  }
  const geometry::KeyedShape made = kind.from_keys(values);
  if (made.shift) shape.X_BS.p += shape.X_BS.R * *made.shift;
  if (made.mistake) table.fail(made.mistake->key, made.mistake->what, made.mistake->remedy);
  shape.shape = made.shape;
}

// [coefficient, px, py, pz].
bool read_term(TableReader& table, const toml::node& node, const std::string& name, geometry::Monomial& term) {
  std::array<double, 4> numbers{};
  if (!table.read_array(node, name, numbers, any_number)) return false;
  term.coefficient = numbers[0];
  for (int k = 0; k < 3; ++k) {
    const double power = numbers[k + 1];
    if (power != std::floor(power) || power < 0 || power > geometry::max_polynomial_power) {
      table.context().report(
          located({.what = fmt::format("{} is not a power of a term", power),
                   .remedy = fmt::format("Give whole powers from 0 to {}: [coefficient, px, py, pz].",
                                         geometry::max_polynomial_power),
                   .name = name},
                  node.source(), table.context()));
      return false;
    }
    term.power[k] = static_cast<int>(power);
  }
  return true;
}

bool read_polynomial(const toml::table& entry, const std::string& path, Context& context,
                     geometry::Polynomial& polynomial) {
  TableReader table(entry, "shape.implicit.function", path, context);
  table.require("terms");
  const toml::node* node = table.find("terms");
  const toml::array* terms = node ? node->as_array() : nullptr;
  if (node && !terms)
    table.fail("terms", "expected an array of terms", "Write terms = [[coefficient, px, py, pz], ...].");
  bool good = terms != nullptr;
  for (size_t i = 0; good && i < terms->size(); ++i) {
    good = read_term(table, (*terms)[i], fmt::format("{}.{}", table.path("terms"), i), polynomial.terms.emplace_back());
  }
  table.finish();
  return good;
}

void read_implicit(TableReader& table, ShapeDescription& shape) {
  std::vector<geometry::ImplicitFunction> functions;
  bool good = true;
  shape.shape = geometry::Implicit{};
  table.require("functions");
  table.each_entry("functions", [&](const toml::table& entry, const std::string& path) {
    geometry::Polynomial polynomial;
    good = read_polynomial(entry, path, table.context(), polynomial) && good;
    functions.emplace_back(std::move(polynomial));
  });
  if (!good || !table.table().contains("functions") || table.context().error) return;
  Result<geometry::ImplicitSolid> solid = geometry::make_implicit_solid(std::move(functions));
  if (!solid) return table.fail("functions", solid.error().what, solid.error().remedy);
  shape.shape = geometry::Implicit{std::make_shared<const geometry::ImplicitSolid>(std::move(*solid))};
}

bool read_vertex_list(TableReader& table, std::vector<Vector3>& points) {
  const toml::array* array = table.find("vertices")->as_array();
  if (!array) return table.fail("vertices", "expected an array of points", "Write vertices = [[x, y, z], ...]."), false;
  for (size_t i = 0; i < array->size(); ++i) {
    const std::string name = fmt::format("{}.{}", table.path("vertices"), i);
    if (!table.read_array((*array)[i], name, {points.emplace_back().data(), 3}, any_number)) return false;
  }
  return true;
}

bool read_vertex_file(TableReader& table, std::vector<Vector3>& points) {
  std::string file;
  table.read("file", file);
  if (file.empty()) return false;
  Result<std::vector<Vector3>> vertices = read_vertices(table.context().resolve(file));
  if (!vertices) {
    Error error = vertices.error();
    if (error.line == 0) error = located(std::move(error), table.table().get("file")->source(), table.context());
    table.context().report(std::move(error));
    return false;
  }
  points = std::move(*vertices);
  return true;
}

void read_convex(TableReader& table, ShapeDescription& shape) {
  table.exclude("vertices", "file");
  const bool listed = table.find("vertices") != nullptr;
  if (!listed) table.find("file") ? void() : table.require("vertices");
  shape.shape = geometry::Convex{};
  std::vector<Vector3> points;
  if (!listed && !table.find("file")) return;
  if (!(listed ? read_vertex_list(table, points) : read_vertex_file(table, points))) return;
  Result<geometry::ConvexHull> hull = geometry::convex_hull(points);
  if (!hull) return table.fail(listed ? "vertices" : "file", hull.error().what, hull.error().remedy);
  shape.shape = geometry::Convex{std::make_shared<const geometry::ConvexHull>(std::move(*hull))};
}

// Kinds whose keys are more than numbers.
struct OwnReader {
  std::string_view type;
  void (*read)(TableReader& table, ShapeDescription& shape);
  std::string_view nested;  // keys with tables of their own, as small as can be
};
constexpr std::array own_readers = {
    OwnReader{"convex", read_convex, ""},
    OwnReader{"implicit", read_implicit, "functions = [{}]"},
};

const OwnReader* find_own_reader(std::string_view type) {
  for (const OwnReader& reader : own_readers) {
    if (reader.type == type) return &reader;
  }
  return nullptr;
}

// Types that are announced and not in this version.
constexpr std::array<std::string_view, 1> announced = {"mesh"};

// The kind that the type names, or nullptr after reporting why there is none.
const geometry::ShapeKind* find_kind(TableReader& table) {
  std::vector<std::string> names = shape_type_names();
  names.insert(names.end(), announced.begin(), announced.end());
  std::string type;
  if (!table.find("type")) table.fail("type", "missing key", suggest("", names, "Types"));
  table.read_choice("type", type, names);
  for (const geometry::ShapeKind& kind : geometry::shape_kinds) {
    if (kind.name == type) return &kind;
  }
  if (std::find(announced.begin(), announced.end(), type) != announced.end()) {
    table.fail("type", fmt::format("shape '{}' is announced, but not in this version", type),
               fmt::format("Available: {}.", fmt::join(shape_type_names(), ", ")));
  }
  return nullptr;
}

void read_common(TableReader& table, ShapeDescription& shape) {
  Quaternion orientation = Quaternion::Identity();
  table.read("material", shape.material);
  table.read("position", shape.X_BS.p);
  table.read("orientation", orientation);
  shape.X_BS.R = orientation.toRotationMatrix();
  table.read_direction("friction_direction", shape.friction_direction);
  table.read("surface_velocity", shape.surface_velocity);
  table.read("collide", shape.collide);
}

}  // namespace

std::vector<std::string> shape_type_names() {
  std::vector<std::string> names;
  for (const geometry::ShapeKind& kind : geometry::shape_kinds) names.emplace_back(kind.name);
  return names;
}

std::string smallest_shape(const std::string& type) {
  const OwnReader* own = find_own_reader(type);
  const bool nested = own && !own->nested.empty();
  return fmt::format("{{ type = '{}'{}{} }}", type, nested ? ", " : "", nested ? own->nested : "");
}

ShapeDescription read_shape(const toml::table& entry, const std::string& path, Context& context) {
  TableReader table(entry, "shape", path, context);
  ShapeDescription shape;
  shape.line = table.line();
  const geometry::ShapeKind* kind = find_kind(table);
  read_common(table, shape);
  // Without a known type the type's own keys are not known either: only the type is worth reporting.
  if (!kind) return shape;
  table.set_kind("shape." + std::string(kind->name));
  const OwnReader* own = find_own_reader(kind->name);
  own ? own->read(table, shape) : read_keyed(table, *kind, shape);
  table.finish();
  return shape;
}

}  // namespace stiction::scene
