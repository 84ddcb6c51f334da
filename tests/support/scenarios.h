// Small scenes that tests and benchmarks of methods and of whole simulations share, built without files.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/math/rotation.h"
#include "stiction/methods/penalty.h"
#include "stiction/simulation/run.h"

namespace stiction::testing {

/// A scene and how to run it.
struct Scenario {
  std::string name;
  ModelDescription model;
  SimulationSettings settings;
};

inline Simulation make_simulation(const ModelDescription& description, const SimulationSettings& settings = {}) {
  Result<BuiltModel> built = build_model(description);
  if (!built) throw std::runtime_error(built.error().message());
  Result<Simulation> simulation = Simulation::create(std::move(*built), settings);
  if (!simulation) throw std::runtime_error(simulation.error().message());
  return std::move(*simulation);
}

/// Settings for stewart-trinkle, which most of these scenes were made for; tests of other methods name theirs.
inline SimulationSettings settings_of(double step, double duration) {
  SimulationSettings settings;
  settings.method = "stewart-trinkle";
  settings.step = step;
  settings.duration = duration;
  // Explicit springs that stay stable at steps up to 1/120 s and masses down to 0.5 kg.
  settings.options.of<methods::PenaltyOptions>() = {
      .stiffness = 1e3, .damping = 5, .tangential_stiffness = 1e3, .tangential_damping = 5};
  return settings;
}

/// Takes `steps` steps; throws when one fails.
inline void take_steps(Simulation& simulation, long steps) {
  for (long i = 0; i < steps; ++i) {
    if (const StepOutcome outcome = simulation.step(); !outcome.ok) throw std::runtime_error(outcome.failure);
  }
}

inline void run_to_end(Simulation& simulation) {
  take_steps(simulation, steps_for(simulation.settings().duration, simulation.settings().step));
}

inline ShapeDescription shape_of(geometry::Shape shape, const std::string& material = "wood") {
  ShapeDescription description;
  description.shape = std::move(shape);
  description.material = material;
  return description;
}

inline BodyDescription body_of(const std::string& name, double mass, geometry::Shape shape, const Vector3& position) {
  BodyDescription body;
  body.name = name;
  body.mass = mass;
  body.position = position;
  body.shapes.push_back(shape_of(std::move(shape)));
  return body;
}

/// A cube of side 0.1 m and 1 kg.
inline BodyDescription cube(const std::string& name, const Vector3& position) {
  return body_of(name, 1.0, geometry::Box{Vector3::Constant(0.05)}, position);
}

/// A fixed half-space z <= 0 whose friction direction is x.
inline BodyDescription ground_plane() {
  BodyDescription body;
  body.name = "ground";
  body.fixed = true;
  body.shapes.push_back(shape_of(geometry::Plane{}));
  body.shapes.back().friction_direction = Vector3::UnitX();
  return body;
}

/// "wood" with this friction, and the ground.
inline ModelDescription on_ground(double friction = 0.5) {
  ModelDescription model;
  model.materials.push_back({.name = "wood", .friction = {friction, friction}});
  model.bodies.push_back(ground_plane());
  return model;
}

inline JointDescription hinge(const std::string& name, const std::string& parent, const std::string& child,
                              const Vector3& position, const Vector3& axis = Vector3::UnitY()) {
  JointDescription joint;
  joint.name = name;
  joint.type = JointType::revolute;
  joint.parent = parent;
  joint.child = child;
  joint.position = position;
  joint.axis = axis;
  joint.coordinates.resize(1);
  return joint;
}

inline Scenario resting_box() {
  Scenario scenario{"resting_box", on_ground(), settings_of(1.0 / 240, 0.5)};
  scenario.model.bodies.push_back(cube("box", {0, 0, 0.05}));
  return scenario;
}

inline Scenario sliding_block() {
  Scenario scenario{"sliding_block", on_ground(0.3), settings_of(2e-3, 0.6)};
  BodyDescription block = body_of("block", 2, geometry::Box{{0.1, 0.08, 0.03}}, {0, 0, 0.03});
  block.linear_velocity = Vector3(1.0, 0.4, 0);
  block.angular_velocity = Vector3(0, 0, 2);
  scenario.model.bodies.push_back(block);
  return scenario;
}

/// `count` cubes on each other, the lowest on the ground.
inline Scenario tower(int count, double step) {
  Scenario scenario{"tower", on_ground(), settings_of(step, 0.5)};
  for (int i = 0; i < count; ++i) {
    scenario.model.bodies.push_back(cube("box" + std::to_string(i), {0, 0, 0.05 + 0.1 * i}));
  }
  return scenario;
}

/// One of every shape, turned and let fall on the ground.
inline Scenario dropped_shapes() {
  Scenario scenario{"dropped_shapes", on_ground(), settings_of(4e-3, 1.0)};
  const std::vector<Vector3> corners = {{0.1, 0.1, 0.1}, {0.1, -0.1, -0.1}, {-0.1, 0.1, -0.1}, {-0.1, -0.1, 0.1}};
  const std::vector<geometry::Shape> shapes = {
      geometry::Sphere{0.1},
      geometry::Box{{0.1, 0.08, 0.06}},
      geometry::Capsule{0.06, 0.08},
      geometry::Cylinder{0.08, 0.09},
      geometry::Ellipsoid{{0.12, 0.09, 0.06}},
      geometry::Convex{std::make_shared<geometry::ConvexHull>(geometry::convex_hull(corners).value())}};
  for (size_t i = 0; i < shapes.size(); ++i) {
    const double x = 0.18 * static_cast<double>(i % 3), y = 0.18 * static_cast<double>(i / 3);
    BodyDescription body =
        body_of("body" + std::to_string(i), 1, shapes[i], {x, y, 0.25 + 0.08 * static_cast<double>(i)});
    body.orientation = exp_rotation(Vector3(0.6, 0.2 * static_cast<double>(i), -0.4));
    scenario.model.bodies.push_back(body);
  }
  return scenario;
}

/// A bob on a hinge with dry friction that stops before it would hang straight.
inline Scenario friction_pendulum() {
  Scenario scenario{"friction_pendulum", on_ground(), settings_of(4e-3, 1.5)};
  scenario.model.bodies.push_back(body_of("bob", 1, geometry::Sphere{0.1}, {0.5, 0, 2}));
  scenario.model.joints.push_back(hinge("pivot", "world", "bob", {0, 0, 2}));
  scenario.model.joints.back().coordinates[0].friction = 1.2;
  return scenario;
}

/// A parallelogram of three bars that swings under gravity, dry friction in one hinge and a limit in another; its loop
/// joint is redundant, being a full hinge in a plane mechanism.
inline Scenario four_bar() {
  Scenario scenario{"four_bar", on_ground(), settings_of(2e-3, 1.0)};
  const auto bar = [&](const std::string& name, const Vector3& position, const Vector3& half) {
    BodyDescription body = body_of(name, 0.5, geometry::Box{half}, position);
    body.shapes[0].collide = false;
    scenario.model.bodies.push_back(body);
  };
  bar("left", {0, 0, 0.9}, {0.01, 0.01, 0.1});
  bar("right", {0.3, 0, 0.9}, {0.01, 0.01, 0.1});
  bar("floor", {0.15, 0, 0.8}, {0.15, 0.01, 0.01});
  scenario.model.joints = {
      hinge("top_left", "world", "left", {0, 0, 1}), hinge("top_right", "world", "right", {0.3, 0, 1}),
      hinge("bottom_left", "left", "floor", {0, 0, -0.1}), hinge("bottom_right", "right", "floor", {0, 0, -0.1})};
  scenario.model.joints[3].loop = true;
  scenario.model.joints[0].initial_velocity = {6.0};
  scenario.model.joints[1].initial_velocity = {6.0};
  scenario.model.joints[2].initial_velocity = {-6.0};
  scenario.model.joints[1].coordinates[0].friction = 0.05;
  scenario.model.joints[0].coordinates[0].limits = {-0.7, 0.7};
  return scenario;
}

/// A sphere that slides, spins and starts to roll.
inline Scenario rolling_sphere() {
  Scenario scenario{"rolling_sphere", on_ground(0.2), settings_of(4e-3, 1.0)};
  BodyDescription ball = body_of("ball", 1.5, geometry::Sphere{0.3}, {0, 0, 0.3});
  ball.linear_velocity = Vector3(2, 0.3, 0);
  ball.angular_velocity = Vector3(1, -2, 3);
  scenario.model.bodies.push_back(ball);
  return scenario;
}

/// A plane arm of two hinges with dry friction that falls on the ground: across its plane the contact cannot move at
/// all.
inline Scenario falling_arm() {
  Scenario scenario{"falling_arm", on_ground(0.3), settings_of(1e-3, 0.6)};
  scenario.model.bodies.push_back(body_of("upper", 0.5, geometry::Sphere{0.05}, {0.25, 0, 0.22}));
  scenario.model.bodies.push_back(body_of("fore", 0.7, geometry::Sphere{0.05}, {0.5, 0, 0.22}));
  scenario.model.joints = {hinge("shoulder", "world", "upper", {0, 0, 0.22}),
                           hinge("elbow", "upper", "fore", {0, 0, 0})};
  scenario.model.joints[0].coordinates[0].friction = 0.05;
  return scenario;
}

/// A press on a steep thread: it runs down by its weight, against dry friction, onto a cube, and stays there.
inline Scenario screw_press() {
  Scenario scenario{"screw_press", on_ground(0.4), settings_of(2e-3, 0.8)};
  scenario.model.bodies.push_back(cube("work", {0, 0, 0.05}));
  scenario.model.bodies.push_back(body_of("press", 2, geometry::Sphere{0.05}, {0, 0, 0.3}));
  JointDescription thread = hinge("thread", "world", "press", {0, 0, 0.3}, Vector3::UnitZ());
  thread.type = JointType::screw;
  thread.pitch = 0.25;
  thread.coordinates[0].friction = 0.05;
  scenario.model.joints.push_back(thread);
  return scenario;
}

/// Many islands: cubes that fall on the ground in pairs, far from each other.
inline Scenario many_islands(int count) {
  Scenario scenario{"many_islands", on_ground(), settings_of(4e-3, 0.5)};
  for (int i = 0; i < count; ++i) {
    const double x = i % 6, y = i / 6;
    BodyDescription lower = cube("lower" + std::to_string(i), {x, y, 0.06 + 0.01 * i});
    lower.orientation = exp_rotation(Vector3(0.1 * i, 0.3, -0.05 * i));
    scenario.model.bodies.push_back(lower);
    scenario.model.bodies.push_back(cube("upper" + std::to_string(i), {x + 0.02, y, 0.25 + 0.01 * i}));
  }
  return scenario;
}

/// A chain of three links on the ground, hinged to a cart, beside a tower: trees of several sizes; joints with friction
/// and limits.
inline Scenario cart_beside_tower(methods::Coordinates coordinates) {
  Scenario scenario = tower(2, 1e-3);
  ModelDescription& model = scenario.model;
  model.bodies.push_back(body_of("cart", 2, geometry::Box{{0.2, 0.1, 0.05}}, {1, 0, 0.05}));
  std::string parent = "cart";
  for (int i = 0; i < 3; ++i) {
    const std::string name = "link" + std::to_string(i);
    model.bodies.push_back(body_of(name, 0.5, geometry::Sphere{0.05}, {1.3 + 0.2 * i, 0.01 * i, 0.05}));
    model.joints.push_back(
        hinge("hinge" + std::to_string(i), parent, name, {i == 0 ? 0.2 : 0.1, 0, 0}, Vector3(0.1 * i, 1, 0.3)));
    model.joints.back().coordinates[0].friction = 0.1;
    model.joints.back().coordinates[0].limits = {0, 1};
    parent = name;
  }
  scenario.settings.options.coordinates = coordinates;
  return scenario;
}

/// What every method must manage.
inline std::vector<Scenario> conformance_scenarios() {
  return {resting_box(), sliding_block(), tower(5, 1.0 / 120), dropped_shapes(), friction_pendulum(),
          four_bar(),    falling_arm(),   rolling_sphere(),    screw_press()};
}

}  // namespace stiction::testing
