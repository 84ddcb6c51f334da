#include "stiction/study/standard_scenes.h"

#include <cmath>

#include <fmt/format.h>

#include "stiction/math/rotation.h"
#include "stiction/methods/penalty.h"

namespace stiction {

namespace {

constexpr double step = 1e-3;  // s

BodyDescription body_of(std::string name, double mass, geometry::Shape shape, const Vector3& position) {
  BodyDescription body;
  body.name = std::move(name);
  body.mass = mass;
  body.position = position;
  body.shapes.emplace_back();
  body.shapes.back().shape = std::move(shape);
  return body;
}

BodyDescription cube(std::string name, const Vector3& position) {
  return body_of(std::move(name), 1.0, geometry::Box{Vector3::Constant(0.05)}, position);
}

// A scene with a ground whose material every shape has.
StandardScene on_ground(std::string_view name, std::string_view sentence, double duration, double friction,
                        double restitution = 0) {
  StandardScene scene{name, sentence, {}, {}, {}};
  scene.settings.step = step;
  scene.settings.duration = duration;
  // The best of the sweep that `stiction reproduce drumwright2009/rivals` prints: the default's damping is too much for
  // a tennis ball at this step.
  scene.settings.options.of<methods::PenaltyOptions>() = {3e4, 20, 3e4, 20};
  Material material;
  material.name = "default";
  material.friction = {friction, friction};
  material.restitution = restitution;
  scene.model.materials.push_back(material);
  BodyDescription ground;
  ground.name = "ground";
  ground.fixed = true;
  ground.shapes.emplace_back();
  ground.shapes.back().shape = geometry::Plane{};
  scene.model.bodies.push_back(ground);
  return scene;
}

}  // namespace

StandardScene standard_stack(double duration) {
  StandardScene scene = on_ground("stack", "five cubes of 1 kg and 0.1 m on each other, friction 0.5", duration, 0.5);
  for (int i = 0; i < 5; ++i) {
    const std::string name = fmt::format("cube{}", i);
    scene.model.bodies.push_back(cube(name, {0, 0, 0.05 + 0.1 * i}));
    scene.pairs.push_back({{"ground"}, name, {}});
  }
  return scene;
}

StandardScene standard_grasp(double duration) {
  StandardScene scene = on_ground(
      "grasp", "a ball of 0.058 kg and 0.033 m between two jaws, pushed with 10 N, friction 0.6", duration, 0.6);
  const double height = 0.5, radius = 0.033;
  BodyDescription palm = body_of("palm", 0.2, geometry::Box{{0.02, 0.03, 0.03}}, {-radius - 0.02, 0, height});
  palm.fixed = true;
  scene.model.bodies.push_back(palm);
  scene.model.bodies.push_back(body_of("jaw", 0.2, geometry::Box{{0.02, 0.03, 0.03}}, {radius + 0.02, 0, height}));
  scene.model.bodies.push_back(body_of("ball", 0.058, geometry::Sphere{radius}, {0, 0, height}));
  JointDescription slide;
  slide.name = "slide";
  slide.type = JointType::prismatic;
  slide.parent = "palm";
  slide.child = "jaw";
  slide.position = Vector3(2 * radius + 0.04, 0, 0);
  slide.axis = Vector3::UnitX();
  scene.model.joints.push_back(slide);
  ActuatorDescription push;
  push.name = "push";
  push.joint = "slide";
  push.force = -10;
  scene.model.actuators.push_back(push);
  scene.pairs.push_back({{"palm"}, "ball", {}});
  return scene;
}

StandardScene standard_impact() {
  StandardScene scene = on_ground("impact", "a ball thrown at the ground at 1 m/s, restitution 0.5, no gravity", 0.2,
                                  0.5, standard_restitution);
  scene.model.gravity = Vector3::Zero();
  BodyDescription ball = body_of("ball", 1.0, geometry::Sphere{0.1}, {0, 0, 0.15});
  ball.linear_velocity = Vector3(0, 0, -standard_approach);
  scene.model.bodies.push_back(ball);
  scene.pairs.push_back({{"world"}, "ball", {}});
  return scene;
}

StandardScene standard_heap(double duration) {
  StandardScene scene = on_ground("heap", "eight tilted cubes that fall on each other, friction 0.5", duration, 0.5);
  for (int i = 0; i < 8; ++i) {
    // Turned by 0.7 rad about an axis that goes round, each a little aside of the one below: no symmetry is left. A
    // cube reaches 0.0866 m from its centre, so that none touches another at the start.
    const Vector3 aside(0.03 * std::cos(2.0 * i), 0.03 * std::sin(2.0 * i), 0.09 + 0.175 * i);
    BodyDescription box = cube(fmt::format("cube{}", i), aside);
    box.orientation = exp_rotation(0.7 * Vector3(std::cos(1.1 * i), std::sin(1.1 * i), 0.3));
    scene.model.bodies.push_back(box);
  }
  return scene;
}

StandardScene standard_slab(int contacts) {
  StandardScene scene = on_ground("slab", "a slab on n round feet that slides and turns, friction 0.3", 1.0, 0.3);
  const double foot = 0.01, spacing = 0.03;
  const int side = static_cast<int>(std::ceil(std::sqrt(contacts)));
  BodyDescription slab;
  slab.name = "slab";
  slab.mass = 1.0 + 0.05 * contacts;
  slab.position = Vector3(0, 0, foot);
  slab.linear_velocity = Vector3(0.5, 0.2, 0);
  slab.angular_velocity = Vector3(0, 0, 1);
  for (int i = 0; i < contacts; ++i) {
    ShapeDescription& shape = slab.shapes.emplace_back();
    shape.shape = geometry::Sphere{foot};
    shape.X_BS.p = Vector3(spacing * (i % side), spacing * (i / side), 0);
  }
  scene.model.bodies.push_back(slab);
  return scene;
}

}  // namespace stiction
