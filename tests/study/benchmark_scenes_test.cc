// The scenes of `stiction bench` have the masses, sizes, counts, friction and steps that docs/performance.md states.
#include "stiction/study/benchmark/benchmark_scenes.h"

#include <cmath>
#include <map>
#include <numbers>

#include <gmock/gmock.h>

#include "stiction/study/benchmark/benchmark_meters.h"

namespace stiction {
namespace {

using ::testing::ElementsAre;

constexpr double g = 9.81;

BuiltModel build(const BenchmarkMotion& motion) {
  return build_model(motion.model).value();
}

std::vector<BodyMotion> start(const BuiltModel& built) {
  Kinematics kinematics = make_kinematics(built.model);
  update_kinematics(built.model, built.state, 0, kinematics);
  return body_motions(kinematics);
}

const Body& body_of(const Model& model, const std::string& name) {
  return model.bodies.at(static_cast<size_t>(model.find_body(name)));
}

TEST(BenchmarkScenes, AreThirteenAndOneIsOnRequest) {
  EXPECT_THAT(benchmark_names(),
              ElementsAre("slide_roll", "incline", "slide", "stack10", "mass_ratio", "pile100", "pile1000", "pile5000",
                          "grasp", "chain7", "chain30", "crawler", "humanoid"));
  for (const std::string& name : benchmark_names()) {
    const BenchmarkScene scene = benchmark_scene(name);
    EXPECT_EQ(scene.name, name);
    EXPECT_EQ(scene.on_request, name == "pile5000");
    EXPECT_EQ(scene.has_figure, name == "crawler" || name == "humanoid");
    EXPECT_EQ(scene.last_second, name.starts_with("pile") || scene.has_figure);
    EXPECT_EQ(scene.has_links, name.starts_with("chain"));
  }
}

// Everything but the tilted gravity of the incline.
TEST(BenchmarkScenes, HaveTheFrictionAndGravityOfTheirDefinition) {
  const std::map<std::string, double> friction = {{"slide_roll", 0.2}, {"crawler", 0.8}, {"humanoid", 0.7}};
  for (const std::string& name : benchmark_names()) {
    SCOPED_TRACE(name);
    for (const BenchmarkMotion& motion : benchmark_scene(name).motions) {
      const Model model = build(motion).model;
      EXPECT_NEAR(model.gravity.norm(), g, 1e-14);
      for (const Material& material : model.materials) {
        EXPECT_EQ(material.friction[0], friction.contains(name) ? friction.at(name) : 0.5);
        EXPECT_EQ(material.restitution, 0);
      }
      if (name != "incline") {
        EXPECT_EQ(model.gravity, Vector3(0, 0, -g));
      }
    }
  }
}

// Rounding of positions is all that overlaps: below 1e-15 of 10 m.
TEST(BenchmarkScenes, NothingOverlapsAtTheStart) {
  for (const std::string name : {"slide_roll", "incline", "slide", "stack10", "mass_ratio", "pile100", "pile1000",
                                 "grasp", "crawler", "humanoid"}) {
    for (const BenchmarkMotion& motion : benchmark_scene(name).motions) {
      const BuiltModel built = build(motion);
      EXPECT_LT(OverlapMeter(built.model).measure(start(built)), 1e-14) << name;
    }
  }
}

TEST(BenchmarkScenes, SlideRollHasTheClosedFormOfASphere) {
  const BenchmarkScene scene = benchmark_scene("slide_roll");
  EXPECT_EQ(scene.duration, 1);
  EXPECT_THAT(scene.steps, ElementsAre(0.01, 0.001));
  const BuiltModel built = build(scene.motions.at(0));
  const Body& ball = body_of(built.model, "ball");
  EXPECT_EQ(ball.mass, 1);
  EXPECT_NEAR(ball.inertia_B(0, 0), 0.4, 1e-15);
  EXPECT_EQ(start(built).at(1).velocity.linear, Vector3(2, 0, 0));
  EXPECT_NEAR(scene.motions[0].expected, 10.0 / 7, 1e-15);
  EXPECT_NEAR(scene.motions[0].expected_time, 0.29124, 1e-5);  // 2 * 2 / (7 * 0.2 * 9.81)
}

TEST(BenchmarkScenes, InclineTiltsBelowAndAboveTheAngleOfFriction) {
  const BenchmarkScene scene = benchmark_scene("incline");
  EXPECT_EQ(scene.duration, 5);
  EXPECT_THAT(scene.steps, ElementsAre(1.0 / 240));
  ASSERT_EQ(scene.motions.size(), 6U);
  for (size_t m = 0; m < 6; ++m) {
    const BenchmarkMotion& motion = scene.motions[m];
    const Vector3& gravity = motion.model.gravity;
    const double share = std::acos(-gravity.z() / g) / std::atan(0.5);
    EXPECT_NEAR(share, m < 3 ? 0.98 : 1.02, 1e-12);
    EXPECT_EQ(motion.measure, m < 3 ? BenchmarkMeasure::sticking : BenchmarkMeasure::slipping);
    const double degrees = std::atan2(gravity.y(), gravity.x()) * 180 / std::numbers::pi;
    EXPECT_NEAR(degrees, 22.5 * static_cast<double>(m % 3), 1e-12);
    EXPECT_EQ(body_of(build(motion).model, "cube").mass, 1);
  }
  // g (sin a - mu cos a) is g sqrt(1 + mu^2) sin(a - atan mu).
  EXPECT_NEAR(scene.motions[3].expected, g * std::sqrt(1.25) * std::sin(0.02 * std::atan(0.5)), 1e-14);
}

TEST(BenchmarkScenes, SlideStopsAfterItsDistance) {
  const BenchmarkScene scene = benchmark_scene("slide");
  EXPECT_EQ(scene.duration, 2);
  EXPECT_THAT(scene.steps, ElementsAre(0.001));
  ASSERT_EQ(scene.motions.size(), 3U);
  for (const BenchmarkMotion& motion : scene.motions) {
    EXPECT_NEAR(motion.expected, 9 / g, 1e-15);
    EXPECT_EQ(start(build(motion)).at(1).velocity.linear, Vector3(3 * motion.direction));
  }
}

TEST(BenchmarkScenes, TowersHaveTheirMasses) {
  const auto masses = [](const char* name) {
    std::vector<double> all;
    for (const Body& body : build(benchmark_scene(name).motions.at(0)).model.bodies) {
      if (body.moves) all.push_back(body.mass);
    }
    return all;
  };
  EXPECT_EQ(masses("stack10"), std::vector<double>(10, 1.0));
  EXPECT_THAT(masses("mass_ratio"), ElementsAre(1, 1000));
  EXPECT_THAT(benchmark_scene("stack10").steps, ElementsAre(1.0 / 240, 1.0 / 60));
  EXPECT_EQ(benchmark_scene("stack10").duration, 10);
  EXPECT_EQ(benchmark_scene("mass_ratio").duration, 5);
}

TEST(BenchmarkScenes, PilesAreSpheresAndCubesInABin) {
  for (const int count : {100, 1000, 5000}) {
    SCOPED_TRACE(count);
    const BenchmarkScene scene = benchmark_scene("pile" + std::to_string(count));
    EXPECT_EQ(scene.duration, 5);
    EXPECT_THAT(scene.steps, ElementsAre(1.0 / 120));
    EXPECT_EQ(scene.bodies, count);
    const Model model = build(scene.motions.at(0)).model;
    ASSERT_EQ(model.bodies.size(), static_cast<size_t>(count) + 5);
    const double half = 0.16 * std::round(std::cbrt(count));
    EXPECT_NEAR(body_of(model, "right").X_WB0.p.x(), half, 1e-15);
    for (const Body& body : model.bodies) {
      if (!body.moves) continue;
      const bool round = body.name.starts_with("ball");
      EXPECT_NEAR(body.mass, round ? 1000 * 4 * std::numbers::pi / 3 * 1e-3 : 1000 * 0.16 * 0.16 * 0.16, 1e-12);
      EXPECT_LT(body.X_WB0.p.head<2>().cwiseAbs().maxCoeff(), half);
    }
  }
}

// The first body has indices (0, 0, 0), whose sum is even, and stands within the jitter of its place.
TEST(BenchmarkScenes, PileStartsOnAGridWithJitter) {
  const Model model = build(benchmark_scene("pile100").motions.at(0)).model;
  EXPECT_EQ(model.bodies[5].name, "ball0");
  EXPECT_EQ(model.bodies[6].name, "cube1");
  EXPECT_LE((model.bodies[5].X_WB0.p - Vector3(-0.64, -0.64, 0.2)).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_LE((model.bodies[6].X_WB0.p - Vector3(-0.32, -0.64, 0.2)).cwiseAbs().maxCoeff(), 0.01);
  EXPECT_FALSE(model.bodies[6].X_WB0.R.isIdentity(1e-3));
}

TEST(BenchmarkScenes, GraspIsPushedFromBothSidesAndShaken) {
  const BenchmarkScene scene = benchmark_scene("grasp");
  EXPECT_EQ(scene.duration, 25);
  const BuiltModel built = build(scene.motions.at(0));
  EXPECT_EQ(body_of(built.model, "ball").mass, 0.058);
  EXPECT_EQ(body_of(built.model, "left").mass, 0.1);
  EXPECT_NEAR(body_of(built.model, "right").X_WB0.p.x(), 0.033 + 0.01, 1e-15);
  ASSERT_EQ(built.model.actuators.size(), 2U);
  EXPECT_EQ(built.model.actuators[0].force, 10);
  EXPECT_EQ(built.model.actuators[1].force, -10);
  // d/dt (0.25 sin t, 0.25 sin 2t) at 0: ball and jaws go along.
  const std::vector<BodyMotion> bodies = start(built);
  for (const char* name : {"left", "right", "ball"}) {
    const Vector3 v = bodies.at(static_cast<size_t>(built.model.find_body(name))).velocity.linear;
    EXPECT_LT((v - Vector3(0, 0.25, 0.5)).norm(), 1e-15) << name;
  }
}

TEST(BenchmarkScenes, ChainsTurnAsAWhole) {
  for (const int count : {7, 30}) {
    const BenchmarkScene scene = benchmark_scene("chain" + std::to_string(count));
    EXPECT_EQ(scene.duration, 10);
    const BuiltModel built = build(scene.motions.at(0));
    ASSERT_EQ(built.model.tree_joints.size(), static_cast<size_t>(count));
    const std::vector<BodyMotion> bodies = start(built);
    for (int i = 0; i < count; ++i) {
      const double x = 0.2 * i + 0.1;
      EXPECT_EQ(built.model.bodies[i].mass, 1);
      EXPECT_LT((bodies[i].X_WB.p - Vector3(x, 0, 0)).norm(), 1e-14);
      EXPECT_LT((bodies[i].velocity.linear - Vector3(0, 0.5 * x, 0)).norm(), 1e-14);
      EXPECT_EQ(built.model.tree_joints[i].axis, i % 2 == 0 ? Vector3(Vector3::UnitZ()) : Vector3(Vector3::UnitY()));
    }
  }
}

// The tip of the outermost link stands 0.12 + 5 * 0.16 m from the middle.
TEST(BenchmarkScenes, CrawlerIsATreeOfHinges) {
  const BenchmarkScene scene = benchmark_scene("crawler");
  EXPECT_EQ(scene.duration, 10);
  EXPECT_THAT(scene.steps, ElementsAre(0.005));
  EXPECT_EQ(scene.bodies, 22);
  const BuiltModel built = build(scene.motions.at(0));
  const Model& model = built.model;
  EXPECT_EQ(model.trees.size(), 1U);
  EXPECT_EQ(model.v_size, 6 + 21);
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.moves ? body.mass : 0;
  EXPECT_NEAR(mass, 12 + 3 + 20, 1e-13);
  EXPECT_LT((body_of(model, "hind_right4").X_WB0.p - Vector3(-0.25, -(0.92 - 0.08), 0.6)).norm(), 1e-14);
  for (const Joint& joint : model.tree_joints) {
    if (joint.type == JointType::free) continue;
    EXPECT_EQ(joint.type, JointType::revolute);
    EXPECT_EQ(joint.coordinates.at(0).damping, 0.5);
    EXPECT_THAT(joint.coordinates.at(0).limits, ElementsAre(-1.2, 1.2));
  }
  // Capsules on a ground: 0.6 m less the torso's radius is the way to fall.
  const BodyShape& torso = model.shapes.at(1);
  EXPECT_EQ(std::get<geometry::Capsule>(torso.shape).radius, 0.1);
  EXPECT_EQ(std::get<geometry::Capsule>(torso.shape).half_length, 0.25);
  EXPECT_LT((torso.X_BS.R.col(2) - Vector3::UnitX()).norm(), 1e-14);
}

TEST(BenchmarkScenes, HumanoidHas27DegreesOfFreedom) {
  const BenchmarkScene scene = benchmark_scene("humanoid");
  EXPECT_EQ(scene.duration, 10);
  EXPECT_THAT(scene.steps, ElementsAre(0.005));
  EXPECT_EQ(scene.bodies, 15);
  const Model model = build(scene.motions.at(0)).model;
  EXPECT_EQ(model.trees.size(), 1U);
  EXPECT_EQ(model.v_size, 27);
  double mass = 0;
  for (const Body& body : model.bodies) mass += body.moves ? body.mass : 0;
  EXPECT_NEAR(mass, 40, 2);
  // pi r^2 l + 4/3 pi (r^3 + R^3) at 1000 kg/m^3, with an arm of 0.16 sqrt(3) m and a hand.
  const double arm = std::numbers::pi *
                     (0.031 * 0.031 * 0.16 * std::sqrt(3.0) + 4.0 / 3 * (0.031 * 0.031 * 0.031 + 0.04 * 0.04 * 0.04));
  EXPECT_NEAR(body_of(model, "left_lower_arm").mass, 1000 * arm, 1e-12);
  for (const Joint& joint : model.tree_joints) {
    if (joint.type == JointType::free) continue;
    for (const JointCoordinate& coordinate : joint.coordinates) {
      EXPECT_EQ(coordinate.armature, 0.01) << joint.name;
      EXPECT_GE(coordinate.damping, 0.2) << joint.name;
      EXPECT_LT(coordinate.limits[0], 0) << joint.name;
      EXPECT_GT(coordinate.limits[1], 0) << joint.name;
    }
  }
}

// Bodies of the two sides, and the axes of their joints, are mirror images; the sole is 0.3 m above the ground.
TEST(BenchmarkScenes, HumanoidIsItsMirrorImage) {
  const Model model = build(benchmark_scene("humanoid").motions.at(0)).model;
  int pairs = 0;
  for (const Joint& right : model.tree_joints) {
    if (!right.name.starts_with("right_")) continue;
    const Body& body = model.bodies[right.child];
    const Body& image = body_of(model, "left_" + body.name.substr(6));
    const Joint& left = model.tree_joints[image.joint];
    EXPECT_LT((image.X_WB0.p - Vector3(body.X_WB0.p.x(), -body.X_WB0.p.y(), body.X_WB0.p.z())).norm(), 1e-14);
    EXPECT_LT((left.axis - Vector3(-right.axis.x(), right.axis.y(), -right.axis.z())).norm(), 1e-14) << right.name;
    EXPECT_EQ(left.coordinates[0].limits, right.coordinates[0].limits);
    EXPECT_NEAR(image.mass, body.mass, 1e-13);
    ++pairs;
  }
  EXPECT_EQ(pairs, 6);
  double lowest = 10;
  for (const BodyShape& shape : model.shapes) {
    const auto* bone = std::get_if<geometry::Capsule>(&shape.shape);
    if (bone == nullptr) continue;
    const Pose X = model.bodies[shape.body].X_WB0 * shape.X_BS;
    lowest = std::min(lowest, X.p.z() - bone->half_length * std::abs(X.R(2, 2)) - bone->radius);
  }
  EXPECT_NEAR(lowest, 0.3, 1e-3);
}

}  // namespace
}  // namespace stiction
