// Every key of a scene file, read back from the description it fills.
#include "stiction/scene/scene.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/methods/exact_cone.h"
#include "stiction/methods/stewart_trinkle.h"
#include "stiction/model/joint_traits.h"
#include "stiction/scene/sections.h"

namespace stiction::scene {
namespace {

using ::testing::ElementsAre;

Scene parse(const std::string& text) {
  Result<Scene> scene = parse_scene(text, "test.toml");
  EXPECT_TRUE(scene.has_value()) << (scene ? "" : scene.error().message());
  return scene ? *scene : Scene{};
}

constexpr const char* minimal = "[[body]]\nname = \"b\"\nmass = 1\n";

TEST(Scene, DefaultsAreThoseOfTheStructs) {
  const Scene scene = parse(minimal);
  EXPECT_EQ(scene.file, "test.toml");
  EXPECT_EQ(scene.model.file, "test.toml");
  EXPECT_EQ(scene.settings.method, "exact-cone");
  EXPECT_EQ(scene.settings.solver, "auto");
  EXPECT_EQ(scene.settings.step, 1e-3);
  EXPECT_EQ(scene.settings.duration, 1.0);
  EXPECT_EQ(scene.settings.threads, 1);
  EXPECT_EQ(scene.settings.certificate_tolerance, 1e-8);
  EXPECT_EQ(scene.settings.options.coordinates, methods::Coordinates::reduced);
  EXPECT_EQ(scene.settings.options.of<methods::ExactConeOptions>().tolerance, 0.0);
  EXPECT_EQ(scene.settings.options.of<methods::ExactConeOptions>().acceptance, 0.0);
  EXPECT_EQ(scene.settings.options.of<methods::ExactConeOptions>().max_recovery_speed, 0.5);
  EXPECT_TRUE(scene.settings.options.of<methods::ExactConeOptions>().anchors);
  EXPECT_EQ(scene.settings.options.of<methods::StewartTrinkleOptions>().friction_directions, 8);
  EXPECT_EQ(scene.settings.options.of<methods::StewartTrinkleOptions>().max_recovery_speed, infinity);
  EXPECT_EQ(scene.model.gravity, Vector3(0, 0, -9.81));
  ASSERT_EQ(scene.model.bodies.size(), 1u);
  const BodyDescription& body = scene.model.bodies[0];
  EXPECT_FALSE(body.fixed);
  EXPECT_FALSE(body.density || body.inertia || body.center_of_mass || body.linear_velocity || body.angular_velocity);
  EXPECT_FALSE(body.motion.has_value());
  EXPECT_EQ(body.position, Vector3::Zero());
  EXPECT_EQ(body.orientation.coeffs(), Quaternion::Identity().coeffs());
}

TEST(Scene, SimulationAndMethod) {
  const Scene scene = parse(std::string(R"(
[simulation]
method = "stewart-trinkle"
solver = "lemke"
step = 2e-3
duration = 3
gravity = [1, 2, -3.5]
threads = 4
certificate_tolerance = 1e-6
[method.stewart-trinkle]
coordinates = "maximal"
friction_directions = 16
friction_angle = 0.25
max_recovery_speed = 0.5
)") + minimal);
  EXPECT_EQ(scene.settings.solver, "lemke");
  EXPECT_EQ(scene.settings.step, 2e-3);
  EXPECT_EQ(scene.settings.duration, 3.0);
  EXPECT_EQ(scene.model.gravity, Vector3(1, 2, -3.5));
  EXPECT_EQ(scene.settings.threads, 4);
  EXPECT_EQ(scene.settings.certificate_tolerance, 1e-6);
  EXPECT_EQ(scene.settings.options.coordinates, methods::Coordinates::maximal);
  EXPECT_EQ(scene.settings.options.of<methods::StewartTrinkleOptions>().friction_directions, 16);
  EXPECT_EQ(scene.settings.options.of<methods::StewartTrinkleOptions>().friction_angle, 0.25);
  EXPECT_EQ(scene.settings.options.of<methods::StewartTrinkleOptions>().max_recovery_speed, 0.5);
}

void expect_material_values(const Material& material) {
  EXPECT_THAT(material.friction, ElementsAre(0.8, 0.4));
  EXPECT_EQ(material.torsional_friction, 0.04);
  EXPECT_EQ(material.rolling_friction, 0.01);
  EXPECT_EQ(material.restitution, 0.25);
  EXPECT_EQ(material.static_friction, 0.9);
  EXPECT_EQ(material.stribeck_velocity, 0.02);
  EXPECT_EQ(material.layer.stiffness(0, 0), 1e5);
  EXPECT_EQ(material.layer.damping(0, 0), 30);
  EXPECT_EQ(material.layer.thickness, 0.005);
}

TEST(Scene, MaterialsAndPairs) {
  const std::string values = R"(
friction = [0.8, 0.4]
torsional_friction = 0.04
rolling_friction = 0.01
restitution = 0.25
static_friction = 0.9
stribeck_velocity = 0.02
stiffness = 1e5
damping = 30
layer_thickness = 0.005
)";
  const Scene scene =
      parse("[material.rubber]" + values + "[material.ice]\nfriction = 0.05\n[[pair]]\nmaterials = ['rubber', 'ice']" +
            values + minimal);
  ASSERT_EQ(scene.model.materials.size(), 2u);
  EXPECT_EQ(scene.model.materials[0].name, "rubber");  // the file's order, not the alphabet's
  EXPECT_EQ(scene.model.materials[0].line, 1);
  expect_material_values(scene.model.materials[0]);
  EXPECT_EQ(scene.model.materials[1].name, "ice");
  EXPECT_EQ(scene.model.materials[1].line, 11);
  EXPECT_THAT(scene.model.materials[1].friction, ElementsAre(0.05, 0.05));
  EXPECT_EQ(scene.model.materials[1].static_friction, -1);
  ASSERT_EQ(scene.model.pairs.size(), 1u);
  EXPECT_THAT(scene.model.pairs[0].materials, ElementsAre("rubber", "ice"));
  EXPECT_EQ(scene.model.pairs[0].line, 13);
  expect_material_values(scene.model.pairs[0].values);
}

CompliantLayer parse_layer(const std::string& values) {
  return parse("[material.m]\n" + values + minimal).model.materials[0].layer;
}

TEST(Scene, StiffnessAndDampingOfALayer) {
  const CompliantLayer rigid = parse_layer("");
  EXPECT_FALSE(rigid.given());
  EXPECT_EQ(rigid.thickness, infinity);
  EXPECT_EQ(parse_layer("stiffness = 7\n").stiffness, Matrix3(Vector3(7, 7, 7).asDiagonal()));
  EXPECT_EQ(parse_layer("stiffness = [7, 2]\n").stiffness, Matrix3(Vector3(7, 2, 2).asDiagonal()));
  EXPECT_EQ(parse_layer("damping = [7, 2, 3]\n").damping, Matrix3(Vector3(7, 2, 3).asDiagonal()));
  Matrix3 full;
  full << 7, 1, -2, 1, 5, 0.5, -2, 0.5, 4;
  EXPECT_EQ(parse_layer("stiffness = [[7, 1, -2], [1, 5, 0.5], [-2, 0.5, 4]]\n").stiffness, full);
  EXPECT_EQ(parse_layer("damping = [[7, 1, -2], [1, 5, 0.5], [-2, 0.5, 4]]\n").damping, full);
}

TEST(Scene, LawOfALayer) {
  using Law = CompliantLayer::Law;
  EXPECT_EQ(parse_layer("stiffness = 7\n").law, Law::kelvin_voigt);
  EXPECT_EQ(parse_layer("stiffness = 7\ncontact_law = 'kelvin-voigt'\n").law, Law::kelvin_voigt);
  const CompliantLayer hertz = parse_layer("stiffness = 7\ncontact_law = 'hertz'\n");
  EXPECT_EQ(hertz.law, Law::hertz);
  EXPECT_EQ(hertz.exponent, 1.5);
  const CompliantLayer damped = parse_layer("stiffness = 7\ncontact_law = 'hunt-crossley'\ncontact_exponent = 1.25\n");
  EXPECT_EQ(damped.law, Law::hunt_crossley);
  EXPECT_EQ(damped.exponent, 1.25);
  EXPECT_EQ(damped.damping_exponent, 1.25);
  EXPECT_EQ(damped.rate_exponent, 1);
  const CompliantLayer all =
      parse_layer("stiffness = 7\ncontact_law = 'hunt-crossley'\ndamping_exponent = 2\nrate_exponent = 0.5\n");
  EXPECT_EQ(all.exponent, 1.5);
  EXPECT_EQ(all.damping_exponent, 2);
  EXPECT_EQ(all.rate_exponent, 0.5);
}

TEST(Scene, Body) {
  const Scene scene = parse(R"(
[[body]]
name = "a"
mass = 2
inertia = [1, 2, 2.5, 0.1, 0.2, 0.3]
center_of_mass = [0.1, 0, 0]
position = [1, 2, 3]
orientation = [2, 0, 0, 2]
linear_velocity = [4, 5, 6]
angular_velocity = [7, 8, 9]

[[body]]
name = "b"
density = 7800.0

[[body]]
name = "c"
fixed = true
)");
  ASSERT_EQ(scene.model.bodies.size(), 3u);
  const BodyDescription& a = scene.model.bodies[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.line, 2);
  EXPECT_EQ(a.mass, 2.0);
  EXPECT_THAT(*a.inertia, ElementsAre(1, 2, 2.5, 0.1, 0.2, 0.3));
  EXPECT_EQ(*a.center_of_mass, Vector3(0.1, 0, 0));
  EXPECT_EQ(a.position, Vector3(1, 2, 3));
  EXPECT_DOUBLE_EQ(a.orientation.w(), std::sqrt(0.5));  // normalised
  EXPECT_DOUBLE_EQ(a.orientation.z(), std::sqrt(0.5));
  EXPECT_EQ(*a.linear_velocity, Vector3(4, 5, 6));
  EXPECT_EQ(*a.angular_velocity, Vector3(7, 8, 9));
  EXPECT_EQ(scene.model.bodies[1].line, 12);
  EXPECT_EQ(scene.model.bodies[1].density, 7800.0);
  EXPECT_FALSE(scene.model.bodies[1].mass.has_value());
  EXPECT_TRUE(scene.model.bodies[2].fixed);
}

TEST(Scene, PrescribedMotion) {
  const Scene scene = parse(R"(
[[body]]
name = "plate"
[body.motion]
velocity = [1, 0, 0]
angular_velocity = [0, 0, 2]
translation = [{ amplitude = [0, 0, 0.01], frequency = 50, phase = 0.5 }, { amplitude = [1, 0, 0], frequency = 3 }]
rotation = [{ amplitude = [0.1, 0, 0], frequency = 4, phase = -1 }]
)");
  ASSERT_TRUE(scene.model.bodies.at(0).motion.has_value());
  const MotionDescription& motion = *scene.model.bodies[0].motion;
  EXPECT_EQ(motion.velocity, Vector3(1, 0, 0));
  EXPECT_EQ(motion.angular_velocity, Vector3(0, 0, 2));
  ASSERT_EQ(motion.translation.size(), 2u);
  EXPECT_EQ(motion.translation[0].amplitude, Vector3(0, 0, 0.01));
  EXPECT_EQ(motion.translation[0].frequency, 50);
  EXPECT_EQ(motion.translation[0].phase, 0.5);
  EXPECT_EQ(motion.translation[1].phase, 0);
  ASSERT_EQ(motion.rotation.size(), 1u);
  EXPECT_EQ(motion.rotation[0].amplitude, Vector3(0.1, 0, 0));
  EXPECT_EQ(motion.rotation[0].phase, -1);
}

TEST(Scene, ShapesOfEveryType) {
  const Scene scene = parse(R"(
[[body]]
name = "b"
mass = 1
shapes = [
  { type = "plane", normal = [0, 3, 4], offset = 2 },
  { type = "sphere", radius = 0.5 },
  { type = "box", size = [1, 2, 3] },
  { type = "capsule", radius = 0.1, length = 0.6 },
  { type = "cylinder", radius = 0.2, length = 0.8 },
  { type = "ellipsoid", radii = [1, 2, 3] },
  { type = "convex", vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] },
  { type = "superellipsoid", radii = [1, 2, 3], exponents = [4, 2.5] },
  { type = "cone", radius = 0.2, length = 0.8 },
  { type = "rounded-box", size = [1, 2, 3], radius = 0.5 },
  { type = "implicit", functions = [{ terms = [[1, 4, 0, 0], [1, 0, 4, 0], [1, 0, 0, 4], [-1e-4, 0, 0, 0]] }] },
  { type = "bowl", radius = 2 },
]
)");
  const std::vector<ShapeDescription>& shapes = scene.model.bodies.at(0).shapes;
  ASSERT_EQ(shapes.size(), 12u);
  EXPECT_EQ(std::get<geometry::Superellipsoid>(shapes[7].shape).radii, Vector3(1, 2, 3));
  EXPECT_EQ(std::get<geometry::Superellipsoid>(shapes[7].shape).p, 4);
  EXPECT_EQ(std::get<geometry::Superellipsoid>(shapes[7].shape).q, 2.5);
  EXPECT_EQ(std::get<geometry::Cone>(shapes[8].shape).radius, 0.2);
  EXPECT_EQ(std::get<geometry::Cone>(shapes[8].shape).half_length, 0.4);
  EXPECT_EQ(std::get<geometry::RoundedBox>(shapes[9].shape).half_size, Vector3(0.5, 1, 1.5));
  EXPECT_EQ(std::get<geometry::RoundedBox>(shapes[9].shape).radius, 0.5);
  EXPECT_EQ(std::get<geometry::Bowl>(shapes[11].shape).radius, 2);
  // x^4 + y^4 + z^4 <= 1e-4 reaches 0.1 along each axis.
  EXPECT_LT((std::get<geometry::Implicit>(shapes[10].shape).solid->upper - Vector3::Constant(0.1)).norm(), 1e-15);
  EXPECT_EQ(std::get<geometry::Plane>(shapes[0].shape).normal, Vector3(0, 0.6, 0.8));
  EXPECT_TRUE(shapes[0].X_BS.p.isApprox(Vector3(0, 1.2, 1.6)));
  EXPECT_EQ(std::get<geometry::Sphere>(shapes[1].shape).radius, 0.5);
  EXPECT_EQ(std::get<geometry::Box>(shapes[2].shape).half_size, Vector3(0.5, 1, 1.5));
  EXPECT_EQ(std::get<geometry::Capsule>(shapes[3].shape).radius, 0.1);
  EXPECT_EQ(std::get<geometry::Capsule>(shapes[3].shape).half_length, 0.3);
  EXPECT_EQ(std::get<geometry::Cylinder>(shapes[4].shape).radius, 0.2);
  EXPECT_EQ(std::get<geometry::Cylinder>(shapes[4].shape).half_length, 0.4);
  EXPECT_EQ(std::get<geometry::Ellipsoid>(shapes[5].shape).radii, Vector3(1, 2, 3));
  EXPECT_EQ(std::get<geometry::Convex>(shapes[6].shape).hull->vertices.size(), 4u);
  for (size_t i = 0; i < shapes.size(); ++i) EXPECT_EQ(shapes[i].line, 6 + static_cast<int>(i));
}

TEST(Scene, WhatAllShapesShare) {
  const Scene scene = parse(R"(
[material.m]
[[body]]
name = "b"
mass = 1
[body.shape]
type = "sphere"
radius = 1
material = "m"
position = [1, 2, 3]
orientation = [1, 0, 0, 1]
friction_direction = [0, 2, 0]
surface_velocity = [0.5, 0, 0]
collide = false
)");
  const ShapeDescription& shape = scene.model.bodies.at(0).shapes.at(0);
  EXPECT_EQ(shape.material, "m");
  EXPECT_EQ(shape.line, 6);
  EXPECT_EQ(shape.X_BS.p, Vector3(1, 2, 3));
  EXPECT_TRUE((shape.X_BS.R * Vector3::UnitX()).isApprox(Vector3::UnitY()));  // a quarter turn about z
  EXPECT_EQ(shape.friction_direction, Vector3::UnitY());
  EXPECT_EQ(shape.surface_velocity, Vector3(0.5, 0, 0));
  EXPECT_FALSE(shape.collide);
}

TEST(Scene, PlaneOffsetFollowsTheShapesOrientation) {
  // z up turned by a quarter about y is x: the plane x <= 2, moved by position to x <= 3.
  const Scene scene = parse(R"(
[[body]]
name = "wall"
fixed = true
shape = { type = "plane", offset = 2, orientation = [1, 0, 1, 0], position = [1, 0, 0] }
)");
  EXPECT_TRUE(scene.model.bodies.at(0).shapes.at(0).X_BS.p.isApprox(Vector3(3, 0, 0), 1e-15));
}

TEST(Scene, JointWithScalars) {
  const Scene scene = parse(R"(
[[body]]
name = "a"
mass = 1
[[joint]]
name = "elbow"
type = "revolute"
parent = "world"
child = "a"
position = [0, 0, 0.3]
orientation = [0, 0, 0, -1]
axis = [0, 2, 0]
axis2 = [3, 0, 0]
limits = [-2, inf]
friction = 0.1
damping = 0.2
stiffness = 0.3
rest = -0.4
armature = 0.5
velocity = 3
reference = 0.7
loop = true
collide = true
)");
  const JointDescription& joint = scene.model.joints.at(0);
  EXPECT_EQ(joint.name, "elbow");
  EXPECT_EQ(joint.type, JointType::revolute);
  EXPECT_EQ(joint.parent, "world");
  EXPECT_EQ(joint.child, "a");
  EXPECT_EQ(joint.line, 5);
  EXPECT_EQ(joint.position, Vector3(0, 0, 0.3));
  EXPECT_EQ(joint.orientation.z(), -1);
  EXPECT_EQ(joint.axis, Vector3::UnitY());
  EXPECT_EQ(*joint.axis2, Vector3::UnitX());
  ASSERT_EQ(joint.coordinates.size(), 1u);
  EXPECT_THAT(joint.coordinates[0].limits, ElementsAre(-2, infinity));
  EXPECT_EQ(joint.coordinates[0].friction, 0.1);
  EXPECT_EQ(joint.coordinates[0].damping, 0.2);
  EXPECT_EQ(joint.coordinates[0].stiffness, 0.3);
  EXPECT_EQ(joint.coordinates[0].rest, -0.4);
  EXPECT_EQ(joint.coordinates[0].armature, 0.5);
  EXPECT_THAT(joint.initial_velocity, ElementsAre(3));
  EXPECT_THAT(joint.reference, ElementsAre(0.7));
  EXPECT_TRUE(joint.loop);
  EXPECT_TRUE(joint.collide);
}

TEST(Scene, JointOfEveryTypeWithArrays) {
  for (const JointTraits& traits : all_joint_traits()) {
    const std::string name(traits.name);
    const int count = traits.v_size();
    std::string limits = "[", friction = "[";
    for (int i = 0; i < count; ++i) {
      limits += "[-" + std::to_string(i + 1) + ", 1], ";
      friction += std::to_string(i) + ", ";
    }
    std::string text =
        std::string(minimal) + "[[joint]]\nname = 'j'\nparent = 'world'\nchild = 'b'\ntype = '" + name + "'\n";
    if (traits.has_pitch) text += "pitch = -0.3\n";
    if (count > 0)
      text += "limits = " + limits + "]\nfriction = " + friction + "]\nvelocity = " + friction + "]\ndamping = 2\n";
    const Scene scene = parse(text);
    const JointDescription& joint = scene.model.joints.at(0);
    EXPECT_EQ(joint.type, traits.type);
    EXPECT_EQ(joint.pitch, traits.has_pitch ? -0.3 : 0) << name;
    ASSERT_EQ(joint.coordinates.size(), static_cast<size_t>(count)) << name;
    for (int i = 0; i < count; ++i) {
      EXPECT_THAT(joint.coordinates[i].limits, ElementsAre(-i - 1, 1)) << name;
      EXPECT_EQ(joint.coordinates[i].friction, i) << name;
      EXPECT_EQ(joint.coordinates[i].damping, 2) << name;
      EXPECT_EQ(joint.initial_velocity[i], i) << name;
    }
  }
}

TEST(Scene, OnePairOfLimitsHoldsForEveryCoordinate) {
  const Scene scene = parse(std::string(minimal) +
                            "[[joint]]\nname = 'j'\nparent = 'world'\nchild = 'b'\ntype = 'universal'\nlimits = [-1, "
                            "2]\nreference = [0.5, 0.6]\n");
  const JointDescription& joint = scene.model.joints.at(0);
  ASSERT_EQ(joint.coordinates.size(), 2u);
  for (const JointCoordinate& coordinate : joint.coordinates) EXPECT_THAT(coordinate.limits, ElementsAre(-1, 2));
  EXPECT_THAT(joint.reference, ElementsAre(0.5, 0.6));
}

TEST(Scene, Actuator) {
  const Scene scene = parse(std::string(minimal) + R"(
[[actuator]]
name = "motor"
joint = "elbow"
coordinate = 1
force = -2
stiffness = 3
damping = 4
target = 5
target_velocity = 6
max_force = 7
)");
  const ActuatorDescription& actuator = scene.model.actuators.at(0);
  EXPECT_EQ(actuator.name, "motor");
  EXPECT_EQ(actuator.joint, "elbow");
  EXPECT_EQ(actuator.coordinate, 1);
  EXPECT_EQ(actuator.force, -2);
  EXPECT_EQ(actuator.stiffness, 3);
  EXPECT_EQ(actuator.damping, 4);
  EXPECT_EQ(actuator.target, 5);
  EXPECT_EQ(actuator.target_velocity, 6);
  EXPECT_EQ(actuator.max_force, 7);
  EXPECT_EQ(actuator.line, 5);
}

TEST(Scene, HugeAndTinyDirectionsAndQuaternionsStayUnit) {
  const Scene scene = parse(R"(
[[body]]
name = "b"
fixed = true
orientation = [1e-200, 0, 0, 1e-200]
shape = { type = "plane", normal = [0, 0, 1e300] }
)");
  EXPECT_NEAR(scene.model.bodies.at(0).orientation.norm(), 1, 1e-15);
  EXPECT_EQ(std::get<geometry::Plane>(scene.model.bodies[0].shapes.at(0).shape).normal, Vector3::UnitZ());
}

}  // namespace
}  // namespace stiction::scene
