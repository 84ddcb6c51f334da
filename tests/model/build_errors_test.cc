// Every mistake that build_model() names: each test breaks one thing in a scene that is right.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/model/model.h"

namespace stiction {
namespace {

using ::testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

BodyDescription box(const std::string& name, int line) {
  BodyDescription body;
  body.name = name;
  body.mass = 1;
  body.line = line;
  ShapeDescription shape;
  shape.shape = geometry::Box{Vector3(0.1, 0.2, 0.3)};
  shape.line = line + 1;
  body.shapes = {shape};
  return body;
}

JointDescription hinge(const std::string& name, const std::string& parent, const std::string& child, int line) {
  JointDescription joint;
  joint.name = name;
  joint.parent = parent;
  joint.child = child;
  joint.line = line;
  joint.coordinates.resize(1);
  return joint;
}

// ground (fixed, plane), a, b, c; joints ground-a, a-b; an actuator on the second.
ModelDescription good_scene() {
  ModelDescription scene;
  scene.file = "scene.toml";
  Material rubber;
  rubber.name = "rubber";
  rubber.line = 2;
  rubber.layer.stiffness = 100 * Matrix3::Identity();
  scene.materials = {rubber};
  BodyDescription ground = box("ground", 10);
  ground.fixed = true;
  ground.mass.reset();
  ground.shapes[0].shape = geometry::Plane{};
  scene.bodies = {ground, box("alpha", 20), box("beta", 30), box("gamma", 40)};
  scene.joints = {hinge("shoulder", "ground", "alpha", 50), hinge("elbow", "alpha", "beta", 60)};
  ActuatorDescription drive;
  drive.name = "drive";
  drive.joint = "elbow";
  drive.line = 70;
  scene.actuators = {drive};
  return scene;
}

struct Mistake {
  const char* label;
  std::function<void(ModelDescription&)> make;
  const char* what;  // part of the message
  const char* name;  // the name it must point at
  int line;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.label;
}

class BuildErrors : public ::testing::TestWithParam<Mistake> {};

TEST(BuildModel, TheSceneWithoutMistakesBuilds) {
  const auto built = build_model(good_scene());
  ASSERT_TRUE(built) << built.error().message();
  EXPECT_TRUE(built->warnings.empty());
}

TEST_P(BuildErrors, NamesItemLineAndRemedy) {
  ModelDescription scene = good_scene();
  GetParam().make(scene);
  const auto built = build_model(scene);
  ASSERT_FALSE(built);
  const Error& error = built.error();
  EXPECT_THAT(error.what, HasSubstr(GetParam().what));
  EXPECT_EQ(error.name, GetParam().name);
  EXPECT_EQ(error.line, GetParam().line);
  EXPECT_EQ(error.file, "scene.toml");
  EXPECT_FALSE(error.remedy.empty());
}

using D = ModelDescription;

CompliantLayer& layer(D& d) {
  return d.materials[0].layer;
}

const Mistake mistakes[] = {
    {"empty", [](D& d) { d.bodies.clear(); }, "no bodies", "", 0},
    {"gravity", [](D& d) { d.gravity.x() = nan; }, "gravity is not finite", "gravity", 0},
    {"duplicate_body", [](D& d) { d.bodies[2].name = "alpha"; }, "same name", "alpha", 30},
    {"unnamed_body", [](D& d) { d.bodies[3].name = ""; }, "no name", "", 40},
    {"body_called_world", [](D& d) { d.bodies[3].name = "world"; }, "called 'world'", "world", 40},
    {"duplicate_joint", [](D& d) { d.joints[1].name = "shoulder"; }, "same name", "shoulder", 60},
    {"duplicate_material", [](D& d) { d.materials.push_back(d.materials[0]); }, "same name", "rubber", 2},
    {"unknown_parent", [](D& d) { d.joints[1].parent = "alpa"; }, "unknown body", "alpa", 60},
    {"unknown_child", [](D& d) { d.joints[1].child = "betta"; }, "unknown body", "betta", 60},
    {"unknown_material", [](D& d) { d.bodies[1].shapes[0].material = "ruber"; }, "unknown material", "ruber", 21},
    {"unknown_pair",
     [](D& d) {
       d.pairs = {{{"rubber", "stel"}, {}, 5}};
     },
     "unknown material", "stel", 5},
    {"duplicate_pair",
     [](D& d) {
       d.pairs = {{{"rubber", "default"}, {}, 5}, {{"default", "rubber"}, {}, 6}};
     },
     "same materials", "default/rubber", 6},
    {"unknown_joint", [](D& d) { d.actuators[0].joint = "elbw"; }, "unknown joint", "elbw", 70},
    {"no_coordinate", [](D& d) { d.actuators[0].coordinate = 1; }, "coordinate", "drive", 70},
    {"negative_coordinate", [](D& d) { d.actuators[0].coordinate = -1; }, "coordinate", "drive", 70},
    {"actuator_nan", [](D& d) { d.actuators[0].target = nan; }, "not finite", "drive", 70},
    {"actuator_stiffness", [](D& d) { d.actuators[0].stiffness = -1; }, "stiffness is negative", "drive", 70},
    {"actuator_damping", [](D& d) { d.actuators[0].damping = -1; }, "damping is negative", "drive", 70},
    {"actuator_limit", [](D& d) { d.actuators[0].max_force = 0; }, "max_force", "drive", 70},
    {"zero_mass", [](D& d) { d.bodies[1].mass = 0; }, "mass is not positive", "alpha", 20},
    {"negative_mass", [](D& d) { d.bodies[1].mass = -1; }, "mass is not positive", "alpha", 20},
    {"nan_mass", [](D& d) { d.bodies[1].mass = nan; }, "mass is not positive", "alpha", 20},
    {"infinite_mass", [](D& d) { d.bodies[1].mass = infinity; }, "mass is not positive", "alpha", 20},
    {"missing_mass", [](D& d) { d.bodies[1].mass.reset(); }, "no mass", "alpha", 20},
    {"mass_and_density", [](D& d) { d.bodies[1].density = 5; }, "both mass and density", "alpha", 20},
    {"negative_density", [](D& d) { d.bodies[1].mass.reset(), d.bodies[1].density = -5; }, "density", "alpha", 20},
    {"density_without_volume",
     [](D& d) { d.bodies[1].mass.reset(), d.bodies[1].density = 5, d.bodies[1].shapes.clear(); }, "no shape", "alpha",
     20},
    {"moving_plane", [](D& d) { d.bodies[1].shapes[0].shape = geometry::Plane{}; }, "plane", "alpha", 21},
    {"moving_bowl", [](D& d) { d.bodies[1].shapes[0].shape = geometry::Bowl{2}; }, "bowl", "alpha", 21},
    {"bowl_without_radius", [](D& d) { d.bodies[0].shapes[0].shape = geometry::Bowl{}; }, "dimension", "ground", 11},
    {"point_mass", [](D& d) { d.bodies[1].shapes.clear(); }, "neither inertia nor a shape", "alpha", 20},
    {"inertia_negative", [](D& d) { d.bodies[1].inertia = {1, 1, -1, 0, 0, 0}; }, "positive definite", "alpha", 20},
    {"inertia_zero", [](D& d) { d.bodies[1].inertia = {0, 0, 0, 0, 0, 0}; }, "positive definite", "alpha", 20},
    {"inertia_indefinite", [](D& d) { d.bodies[1].inertia = {1, 1, 1, 2, 0, 0}; }, "positive definite", "alpha", 20},
    {"inertia_triangle", [](D& d) { d.bodies[1].inertia = {1, 1, 2.1, 0, 0, 0}; }, "triangle", "alpha", 20},
    {"inertia_triangle_turned", [](D& d) { d.bodies[1].inertia = {3, 3, 2, 2.5, 0, 0}; }, "triangle", "alpha", 20},
    {"inertia_nan", [](D& d) { d.bodies[1].inertia = {1, 1, nan, 0, 0, 0}; }, "not finite", "alpha", 20},
    {"position_nan", [](D& d) { d.bodies[1].position.y() = nan; }, "position", "alpha", 20},
    {"center_nan", [](D& d) { d.bodies[1].center_of_mass = Vector3(0, nan, 0); }, "center_of_mass", "alpha", 20},
    {"velocity_nan", [](D& d) { d.bodies[3].linear_velocity = Vector3(0, infinity, 0); }, "linear_velocity", "gamma",
     40},
    {"spin_nan", [](D& d) { d.bodies[3].angular_velocity = Vector3(0, nan, 0); }, "angular_velocity", "gamma", 40},
    {"fixed_moving", [](D& d) { d.bodies[0].linear_velocity = Vector3::UnitX(); }, "initial velocity", "ground", 10},
    {"fixed_and_motion", [](D& d) { d.bodies[0].motion.emplace(); }, "fixed and has", "ground", 10},
    {"motion_nan", [](D& d) { d.joints.clear(), d.actuators.clear(), d.bodies[1].motion.emplace().velocity.x() = nan; },
     "motion", "alpha", 20},
    {"zero_quaternion", [](D& d) { d.bodies[1].orientation.coeffs().setZero(); }, "zero quaternion", "alpha", 20},
    {"nan_quaternion", [](D& d) { d.bodies[1].orientation.w() = nan; }, "not finite", "alpha", 20},
    {"joint_zero_quaternion", [](D& d) { d.joints[0].orientation.coeffs().setZero(); }, "zero quaternion", "shoulder",
     50},
    {"shape_size", [](D& d) { d.bodies[1].shapes[0].shape = geometry::Sphere{0}; }, "dimension", "alpha", 21},
    {"shape_nan", [](D& d) { d.bodies[1].shapes[0].X_BS.p.x() = nan; }, "not finite", "alpha", 21},
    {"joint_itself", [](D& d) { d.joints[1].parent = "beta"; }, "itself", "elbow", 60},
    {"joint_fixed_world", [](D& d) { d.joints[0].child = "world"; }, "not simulated", "shoulder", 50},
    {"zero_axis", [](D& d) { d.joints[0].axis.setZero(); }, "axis is zero", "shoulder", 50},
    {"nan_axis", [](D& d) { d.joints[0].axis.x() = nan; }, "axis is not finite", "shoulder", 50},
    {"joint_position_nan", [](D& d) { d.joints[0].position.x() = nan; }, "position", "shoulder", 50},
    {"universal_parallel",
     [](D& d) {
       d.joints[0].type = JointType::universal, d.joints[0].axis2 = Vector3(0, 0, 2), d.joints[0].coordinates.clear();
     },
     "parallel", "shoulder", 50},
    {"universal_one_axis", [](D& d) { d.joints[0].type = JointType::universal, d.joints[0].coordinates.clear(); },
     "no axis2", "shoulder", 50},
    {"screw_without_pitch", [](D& d) { d.joints[0].type = JointType::screw; }, "no pitch", "shoulder", 50},
    {"screw_pitch_nan", [](D& d) { d.joints[0].type = JointType::screw, d.joints[0].pitch = nan; },
     "pitch is not finite", "shoulder", 50},
    {"limits_reversed",
     [](D& d) {
       d.joints[0].coordinates[0].limits = {1, -1};
     },
     "reversed", "shoulder", 50},
    {"limits_nan",
     [](D& d) {
       d.joints[0].coordinates[0].limits = {nan, 1};
     },
     "not finite", "shoulder", 50},
    {"count", [](D& d) { d.joints[0].coordinates.resize(2); }, "2 values of coordinates", "shoulder", 50},
    {"velocity_count",
     [](D& d) {
       d.joints[0].initial_velocity = {1, 2};
     },
     "initial_velocity", "shoulder", 50},
    {"reference_count",
     [](D& d) {
       d.joints[0].reference = {1, 2};
     },
     "reference", "shoulder", 50},
    {"joint_friction", [](D& d) { d.joints[0].coordinates[0].friction = -1; }, "friction is negative", "shoulder", 50},
    {"joint_damping", [](D& d) { d.joints[0].coordinates[0].damping = -1; }, "damping is negative", "shoulder", 50},
    {"joint_stiffness", [](D& d) { d.joints[0].coordinates[0].stiffness = -1; }, "stiffness is negative", "shoulder",
     50},
    {"joint_armature", [](D& d) { d.joints[0].coordinates[0].armature = -1; }, "armature is negative", "shoulder", 50},
    {"joint_nan", [](D& d) { d.joints[0].coordinates[0].damping = nan; }, "not finite", "shoulder", 50},
    {"cycle",
     [](D& d) {
       d.actuators.clear();
       d.joints = {hinge("j1", "alpha", "beta", 50), hinge("j2", "beta", "gamma", 60),
                   hinge("j3", "gamma", "alpha", 70)};
     },
     "cycle in the tree", "j3", 70},
    {"free_loop",
     [](D& d) {
       d.joints.push_back(hinge("f", "gamma", "beta", 80)), d.joints[2].type = JointType::free,
                                                            d.joints[2].coordinates.clear();
     },
     "free joint closes a loop", "f", 80},
    {"loop_velocity",
     [](D& d) { d.joints.push_back(hinge("l", "ground", "beta", 80)), d.joints[2].initial_velocity = {1}; },
     "initial velocity", "l", 80},
    {"velocity_against_joint", [](D& d) { d.bodies[1].linear_velocity = Vector3(0, 0, 1); }, "not compatible", "alpha",
     20},
    {"friction",
     [](D& d) {
       d.materials[0].friction = {0.5, -0.1};
     },
     "friction is negative", "rubber", 2},
    {"torsion", [](D& d) { d.materials[0].torsional_friction = -0.1; }, "torsional_friction", "rubber", 2},
    {"restitution", [](D& d) { d.materials[0].restitution = 1.1; }, "restitution", "rubber", 2},
    {"restitution_negative", [](D& d) { d.materials[0].restitution = -0.1; }, "restitution", "rubber", 2},
    {"static_friction", [](D& d) { d.materials[0].static_friction = 0.1; }, "static_friction", "rubber", 2},
    {"static_without_sliding",
     [](D& d) {
       d.materials[0].friction = {0, 0};
       d.materials[0].static_friction = 0.1;
     },
     "static_friction needs a friction above zero", "rubber", 2},
    {"material_nan", [](D& d) { d.materials[0].rolling_friction = nan; }, "not finite", "rubber", 2},
    {"stiffness_nan", [](D& d) { layer(d).stiffness(1, 2) = nan; }, "stiffness is not finite", "rubber", 2},
    {"damping_infinite", [](D& d) { layer(d).damping(0, 0) = infinity; }, "damping is not finite", "rubber", 2},
    {"stiffness_not_symmetric", [](D& d) { layer(d).stiffness(0, 1) = 1; }, "stiffness is not symmetric", "rubber", 2},
    {"stiffness_negative", [](D& d) { layer(d).stiffness(2, 2) = -3; },
     "stiffness is not positive semidefinite: it has "
     "the eigenvalue -3",
     "rubber", 2},
    // [[c, 2c], [2c, c]] has the eigenvalues 3c and -c.
    {"damping_indefinite", [](D& d) { layer(d).damping << 5, 0, 0, 0, 4, 8, 0, 8, 4; },
     "damping is not positive semidefinite: it has the eigenvalue -4", "rubber", 2},
    {"thickness_alone", [](D& d) { layer(d).stiffness.setZero(), layer(d).thickness = 0.01; },
     "layer_thickness without stiffness", "rubber", 2},
    {"thickness_negative", [](D& d) { layer(d).thickness = -0.01; }, "layer_thickness is not positive", "rubber", 2},
    {"thickness_nan", [](D& d) { layer(d).thickness = nan; }, "layer_thickness is not positive", "rubber", 2},
    {"tangential_alone", [](D& d) { layer(d).stiffness(0, 0) = 0; }, "without any along the normal", "rubber", 2},
    {"one_tangent", [](D& d) { layer(d).stiffness(2, 2) = 0; }, "neither stiffness nor damping", "rubber", 2},
    {"contact_exponent", [](D& d) { layer(d).exponent = 0.9; }, "contact_exponent", "rubber", 2},
    {"damping_exponent", [](D& d) { layer(d).damping_exponent = 0; }, "damping_exponent", "rubber", 2},
    {"rate_exponent", [](D& d) { layer(d).rate_exponent = nan; }, "rate_exponent", "rubber", 2},
    {"law_without_stiffness", [](D& d) { layer(d).stiffness.setZero(), layer(d).law = CompliantLayer::Law::hertz; },
     "needs a normal stiffness", "rubber", 2},
    {"coupled_power",
     [](D& d) { layer(d).stiffness(0, 1) = layer(d).stiffness(1, 0) = 1, layer(d).law = CompliantLayer::Law::hertz; },
     "only kelvin-voigt couples", "rubber", 2},
    {"damped_hertz", [](D& d) { layer(d).damping(0, 0) = 1, layer(d).law = CompliantLayer::Law::hertz; },
     "hertz has no normal damping", "rubber", 2},
    {"pair_layer",
     [](D& d) {
       d.pairs = {{{"rubber", "default"}, {}, 5}};
       d.pairs[0].values.layer.stiffness(0, 0) = -1;
     },
     "stiffness is not positive semidefinite", "rubber/default", 5},
    {"thick_layer", [](D& d) { layer(d).thickness = 0.1, d.bodies[2].shapes[0].material = "rubber"; },
     "layer_thickness of material 'rubber', 0.1 m, is not less than half the smallest width of the box, 0.1 m", "beta",
     31},
    {"thick_pair",
     [](D& d) {
       d.bodies[2].shapes[0].material = "rubber";
       d.bodies[3].shapes[0].shape = geometry::Sphere{0.05};
       d.bodies[0].shapes.clear();
       d.pairs = {{{"rubber", "default"}, d.materials[0], 5}};
       d.pairs[0].values.layer.thickness = 0.2;
     },
     "layer_thickness 0.2 m is not less than 0.15 m, half the smallest widths of 'beta' (box) and 'gamma' (sphere)",
     "rubber/default", 5},
};

INSTANTIATE_TEST_SUITE_P(Each, BuildErrors, ::testing::ValuesIn(mistakes),
                         [](const auto& param) { return std::string(param.param.label); });

// A layer may be as deep as the core leaves room for: what is a mistake at 0.1 m is not one just below, nor on a plane.
TEST(BuildErrors, LayersThatFitAreAccepted) {
  ModelDescription scene = good_scene();
  scene.materials[0].layer.thickness = 0.0999;
  scene.bodies[1].shapes[0].material = "rubber";
  EXPECT_TRUE(build_model(scene));
  scene.bodies[1].shapes[0].material = "";
  scene.bodies[0].shapes[0].material = "rubber";
  scene.materials[0].layer.thickness = 10;
  EXPECT_TRUE(build_model(scene));
  scene.pairs = {{{"rubber", "default"}, scene.materials[0], 5}};
  EXPECT_TRUE(build_model(scene));
}

TEST(BuildErrors, KindsOfLayersAreAccepted) {
  for (const bool damping_only : {false, true}) {
    ModelDescription scene = good_scene();
    CompliantLayer& layer = scene.materials[0].layer;
    layer.stiffness = Vector3(100, 0, 0).asDiagonal();  // rigid sideways
    EXPECT_TRUE(build_model(scene));
    layer.damping << 4, 2, 0, 2, 4, 1, 0, 1, 4;
    if (damping_only) layer.stiffness.setZero();
    EXPECT_TRUE(build_model(scene));
    layer.stiffness << 1, 1, 0, 1, 1, 0, 0, 0, 0;  // one direction of each pair without stiffness, but damped
    EXPECT_TRUE(build_model(scene));
  }
}

// The narrowest direction of a regular tetrahedron joins two opposite edges: 1 / sqrt(2) of an edge.
TEST(BuildErrors, LayerOnATetrahedronIsHeldToItsWidth) {
  ModelDescription scene = good_scene();
  const std::vector<Vector3> corners = {{0.1, 0.1, 0.1}, {0.1, -0.1, -0.1}, {-0.1, 0.1, -0.1}, {-0.1, -0.1, 0.1}};
  const auto hull = geometry::convex_hull(corners);
  ASSERT_TRUE(hull);
  scene.bodies[1].shapes[0].shape = geometry::Convex{std::make_shared<const geometry::ConvexHull>(*hull)};
  scene.bodies[1].shapes[0].material = "rubber";
  scene.bodies[1].shapes[0].X_BS.R = Eigen::AngleAxisd(0.4, Vector3(1, 2, 3).normalized()).toRotationMatrix();
  scene.materials[0].layer.thickness = 0.0999;
  EXPECT_TRUE(build_model(scene));
  scene.materials[0].layer.thickness = 0.1001;
  EXPECT_FALSE(build_model(scene));
}

TEST(BuildErrors, SuggestsTheClosestName) {
  ModelDescription scene = good_scene();
  scene.joints[1].parent = "alpa";
  EXPECT_THAT(build_model(scene).error().remedy, HasSubstr("'alpha'"));
  EXPECT_THAT(build_model(scene).error().what, HasSubstr("'elbow'"));
}

}  // namespace
}  // namespace stiction
