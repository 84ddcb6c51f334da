#include "stiction/study/benchmark/scene_parts.h"

#include <utility>

namespace stiction {

BodyDescription moving_body(std::string name, geometry::Shape shape, const Vector3& position) {
  BodyDescription body;
  body.name = std::move(name);
  body.position = position;
  body.shapes.emplace_back();
  body.shapes.back().shape = std::move(shape);
  return body;
}

BodyDescription body_of_mass(std::string name, double mass, geometry::Shape shape, const Vector3& position) {
  BodyDescription body = moving_body(std::move(name), std::move(shape), position);
  body.mass = mass;
  return body;
}

geometry::Box cube_of(double edge) {
  return geometry::Box{Vector3::Constant(edge / 2)};
}

BodyDescription fixed_plane(std::string name, const Vector3& position, const Vector3& normal) {
  BodyDescription body = moving_body(std::move(name), geometry::Plane{normal}, position);
  body.fixed = true;
  return body;
}

ModelDescription empty_model(double friction) {
  ModelDescription model;
  Material material;
  material.name = "default";
  material.friction = {friction, friction};
  model.materials.push_back(material);
  model.gravity = Vector3(0, 0, -benchmark_gravity);
  return model;
}

ModelDescription ground_model(double friction) {
  ModelDescription model = empty_model(friction);
  model.bodies.push_back(fixed_plane("ground", Vector3::Zero(), Vector3::UnitZ()));
  return model;
}

}  // namespace stiction
