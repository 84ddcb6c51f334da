// One shape: what all shapes share, and a reader for each type.
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stiction/geometry/shapes/convex_hull.h"
#include "stiction/geometry/shapes/implicit_solid.h"
#include "stiction/geometry/shapes/superellipsoid.h"
#include "stiction/io/vertices_file.h"
#include "stiction/scene/sections.h"

namespace stiction::scene {

namespace {

// normal . x <= offset: the offset moves the frame along the normal.
void read_plane(TableReader& table, ShapeDescription& shape) {
  geometry::Plane plane;
  double offset = 0;
  table.read_direction("normal", plane.normal);
  table.read("offset", offset);
  shape.X_BS.p += shape.X_BS.R * (offset * plane.normal);
  shape.shape = plane;
}

// Spheres and bowls.
template <class Ball>
void read_ball(TableReader& table, ShapeDescription& shape) {
  Ball ball;
  table.require("radius");
  table.read("radius", ball.radius, positive);
  shape.shape = ball;
}

void read_box(TableReader& table, ShapeDescription& shape) {
  Vector3 size = Vector3::Zero();
  table.require("size");
  table.read("size", size, positive);
  shape.shape = geometry::Box{0.5 * size};
}

// Capsules, cylinders and cones.
template <class Round>
void read_round(TableReader& table, ShapeDescription& shape) {
  double radius = 0, length = 0;
  table.require("radius");
  table.read("radius", radius, positive);
  table.require("length");
  table.read("length", length, positive);
  shape.shape = Round{radius, 0.5 * length};
}

void read_ellipsoid(TableReader& table, ShapeDescription& shape) {
  geometry::Ellipsoid ellipsoid;
  table.require("radii");
  table.read("radii", ellipsoid.radii, positive);
  shape.shape = ellipsoid;
}

void read_superellipsoid(TableReader& table, ShapeDescription& shape) {
  geometry::Superellipsoid super;
  std::array<double, 2> exponents = {super.p, super.q};
  table.require("radii");
  table.read("radii", super.radii, positive);
  table.read("exponents", exponents, Range{geometry::min_exponent, geometry::max_exponent});
  super.p = exponents[0];
  super.q = exponents[1];
  shape.shape = super;
}

void read_rounded_box(TableReader& table, ShapeDescription& shape) {
  Vector3 size = Vector3::Zero();
  geometry::RoundedBox box;
  table.require("size");
  table.read("size", size, positive);
  table.require("radius");
  table.read("radius", box.radius, positive);
  box.half_size = 0.5 * size;
  const double largest = box.half_size.minCoeff();
  if (largest > 0 && box.radius > largest) {
    table.fail("radius", fmt::format("radius {} is more than half of the smallest size", box.radius),
               fmt::format("Give at most {}; with exactly that much the short side is fully round.", largest));
  }
  shape.shape = box;
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

// One line for each type; without a reader it is announced and not in this version.
struct ShapeReader {
  std::string_view type;
  void (*read)(TableReader& table, ShapeDescription& shape);
};
constexpr std::array<ShapeReader, 13> shape_readers = {{
    {"plane", read_plane},
    {"sphere", read_ball<geometry::Sphere>},
    {"box", read_box},
    {"capsule", read_round<geometry::Capsule>},
    {"cylinder", read_round<geometry::Cylinder>},
    {"ellipsoid", read_ellipsoid},
    {"convex", read_convex},
    {"superellipsoid", read_superellipsoid},
    {"cone", read_round<geometry::Cone>},
    {"rounded-box", read_rounded_box},
    {"implicit", read_implicit},
    {"bowl", read_ball<geometry::Bowl>},
    {"mesh", nullptr},
}};

// The reader of the shape's type, or nullptr after reporting why there is none.
const ShapeReader* find_reader(TableReader& table) {
  std::vector<std::string> names;
  for (const ShapeReader& reader : shape_readers) names.emplace_back(reader.type);
  std::string type;
  if (!table.find("type")) table.fail("type", "missing key", suggest("", names, "Types"));
  table.read_choice("type", type, names);
  for (const ShapeReader& reader : shape_readers) {
    if (reader.type != type) continue;
    if (reader.read) return &reader;
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
  for (const ShapeReader& reader : shape_readers) {
    if (reader.read) names.emplace_back(reader.type);
  }
  return names;
}

ShapeDescription read_shape(const toml::table& entry, const std::string& path, Context& context) {
  TableReader table(entry, "shape", path, context);
  ShapeDescription shape;
  shape.line = table.line();
  const ShapeReader* reader = find_reader(table);
  read_common(table, shape);
  if (reader) {
    table.set_kind("shape." + std::string(reader->type));
    reader->read(table, shape);
  }
  // Without a known type the type's own keys are not known either: only the type is worth reporting.
  if (reader) table.finish();
  return shape;
}

}  // namespace stiction::scene
