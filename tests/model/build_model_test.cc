// What build_model() builds: mass properties, trees, loops, the initial state, pairs, maximal coordinates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/math/rotation.h"
#include "stiction/model/body_states.h"

namespace stiction {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BodyDescription ball(const std::string& name, const Vector3& position = Vector3::Zero()) {
  BodyDescription body;
  body.name = name;
  body.mass = 2;
  body.position = position;
  ShapeDescription shape;
  shape.shape = geometry::Sphere{0.5};
  body.shapes = {shape};
  return body;
}

BodyDescription ground() {
  BodyDescription body;
  body.name = "ground";
  body.fixed = true;
  ShapeDescription shape;
  shape.shape = geometry::Plane{};
  body.shapes = {shape};
  return body;
}

JointDescription joint(JointType type, const std::string& parent, const std::string& child) {
  JointDescription description;
  description.name = parent + ">" + child;
  description.type = type;
  description.parent = parent;
  description.child = child;
  return description;
}

BuiltModel build(const ModelDescription& description) {
  auto built = build_model(description);
  EXPECT_TRUE(built) << built.error().message();
  return std::move(*built);
}

TEST(MassProperties, TwoSpheresMakeADumbbell) {
  ModelDescription scene;
  BodyDescription body = ball("dumbbell");
  body.shapes.push_back(body.shapes[0]);
  body.shapes[0].X_BS.p = Vector3(1, 0, 0);
  body.shapes[1].X_BS.p = Vector3(4, 0, 0);
  scene.bodies = {body};
  const Body built = build(scene).model.bodies[0];
  // 2 kg in all: each sphere 1 kg, 2/5 r^2 about its centre, 1.5 m from the common one.
  EXPECT_LT((built.com_B - Vector3(2.5, 0, 0)).norm(), 1e-14);
  EXPECT_NEAR(built.inertia_B(0, 0), 2 * 0.1, 1e-14);
  EXPECT_NEAR(built.inertia_B(1, 1), 2 * (0.1 + 2.25), 1e-14);
}

TEST(MassProperties, DensityTimesVolume) {
  ModelDescription scene;
  scene.bodies = {ball("ball")};
  scene.bodies[0].mass.reset();
  scene.bodies[0].density = 3;
  EXPECT_NEAR(build(scene).model.bodies[0].mass, 3 * 4.0 / 3.0 * M_PI * 0.125, 1e-14);
}

TEST(MassProperties, OffsetCenterWarns) {
  ModelDescription scene;
  scene.bodies = {ball("ball")};
  scene.bodies[0].center_of_mass = Vector3(0.1, 0, 0);
  EXPECT_THAT(build(scene).warnings, ElementsAre(HasSubstr("center_of_mass")));
}

TEST(Orientation, FarFromUnitWarnsAndIsNormalised) {
  ModelDescription scene;
  scene.bodies = {ball("ball")};
  scene.bodies[0].orientation = Quaternion(2, 0, 0, 2);
  const BuiltModel built = build(scene);
  EXPECT_THAT(built.warnings, ElementsAre(HasSubstr("norm")));
  EXPECT_NEAR(built.state.q.tail<4>().norm(), 1, 1e-15);
}

TEST(Trees, ParentsFirstInSceneOrderOfTrees) {
  // d and a hang on the ground apart; c on a; b floats with e on it.
  ModelDescription scene;
  scene.bodies = {ground(), ball("c"), ball("b"), ball("a"), ball("d"), ball("e")};
  scene.joints = {joint(JointType::revolute, "a", "c"), joint(JointType::prismatic, "ground", "d"),
                  joint(JointType::spherical, "ground", "a"), joint(JointType::planar, "b", "e")};
  const Model model = build(scene).model;
  std::vector<std::string> order;
  for (const Joint& j : model.tree_joints) order.push_back(model.bodies[j.child].name);
  EXPECT_THAT(order, ElementsAre("a", "c", "b", "e", "d"));
  ASSERT_EQ(model.trees.size(), 3u);
  EXPECT_EQ(model.trees[0].v_size, 4);
  EXPECT_EQ(model.trees[1].v_size, 9);
  EXPECT_EQ(model.trees[2].v_size, 1);
  EXPECT_EQ(model.trees[2].v_offset, 13);
  EXPECT_EQ(model.trees[2].mass_offset, 16 + 81);
  EXPECT_EQ(model.v_size, 14);
  EXPECT_EQ(model.q_size, 16);
  EXPECT_EQ(model.mass_size, 98);
  EXPECT_EQ(model.bodies[1].root, 0);
  EXPECT_EQ(model.bodies[5].root, -1);
  EXPECT_TRUE(model.tree_joints[2].implicit);
}

TEST(Trees, JointsThatCloseLoops) {
  ModelDescription scene;
  scene.bodies = {ground(), ball("a"), ball("b"), ball("c")};
  scene.joints = {joint(JointType::revolute, "ground", "a"), joint(JointType::revolute, "a", "b"),
                  joint(JointType::revolute, "c", "b"), joint(JointType::spherical, "c", "ground"),
                  joint(JointType::revolute, "world", "c")};
  scene.joints[4].loop = true;
  const Model model = build(scene).model;
  ASSERT_EQ(model.loop_joints.size(), 3u);
  EXPECT_EQ(model.loop_joints[0].name, "c>b");
  EXPECT_EQ(model.loop_joints[1].v_size, 3);
  EXPECT_EQ(model.loop_joints[1].v_offset, -1);
  EXPECT_TRUE(model.tree_joints[model.bodies[3].joint].implicit);
}

TEST(Trees, LoopTrueBreaksACycle) {
  ModelDescription scene;
  scene.bodies = {ball("a"), ball("b"), ball("c")};
  scene.joints = {joint(JointType::revolute, "a", "b"), joint(JointType::revolute, "b", "c"),
                  joint(JointType::revolute, "c", "a")};
  EXPECT_FALSE(build_model(scene));
  scene.joints[2].loop = true;
  EXPECT_EQ(build(scene).model.v_size, 8);
}

TEST(InitialState, PosesOfTheSceneAreReproduced) {
  ModelDescription scene;
  scene.bodies = {ground(), ball("a", {1, 2, 3}), ball("b", {-1, 0, 2})};
  scene.bodies[1].orientation = exp_rotation(Vector3(0.3, 1, -2));
  scene.bodies[2].orientation = exp_rotation(Vector3(-1, 0.2, 0.7));
  JointDescription hinge = joint(JointType::revolute, "ground", "a");
  hinge.position = Vector3(0.5, 0.6, 0.7);
  hinge.reference = {0.4};
  JointDescription universal = joint(JointType::universal, "a", "b");
  universal.axis2 = Vector3(1, 0, 0.5);
  universal.reference = {0.3, -0.8};
  scene.joints = {hinge, universal};
  const BuiltModel built = build(scene);
  EXPECT_EQ(built.state.q, Vector3(0.4, 0.3, -0.8));
  const BodyStates states = body_states(built.model, built.state);
  for (int b = 0; b < 3; ++b) {
    EXPECT_LT((states.X_WB[b].R - built.model.bodies[b].X_WB0.R).norm(), 1e-14);
    EXPECT_LT((states.X_WB[b].p - built.model.bodies[b].X_WB0.p).norm(), 1e-14);
  }
}

TEST(InitialState, JointVelocityFromTheBodysVelocity) {
  ModelDescription scene;
  scene.bodies = {ball("bob", {0, 0, -2})};
  scene.joints = {joint(JointType::revolute, "world", "bob")};
  scene.joints[0].axis = Vector3::UnitY();
  scene.bodies[0].linear_velocity = Vector3(-3, 0, 0);  // w x r = (0, 1.5, 0) x (0, 0, -2)
  EXPECT_NEAR(build(scene).state.v[0], 1.5, 1e-15);
  scene.bodies[0].angular_velocity = Vector3(0, 1.5, 0);
  EXPECT_NEAR(build(scene).state.v[0], 1.5, 1e-15);
  scene.bodies[0].angular_velocity = Vector3(0, -1.5, 0);
  EXPECT_FALSE(build_model(scene));
  scene.joints[0].initial_velocity = {7};
  EXPECT_EQ(build(scene).state.v[0], 7);
}

TEST(InitialState, FreeBodyStartsAtItsCenterOfMass) {
  ModelDescription scene;
  scene.bodies = {ball("a", {1, 2, 3})};
  scene.bodies[0].shapes[0].X_BS.p = Vector3(0, 0, 1);
  scene.bodies[0].orientation = exp_rotation(Vector3(M_PI, 0, 0));
  scene.bodies[0].linear_velocity = Vector3(1, 0, 0);
  const State state = build(scene).state;
  EXPECT_LT((state.q.head<3>() - Vector3(1, 2, 2)).norm(), 1e-15);
  EXPECT_EQ(state.v.head<3>(), Vector3(1, 0, 0));
}

TEST(Materials, MeanUnlessAPairSaysOtherwise) {
  ModelDescription scene;
  scene.bodies = {ball("a")};
  Material ice, rubber;
  ice.name = "ice";
  ice.friction = {0.04, 0.01};
  ice.restitution = 0.2;
  rubber.name = "rubber";
  rubber.friction = {1, 1};
  rubber.restitution = 0.7;
  scene.materials = {ice, rubber};
  Model model = build(scene).model;
  EXPECT_DOUBLE_EQ(model.pair_material(1, 2).friction[0], 0.2);
  EXPECT_DOUBLE_EQ(model.pair_material(2, 1).friction[1], 0.1);
  EXPECT_DOUBLE_EQ(model.pair_material(1, 2).restitution, 0.7);
  EXPECT_EQ(model.pair_material(0, 0).friction[0], 0.5);
  MaterialPair pair;
  pair.materials = {"rubber", "ice"};
  pair.values.friction = {0.3, 0.3};
  scene.pairs = {pair};
  model = build(scene).model;
  EXPECT_EQ(model.pair_material(1, 2).friction[0], 0.3);
  EXPECT_EQ(model.pair_material(2, 1).friction[0], 0.3);
  EXPECT_EQ(model.pair_material(1, 1).friction[0], 0.04);
}

TEST(ShapePairs, WhoMayCollide) {
  ModelDescription scene;
  BodyDescription wall = ground();
  wall.name = "wall";
  scene.bodies = {ground(), wall, ball("a"), ball("b"), ball("ghost")};
  scene.bodies[2].shapes.push_back(scene.bodies[2].shapes[0]);
  scene.bodies[4].shapes[0].collide = false;
  scene.joints = {joint(JointType::revolute, "a", "b")};
  const auto allowed = [](const Model& model, int s, int t) { return model.may_collide(s, t); };
  Model model = build(scene).model;  // shapes: ground 0, wall 1, a 2 and 3, b 4, ghost 5
  EXPECT_FALSE(allowed(model, 0, 1));
  EXPECT_TRUE(allowed(model, 0, 2));
  EXPECT_FALSE(allowed(model, 2, 3));
  EXPECT_FALSE(allowed(model, 2, 4));
  EXPECT_FALSE(allowed(model, 4, 3));
  EXPECT_FALSE(allowed(model, 5, 0));
  scene.joints[0].collide = true;
  model = build(scene).model;
  EXPECT_TRUE(allowed(model, 2, 4));
  EXPECT_TRUE(allowed(model, 4, 2));
}

TEST(Maximal, SameBodiesSamePlacesEveryJointALoop) {
  ModelDescription scene;
  scene.bodies = {ground(), ball("a", {1, 0, 0}), ball("b", {2, 0, 0}), ball("c", {5, 0, 0})};
  scene.joints = {joint(JointType::revolute, "ground", "a"), joint(JointType::universal, "a", "b")};
  scene.joints[0].coordinates.resize(1);
  scene.joints[0].coordinates[0].limits = {-1, 2};
  scene.joints[0].coordinates[0].armature = 1;
  scene.joints[0].initial_velocity = {0.3};
  scene.joints[1].axis2 = Vector3::UnitX();
  scene.joints[1].initial_velocity = {0.5, -0.7};
  JointDescription closing = joint(JointType::spherical, "c", "ground");
  scene.joints.push_back(closing);
  ActuatorDescription on_tree, on_loop;
  on_tree.name = "t";
  on_tree.joint = "a>b";
  on_tree.coordinate = 1;
  on_loop.name = "l";
  on_loop.joint = "c>ground";
  scene.actuators = {on_tree, on_loop};
  const BuiltModel reduced = build(scene), maximal = to_maximal(reduced);
  EXPECT_EQ(maximal.model.v_size, 18);
  EXPECT_EQ(maximal.model.trees.size(), 3u);
  ASSERT_EQ(maximal.model.loop_joints.size(), 3u);
  EXPECT_EQ(maximal.model.loop_joints[0].coordinates[0].limits[1], 2);
  EXPECT_THAT(maximal.warnings, ElementsAre(HasSubstr("armature")));
  const auto driven = [&](int i) { return maximal.model.loop_joints[maximal.model.actuators[i].joint].name; };
  EXPECT_TRUE(maximal.model.actuators[0].on_loop_joint);
  EXPECT_EQ(driven(0), "a>b");
  EXPECT_EQ(driven(1), "c>ground");
  const BodyStates before = body_states(reduced.model, reduced.state),
                   after = body_states(maximal.model, maximal.state);
  for (int b = 0; b < 4; ++b) {
    EXPECT_LT((before.X_WB[b].R - after.X_WB[b].R).norm(), 1e-14);
    EXPECT_LT((before.X_WB[b].p - after.X_WB[b].p).norm(), 1e-14);
    EXPECT_EQ(before.velocity[b].linear, after.velocity[b].linear);
    EXPECT_EQ(before.velocity[b].angular, after.velocity[b].angular);
  }
  EXPECT_GT(after.velocity[2].angular.norm(), 0.1);
}

}  // namespace
}  // namespace stiction
