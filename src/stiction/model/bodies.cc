// Bodies: kind, pose, mass properties, shapes. Mass spreads uniformly over the shapes unless inertia is given.
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "stiction/model/build_steps.h"

namespace stiction {
namespace {

bool positive(double x) {
  return std::isfinite(x) && x > 0;
}

void check_shape(const ShapeDescription& shape, const Item& item, Checker& check) {
  if (!geometry::is_valid(shape.shape)) {
    const geometry::ShapeKind& kind = geometry::kind_of(shape.shape);
    check.fail(item, "shape has a dimension that is not positive and finite",
               fmt::format("Give {} to the {}.", kind.needs, kind.name));
  }
  const bool finite = shape.X_BS.p.allFinite() && shape.X_BS.R.allFinite() && shape.friction_direction.allFinite() &&
                      shape.surface_velocity.allFinite();
  check.require(finite, item, "shape has a value that is not finite", "Give finite numbers.");
}

void add_shape(BuildContext& build, int body, const ShapeDescription& description) {
  const Item item{build.model.bodies[body].name, description.line};
  check_shape(description, item, build.check);
  BodyShape shape;
  shape.body = body;
  shape.shape = geometry::prepared(description.shape);
  shape.X_BS = description.X_BS;
  shape.surface_velocity_S = description.surface_velocity;
  shape.collide = description.collide;
  shape.has_friction_direction = description.friction_direction.norm() > 0;
  if (shape.has_friction_direction) shape.friction_direction_S = description.friction_direction.normalized();
  const std::string& material = description.material;
  if (!material.empty()) {
    const auto found = build.material_index.find(material);
    if (found != build.material_index.end()) {
      shape.material = found->second;
    } else {
      std::vector<std::string> names;
      for (const Material& m : build.model.materials) names.push_back(m.name);
      build.check.unknown_name(item, "material", material, names);
    }
  }
  if (!build.check.failed()) check_layer_depth(shape.shape, build.model.materials[shape.material], item, build.check);
  build.model.shapes.push_back(shape);
}

// Volume, centre and inertia at density one of all shapes together, in the body's frame.
geometry::MassProperties combined_shapes(const std::vector<ShapeDescription>& shapes) {
  std::vector<geometry::MassProperties> parts;
  geometry::MassProperties total;
  for (const ShapeDescription& shape : shapes) {
    geometry::MassProperties part = geometry::mass_properties(shape.shape);
    part.center = shape.X_BS * part.center;
    part.inertia = shape.X_BS.R * part.inertia * shape.X_BS.R.transpose();
    total.volume += part.volume;
    total.center += part.volume * part.center;
    parts.push_back(part);
  }
  if (total.volume > 0) total.center /= total.volume;
  for (const geometry::MassProperties& part : parts) {
    const Matrix3 arm = skew(part.center - total.center);
    total.inertia += part.inertia - part.volume * arm * arm;
  }
  return total;
}

double body_mass(const BodyDescription& description, double volume, const Item& item, Checker& check) {
  check.require(!(description.mass && description.density), item, "body has both mass and density",
                "Give only one of them.");
  if (description.mass) {
    check.require(positive(*description.mass), item, "mass is not positive",
                  "Give a mass above zero, or set fixed = true for a body that never moves.");
    return *description.mass;
  }
  if (!description.density) {
    check.fail(item, "body has no mass", "Give mass or density, or set fixed = true for a body that never moves.");
    return 1;
  }
  check.require(positive(*description.density), item, "density is not positive", "Give a density above zero.");
  check.require(volume > 0, item, "density is given, but the body has no shape with a volume", "Give mass instead.");
  return *description.density * volume;
}

void check_inertia(const Matrix3& inertia, const Item& item, Checker& check) {
  if (!inertia.allFinite()) {
    check.fail(item, "inertia is not finite", "Give six finite numbers [xx, yy, zz, xy, xz, yz].");
    return;
  }
  const Vector3 moments = Eigen::SelfAdjointEigenSolver<Matrix3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  check.require(moments(0) > 1e-14 * moments(2), item, "inertia is not positive definite",
                "Give [xx, yy, zz, xy, xz, yz] about the centre of mass with three positive principal moments.");
  // A thin rod or disc meets the bound with equality, so rounding of the input is forgiven.
  check.require(moments(0) + moments(1) >= moments(2) * (1 - 1e-9), item, "inertia violates the triangle inequality",
                "No mass distribution has a principal moment above the sum of the other two; check units and order "
                "[xx, yy, zz, xy, xz, yz].");
}

Matrix3 given_inertia(const std::array<double, 6>& six) {
  Matrix3 inertia;
  inertia << six[0], six[3], six[4], six[3], six[1], six[5], six[4], six[5], six[2];
  return inertia;
}

void check_bounded(const ShapeDescription& shape, const Item& item, Checker& check) {
  if (!geometry::is_unbounded(shape.shape)) return;
  const geometry::ShapeKind& kind = geometry::kind_of(shape.shape);
  check.fail(item, fmt::format("a simulated body has a {} shape", kind.name),
             fmt::format("A {} is infinite: set fixed = true or motion on this body, or {}.", kind.name, kind.instead));
}

void set_mass_properties(const BodyDescription& description, Body& body, const Item& item, Checker& check) {
  for (const ShapeDescription& shape : description.shapes) check_bounded(shape, {body.name, shape.line}, check);
  if (check.failed()) return;
  const geometry::MassProperties shapes = combined_shapes(description.shapes);
  body.mass = body_mass(description, shapes.volume, item, check);
  body.com_B = description.center_of_mass.value_or(shapes.center);
  if (description.inertia) {
    body.inertia_B = given_inertia(*description.inertia);
  } else if (shapes.volume > 0) {
    body.inertia_B = shapes.inertia * (body.mass / shapes.volume);
    if (description.center_of_mass && (body.com_B - shapes.center).norm() > 1e-9 * std::cbrt(shapes.volume))
      check.warn(item, "center_of_mass is not that of the shapes; their inertia is taken about it unchanged");
  } else {
    check.fail(item, "body has neither inertia nor a shape with a volume",
               "Give inertia = [xx, yy, zz, xy, xz, yz], or a shape such as a small sphere.");
    return;
  }
  check_inertia(body.inertia_B, item, check);
}

bool finite_motion(const MotionDescription& motion) {
  bool finite = motion.velocity.allFinite() && motion.angular_velocity.allFinite();
  for (const auto* terms : {&motion.translation, &motion.rotation})
    for (const MotionTerm& term : *terms)
      finite = finite && term.amplitude.allFinite() && std::isfinite(term.frequency) && std::isfinite(term.phase);
  return finite;
}

void check_body_numbers(const BodyDescription& d, const Item& item, Checker& check) {
  check.require(d.position.allFinite(), item, "position is not finite", "Give three finite numbers.");
  check.require(!d.center_of_mass || d.center_of_mass->allFinite(), item, "center_of_mass is not finite",
                "Give three finite numbers.");
  check.require(!d.linear_velocity || d.linear_velocity->allFinite(), item, "linear_velocity is not finite",
                "Give three finite numbers.");
  check.require(!d.angular_velocity || d.angular_velocity->allFinite(), item, "angular_velocity is not finite",
                "Give three finite numbers.");
  check.require(!d.motion || finite_motion(*d.motion), item, "motion is not finite", "Give finite numbers.");
  check.require(!(d.fixed && d.motion), item, "body is fixed and has a prescribed motion", "Give only one of them.");
  const bool moving =
      (d.linear_velocity && d.linear_velocity->norm() > 0) || (d.angular_velocity && d.angular_velocity->norm() > 0);
  check.require(!(moving && (d.fixed || d.motion)), item, "a fixed or prescribed body has an initial velocity",
                "Remove the velocity, or state it in the body's motion.");
}

void add_body(BuildContext& build, const BodyDescription& description) {
  Checker& check = build.check;
  const Item item{description.name, description.line};
  check.require(!description.name.empty(), item, "a body has no name", "Give every body a name.");
  check.require(description.name != "world", item, "a body is called 'world'",
                "That name means the world; use another.");
  check_body_numbers(description, item, check);
  Body body;
  body.name = description.name;
  body.kind = description.fixed ? BodyKind::fixed : description.motion ? BodyKind::prescribed : BodyKind::simulated;
  body.orientation0 = check.unit(description.orientation, item);
  body.X_WB0 = {body.orientation0.toRotationMatrix(), description.position};
  const int index = static_cast<int>(build.model.bodies.size());
  if (description.motion) body.motion = *description.motion;
  const bool added = build.body_index.emplace(body.name, index).second;
  check.require(added, item, "two bodies have the same name", "Give every body its own name.");
  build.model.bodies.push_back(body);
  for (const ShapeDescription& shape : description.shapes) add_shape(build, index, shape);
  if (check.failed()) return;
  if (body.kind == BodyKind::simulated) {
    set_mass_properties(description, build.model.bodies.back(), item, check);
  } else {
    build.model.bodies.back().com_B = description.center_of_mass.value_or(combined_shapes(description.shapes).center);
  }
}

}  // namespace

void build_bodies(BuildContext& build) {
  if (build.description.bodies.empty())
    build.check.fail({"", 0}, "the scene has no bodies", "Add at least one [[body]].");
  for (const BodyDescription& description : build.description.bodies) {
    add_body(build, description);
    if (build.check.failed()) return;
  }
}

}  // namespace stiction
