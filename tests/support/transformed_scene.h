// The same scene said in another way: bodies in another order, the world turned, other units.
#pragma once

#include <algorithm>
#include <random>

#include "stiction/model/joint_traits.h"
#include "support/scenarios.h"

namespace stiction::testing {

/// Bodies and joints in a random order.
inline Scenario shuffled(Scenario scenario, unsigned seed) {
  std::mt19937 random(seed);
  std::shuffle(scenario.model.bodies.begin(), scenario.model.bodies.end(), random);
  std::shuffle(scenario.model.joints.begin(), scenario.model.joints.end(), random);
  return scenario;
}

/// Everything turned about the world's origin, then moved: gravity, poses, velocities, prescribed motions.
inline Scenario turned(Scenario scenario, const Quaternion& R, const Vector3& shift) {
  scenario.model.gravity = R * scenario.model.gravity;
  for (BodyDescription& body : scenario.model.bodies) {
    body.position = R * body.position + shift;
    body.orientation = R * body.orientation;
    if (body.linear_velocity) body.linear_velocity = R * *body.linear_velocity;
    if (body.angular_velocity) body.angular_velocity = R * *body.angular_velocity;
    if (!body.motion) continue;
    body.motion->velocity = R * body.motion->velocity;
    body.motion->angular_velocity = R * body.motion->angular_velocity;
    for (MotionTerm& term : body.motion->translation) term.amplitude = R * term.amplitude;
    for (MotionTerm& term : body.motion->rotation) term.amplitude = R * term.amplitude;
  }
  for (JointDescription& joint : scenario.model.joints) {
    if (joint.parent != "world") continue;
    joint.position = R * joint.position + shift;
    joint.orientation = R * joint.orientation;
  }
  return scenario;
}

/// Numbers per SI unit: centimetre, gram, second is {100, 1000, 1}.
struct Units {
  double length = 1, mass = 1, time = 1;
};

inline geometry::Shape scaled_shape(const geometry::Shape& shape, double L) {
  using namespace geometry;
  if (const auto* s = std::get_if<Sphere>(&shape)) return Sphere{L * s->radius};
  if (const auto* s = std::get_if<Box>(&shape)) return Box{L * s->half_size};
  if (const auto* s = std::get_if<Capsule>(&shape)) return Capsule{L * s->radius, L * s->half_length};
  if (const auto* s = std::get_if<Cylinder>(&shape)) return Cylinder{L * s->radius, L * s->half_length};
  if (const auto* s = std::get_if<Ellipsoid>(&shape)) return Ellipsoid{L * s->radii};
  if (const auto* s = std::get_if<Superellipsoid>(&shape)) return Superellipsoid{L * s->radii, s->p, s->q};
  if (const auto* s = std::get_if<Cone>(&shape)) return Cone{L * s->radius, L * s->half_length};
  if (const auto* s = std::get_if<RoundedBox>(&shape)) return RoundedBox{L * s->half_size, L * s->radius};
  if (const auto* s = std::get_if<Convex>(&shape)) {
    std::vector<Vector3> vertices = s->hull->vertices;
    for (Vector3& vertex : vertices) vertex *= L;
    return Convex{std::make_shared<ConvexHull>(convex_hull(vertices).value())};
  }
  return shape;
}

/// Is the joint's k-th coordinate a travel?
inline bool is_travel(JointType type, size_t k) {
  return joint_traits(type).is_travel(static_cast<int>(k));
}

/// Inertia and mass must be stated or follow from shapes; densities are not used by these scenes.
inline Scenario in_units(Scenario scenario, const Units& units) {
  const double L = units.length, M = units.mass, T = units.time;
  scenario.model.gravity *= L / (T * T);
  for (Material& material : scenario.model.materials) material.torsional_friction *= L;
  for (BodyDescription& body : scenario.model.bodies) {
    if (body.mass) *body.mass *= M;
    if (body.inertia) {
      for (double& value : *body.inertia) value *= M * L * L;
    }
    if (body.center_of_mass) *body.center_of_mass *= L;
    body.position *= L;
    if (body.linear_velocity) *body.linear_velocity *= L / T;
    if (body.angular_velocity) *body.angular_velocity /= T;
    for (ShapeDescription& shape : body.shapes) {
      shape.shape = scaled_shape(shape.shape, L);
      shape.X_BS.p *= L;
      shape.surface_velocity *= L / T;
    }
    if (!body.motion) continue;
    body.motion->velocity *= L / T;
    body.motion->angular_velocity /= T;
    for (MotionTerm& term : body.motion->translation) term.amplitude *= L, term.frequency /= T;
    for (MotionTerm& term : body.motion->rotation) term.frequency /= T;
  }
  for (JointDescription& joint : scenario.model.joints) {
    joint.position *= L;
    joint.pitch *= L;
    for (size_t k = 0; k < joint.coordinates.size(); ++k) {
      const double length = is_travel(joint.type, k) ? L : 1;  // unit of the coordinate
      const double force = M * L * L / (T * T) / length;       // power over velocity
      JointCoordinate& c = joint.coordinates[k];
      for (double& limit : c.limits) limit *= length;
      c.rest *= length;
      c.friction *= force;
      c.stiffness *= force / length;
      c.damping *= force / length * T;
      c.armature *= force / length * T * T;
    }
    for (size_t k = 0; k < joint.initial_velocity.size(); ++k) {
      joint.initial_velocity[k] *= (is_travel(joint.type, k) ? L : 1) / T;
    }
  }
  scenario.settings.step *= T;
  scenario.settings.duration *= T;
  return scenario;
}

}  // namespace stiction::testing
