// implicit-geometry on whole simulations: every step certified and free of overlap, energy of what rolls, agreement
// with the exact-cone method as the step shrinks, bits, and what happens when a step cannot be solved.
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

#include "stiction/methods/implicit_geometry.h"
#include "support/random_contact_steps.h"
#include "support/scenarios.h"
#include "support/simulate.h"

namespace stiction {
namespace {

using testing::body_of;
using testing::Scenario;

constexpr double pi = std::numbers::pi;

BodyDescription moving(BodyDescription body, const Vector3& v, const Vector3& w) {
  body.linear_velocity = v;
  body.angular_velocity = w;
  return body;
}

BodyDescription turned(BodyDescription body, const Vector3& rotation) {
  body.orientation = exp_rotation(rotation);
  return body;
}

BodyDescription fixed(BodyDescription body) {
  body.mass = std::nullopt;
  body.fixed = true;
  return body;
}

Scenario implicit_scenario(const std::string& name, double step, double duration, double friction = 0.5) {
  Scenario scenario{name, testing::on_ground(friction), testing::settings_of(step, duration)};
  scenario.settings.method = "implicit-geometry";
  return scenario;
}

Scenario two_ellipsoids() {
  Scenario scenario = implicit_scenario("two_ellipsoids", 5e-3, 0.8);
  scenario.model.bodies.push_back(
      turned(body_of("low", 1, geometry::Ellipsoid{{0.3, 0.2, 0.15}}, {0, 0, 0.2}), {0.2, 0.1, 0}));
  scenario.model.bodies.push_back(
      turned(body_of("high", 0.5, geometry::Ellipsoid{{0.1, 0.2, 0.12}}, {0.05, 0.02, 0.6}), {0.5, 0.4, 0}));
  return scenario;
}

Scenario on_superellipsoid() {
  Scenario scenario = implicit_scenario("on_superellipsoid", 5e-3, 0.6);
  scenario.model.bodies.push_back(
      fixed(body_of("low", 1, geometry::Superellipsoid{{0.4, 0.4, 0.2}, 4, 4}, {0, 0, 0.2})));
  scenario.model.bodies.push_back(
      turned(body_of("high", 0.5, geometry::Ellipsoid{{0.1, 0.2, 0.12}}, {0.05, 0.02, 0.6}), {0.5, 0.4, 0}));
  return scenario;
}

// Two planes at right angles; the capsule lies along y and slides. Two lines of two points each.
Scenario groove() {
  Scenario scenario{"groove", {}, testing::settings_of(5e-3, 0.5)};
  scenario.settings.method = "implicit-geometry";
  scenario.model.materials.push_back({.name = "wood", .friction = {0.1, 0.1}});
  BodyDescription walls;
  walls.name = "walls";
  walls.fixed = true;
  walls.shapes = {testing::shape_of(geometry::Plane{Vector3(1, 0, 1).normalized()}),
                  testing::shape_of(geometry::Plane{Vector3(-1, 0, 1).normalized()})};
  scenario.model.bodies.push_back(walls);
  const double r = 0.1;
  scenario.model.bodies.push_back(
      moving(turned(body_of("capsule", 1, geometry::Capsule{r, 0.2}, {0, 0, r * std::sqrt(2.0)}), {pi / 2, 0, 0}),
             {0, 1, 0}, Vector3::Zero()));
  return scenario;
}

Scenario lying_cylinder() {
  Scenario scenario = implicit_scenario("lying_cylinder", 5e-3, 0.6);
  scenario.model.bodies.push_back(
      moving(turned(body_of("cylinder", 1, geometry::Cylinder{0.1, 0.2}, {0, 0, 0.1}), {pi / 2, 0, 0}), {0.8, 0.2, 0},
             {0, 0, 1}));
  return scenario;
}

Scenario boxes(int count) {
  Scenario scenario = implicit_scenario("boxes_" + std::to_string(count), 1.0 / 240, 0.4);
  for (int i = 0; i < count; ++i) {
    scenario.model.bodies.push_back(testing::cube("box" + std::to_string(i), {0.01 * (i % 2), 0, 0.051 + 0.101 * i}));
  }
  return scenario;
}

Scenario on_moving_plate() {
  Scenario scenario = implicit_scenario("on_moving_plate", 4e-3, 1.0);
  BodyDescription plate = body_of("plate", 1, geometry::Box{{2, 2, 0.05}}, {0, 0, 1});
  plate.mass = std::nullopt;
  plate.motion = MotionDescription{};
  plate.motion->velocity = Vector3(0.2, 0.1, 0);
  plate.motion->translation.push_back({.amplitude = Vector3(0.1, 0, 0.01), .frequency = 8});
  plate.motion->rotation.push_back({.amplitude = Vector3(0.05, 0.02, 0), .frequency = 5});
  scenario.model.bodies.push_back(plate);
  scenario.model.bodies.push_back(
      moving(turned(body_of("egg", 1, geometry::Ellipsoid{{0.2, 0.15, 0.15}}, {0, 0, 1.21}), {0, 0.1, 0}), {0, 0.5, 0},
             {-3, 0, 0}));
  return scenario;
}

Scenario pushing_arm(methods::Coordinates coordinates) {
  const bool maximal = coordinates == methods::Coordinates::maximal;
  Scenario scenario = implicit_scenario(maximal ? "pushing_arm_maximal" : "pushing_arm", 2e-3, 0.6);
  scenario.settings.options.coordinates = coordinates;
  scenario.model.bodies.push_back(body_of("upper", 1, geometry::Capsule{0.03, 0.1}, {0, 0, 0.55}));
  scenario.model.bodies.push_back(body_of("fore", 0.7, geometry::Ellipsoid{{0.05, 0.06, 0.15}}, {0, 0, 0.25}));
  scenario.model.bodies.push_back(body_of("egg", 0.5, geometry::Ellipsoid{{0.12, 0.1, 0.1}}, {0.2, 0.02, 0.1}));
  scenario.model.joints = {testing::hinge("shoulder", "world", "upper", {0, 0, 0.7}),
                           testing::hinge("elbow", "upper", "fore", {0, 0, -0.15})};
  scenario.model.joints[0].initial_velocity = {-3};
  scenario.model.joints[1].coordinates[0].friction = 0.05;
  scenario.model.joints[1].coordinates[0].limits = {-0.5, 0.5};
  return scenario;
}

std::vector<Scenario> all_scenarios() {
  return {two_ellipsoids(),
          on_superellipsoid(),
          groove(),
          lying_cylinder(),
          boxes(1),
          boxes(4),
          on_moving_plate(),
          pushing_arm(methods::Coordinates::reduced),
          pushing_arm(methods::Coordinates::maximal)};
}

std::string scenario_name(const ::testing::TestParamInfo<Scenario>& info) {
  return info.param.name;
}

class ImplicitGeometry : public ::testing::TestWithParam<Scenario> {};

// The bounds are those the method promises: 1e-8 of the residual, 1e-9 m of overlap, without any fallback.
TEST_P(ImplicitGeometry, EveryStepIsCertifiedAndFreeOfOverlap) {
  Simulation simulation = testing::make_simulation(GetParam().model, GetParam().settings);
  int most_contacts = 0, step = 0;
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    const certify::StepCertificate& certificate = simulation.last_step().certificate;
    EXPECT_LT(certificate.worst(), 1e-8) << "step " << step;
    EXPECT_LT(certificate.penetration, 1e-9) << "step " << step;
    EXPECT_LT(simulation.measure_penetration(), 1e-9) << "step " << step;
    int active = 0;
    for (const ContactRows& contact : simulation.last_step().problem.contacts) {
      const RowBlock& rows = simulation.last_step().problem.blocks[contact.block];
      active += simulation.last_step().answer.impulse[rows.first_row] > 0;
    }
    most_contacts = std::max(most_contacts, active);
    ++step;
  });
  EXPECT_TRUE(summary.ok) << summary.failure;
  for (const auto& [fallback, count] : summary.fallbacks) EXPECT_EQ(count, 0) << fallback.name();
  const std::string& name = GetParam().name;
  EXPECT_GE(most_contacts, name == "groove" ? 4 : name == "lying_cylinder" || name == "two_ellipsoids" ? 2 : 1);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ImplicitGeometry, ::testing::ValuesIn(all_scenarios()), scenario_name);

// Of the weight of a capsule in a groove each wall carries m g / sqrt 2; the two points of each share it.
TEST(ImplicitGeometryGroove, FourPointsCarryTheCapsule) {
  Scenario scenario = groove();
  scenario.model.bodies[1].linear_velocity = Vector3::Zero();
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  testing::take_steps(simulation, 20);
  std::vector<ContactReport> reports;
  simulation.contact_reports(reports);
  ASSERT_EQ(reports.size(), 4u);
  Vector3 sum = Vector3::Zero();
  for (const ContactReport& report : reports) sum += report.force;
  EXPECT_LT((sum - Vector3(0, 0, 9.81)).norm(), 1e-6);
}

Scenario rolling(const std::string& name, const geometry::Shape& shape, const Vector3& rotation, double radius,
                 double height) {
  const double speed = 1;  // 50 steps per revolution
  Scenario scenario = implicit_scenario(name, 2 * pi * radius / speed / 50, 0);
  scenario.model.bodies.push_back(
      moving(turned(body_of("wheel", 1, shape, {0, 0, height}), rotation), {speed, 0, 0}, {0, speed / radius, 0}));
  return scenario;
}

// Without slip contact forces do no work, and a step turns the body about an axis through the contact.
TEST(ImplicitGeometryEnergy, WhatRollsKeepsItsEnergy) {
  Scenario disc = rolling("disc", geometry::Cylinder{0.2, 0.02}, {pi / 2, 0, 0}, 0.2, 0.2);
  JointDescription plane;
  plane.name = "plane";
  plane.type = JointType::planar;
  plane.parent = "world";
  plane.child = "wheel";
  plane.axis = Vector3::UnitY();
  plane.axis2 = Vector3::UnitX();
  plane.position = Vector3(0, 0, 0.2);
  disc.model.joints.push_back(plane);
  for (const Scenario& scenario : {rolling("sphere", geometry::Sphere{0.2}, Vector3::Zero(), 0.2, 0.2),
                                   rolling("cylinder", geometry::Cylinder{0.2, 0.3}, {pi / 2, 0, 0}, 0.2, 0.2), disc}) {
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    const double before = simulation.energies().kinetic;
    ASSERT_GT(before, 0.5) << scenario.name;
    testing::take_steps(simulation, 200L * 50);
    const double after = simulation.energies().kinetic;
    EXPECT_LT(std::abs(after - before) / before, 1e-7) << scenario.name;
    EXPECT_NEAR(simulation.state().time, 200 * 2 * pi * 0.2, 1e-6);
    EXPECT_NEAR(testing::position(simulation, "wheel").x(), 200 * 2 * pi * 0.2, 1e-4) << scenario.name;
  }
}

// A slipping sphere rolls after t = 2 v / (7 mu g) at 5/7 of its speed, whatever the step.
TEST(ImplicitGeometryConvergence, ASphereSlidesThenRolls) {
  const auto error = [](double h) {
    Scenario scenario = implicit_scenario("slide", h, 0.5, 0.3);
    scenario.model.bodies.push_back(
        moving(body_of("ball", 1, geometry::Sphere{0.1}, {0, 0, 0.1}), {1.3, 0, 0}, Vector3::Zero()));
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    testing::run_all(simulation);
    const double v = 1.3, a = 0.3 * 9.81, t = 2 * v / (7 * a), x = v * t - a * t * t / 2 + 5 * v / 7 * (0.5 - t);
    EXPECT_NEAR(testing::velocity(simulation, "ball").linear.x(), 5 * v / 7, 1e-8);
    return std::abs(testing::position(simulation, "ball").x() - x);
  };
  testing::expect_order(error, {0.01, 0.005, 0.0025, 0.00125}, 1, 2, 0.4);
}

// The two methods come together as h does, on a rolling, rocking ellipsoid.
TEST(ImplicitGeometryConvergence, AgreesWithExactConeAsTheStepShrinks) {
  const auto end_of = [](const std::string& method, double h) {
    Scenario scenario = implicit_scenario("rock", h, 0.4);
    scenario.settings.method = method;
    scenario.model.bodies.push_back(
        moving(turned(body_of("egg", 1, geometry::Ellipsoid{{0.3, 0.2, 0.15}}, {0, 0, 0.15}), {0, 0, 0}), {0.3, 0.1, 0},
               {-0.5, 2.0, 0}));
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    testing::run_all(simulation);
    return testing::pose(simulation, "egg").p;
  };
  const auto error = [&](double h) { return (end_of("implicit-geometry", h) - end_of("exact-cone", h)).norm(); };
  testing::expect_order(error, {0.004, 0.002, 0.001}, 1, 5, 0.3);
}

TEST(ImplicitGeometryRestitution, ABallReboundsWithHalfItsSpeed) {
  Scenario scenario = implicit_scenario("ball", 1e-3, 0.5);
  scenario.model.materials[0].restitution = 0.5;
  scenario.model.bodies.push_back(body_of("ball", 1, geometry::Sphere{0.1}, {0, 0, 0.5}));
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  double lowest = 0, highest_after = 0;
  testing::run_all(simulation, [&] {
    const double v = testing::velocity(simulation, "ball").linear.z();
    lowest = std::min(lowest, v);
    if (lowest < -1) highest_after = std::max(highest_after, v);
  });
  EXPECT_NEAR(lowest, -std::sqrt(2 * 9.81 * 0.4), 0.02);  // g h
  EXPECT_NEAR(highest_after, -0.5 * lowest, 1e-8);        // of the speed at the start of the step
  EXPECT_LT(simulation.measure_penetration(), 1e-9);
}

bool same_bits(const VectorX& a, const VectorX& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
}

TEST(ImplicitGeometryThreads, TheirNumberDoesNotChangeABit) {
  Scenario scenario = implicit_scenario("islands", 5e-3, 0.4);
  for (int i = 0; i < 10; ++i) {
    scenario.model.bodies.push_back(
        turned(body_of("egg" + std::to_string(i), 1, geometry::Ellipsoid{{0.2, 0.15, 0.1}}, {1.0 * i, 0, 0.2}),
               {0.1 * i, 0.2, 0.3}));
  }
  std::vector<Simulation> simulations;
  for (const int threads : {1, 2, 4}) {
    scenario.settings.threads = threads;
    simulations.push_back(testing::make_simulation(scenario.model, scenario.settings));
  }
  for (int i = 0; i < 80; ++i) {
    for (Simulation& simulation : simulations) testing::take_steps(simulation, 1);
    for (size_t k = 1; k < simulations.size(); ++k) {
      ASSERT_TRUE(same_bits(simulations[0].state().q, simulations[k].state().q)) << i;
      ASSERT_TRUE(same_bits(simulations[0].state().v, simulations[k].state().v)) << i;
    }
  }
}

RunSummary run_of(Scenario scenario, double* penetration = nullptr) {
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  const RunSummary summary = testing::run_all(simulation);
  EXPECT_TRUE(simulation.state().q.allFinite() && simulation.state().v.allFinite());
  if (penetration) *penetration = simulation.measure_penetration();
  return summary;
}

// A residual that no rounding allows: every step that touches goes to exact-cone, says so, and rests all the same.
TEST(ImplicitGeometryFallback, WhatCannotBeSolvedIsHandedOverAndRecorded) {
  Scenario scenario = implicit_scenario("egg", 2e-3, 0.2);
  scenario.model.bodies.push_back(
      turned(body_of("egg", 1, geometry::Ellipsoid{{0.3, 0.2, 0.15}}, {0, 0, 0.17}), {0.1, 0.2, 0}));
  scenario.settings.options.of<methods::ImplicitGeometryOptions>().tolerance = 1e-300;
  scenario.settings.options.of<methods::ImplicitGeometryOptions>().acceptance = 1e-300;
  double penetration = 0;
  EXPECT_GT(run_of(scenario, &penetration).count(Fallback::exact_cone), 10);
  EXPECT_LT(penetration, 1e-4);  // exact-cone's own, h^2 of a rocking body
}

// Too few Newton steps for a whole step of this length, enough for a part of it.
TEST(ImplicitGeometryFallback, HalvesAreRecorded) {
  Scenario scenario = implicit_scenario("egg", 0.04, 0.8);
  scenario.model.bodies.push_back(
      moving(turned(body_of("egg", 1, geometry::Ellipsoid{{0.3, 0.2, 0.05}}, {0, 0, 0.5}), {0.1, 0.2, 0}), {3, 0, 0},
             {0, 12, 5}));
  scenario.settings.options.of<methods::ImplicitGeometryOptions>().max_iterations = 1;
  const RunSummary summary = run_of(scenario);
  EXPECT_GT(summary.count(Fallback::halved) + summary.count(Fallback::exact_cone), 0);
}

// A press comes down on a block that a joint holds: no method has an answer, and the state stays as it was.
TEST(ImplicitGeometryFallback, AStepWithoutAnyAnswerLeavesTheState) {
  ModelDescription model = testing::on_ground();
  BodyDescription press = body_of("press", 1, geometry::Box{{0.2, 0.2, 0.02}}, {0, 0, 1.0701});
  press.mass = std::nullopt;
  press.motion = MotionDescription{};
  press.motion->velocity = Vector3(0, 0, -1);
  model.bodies.push_back(press);
  model.bodies.push_back(testing::cube("block", {0, 0, 1}));
  JointDescription clamp;
  clamp.name = "clamp";
  clamp.type = JointType::spherical;
  clamp.parent = "world";
  clamp.child = "block";
  clamp.position = Vector3(0, 0, 1);
  model.joints.push_back(clamp);
  for (const char* method : {"implicit-geometry", "quasi-rigid"}) {
    SimulationSettings settings = testing::settings_of(1e-3, 1);
    settings.method = method;
    settings.options.coordinates = methods::Coordinates::maximal;
    Simulation simulation = testing::make_simulation(model, settings);
    const State before = simulation.state();
    const StepOutcome outcome = simulation.step();
    EXPECT_FALSE(outcome.ok);
    EXPECT_TRUE(same_bits(simulation.state().q, before.q) && same_bits(simulation.state().v, before.v));
    EXPECT_EQ(simulation.state().time, before.time);
    for (const char* name : {"press", "block", "clamp"}) {
      EXPECT_NE(outcome.failure.find(name), std::string::npos) << outcome.failure;
    }
  }
}

// See random_contact_steps.h.
TEST(ImplicitGeometryRandom, StepsAreSolvedOrReportedAndNeverOnTheFarSide) {
  testing::RandomContactSteps steps("implicit-geometry");
  testing::RandomStepCounts counts;
  for (unsigned seed = 1; seed <= 300; ++seed) steps.run(seed, counts);
  EXPECT_GT(counts.touched, 200);
  const auto seed_of = [&](const char* what) {
    return counts.first_seed.contains(what) ? static_cast<int>(counts.first_seed.at(what)) : -1;
  };
  EXPECT_EQ(counts.not_finite, 0) << seed_of("not finite");
  EXPECT_EQ(counts.wrong_side, 0) << seed_of("wrong side");
  EXPECT_EQ(counts.refuted, 0) << seed_of("refuted") << ' ' << counts.worst_certificate;
  EXPECT_EQ(counts.overlapping, 0) << seed_of("overlapping") << ' ' << counts.worst_overlap;
  EXPECT_EQ(counts.state_touched, 0) << seed_of("state touched");
  EXPECT_EQ(counts.not_solved, 0) << seed_of("not solved");
  for (const auto& [name, count] : counts.fallbacks) RecordProperty(name, std::to_string(count));
}

// A ball that lands: gaps of contacts are those of the end of the step, not moved there once more.
TEST(ImplicitGeometry, RecordedGapsAreThoseOfTheEndOfTheStep) {
  for (const std::string method : {"implicit-geometry", "quasi-rigid"}) {
    SCOPED_TRACE(method);
    Scenario scenario = implicit_scenario("landing", 1e-2, 0.5);
    scenario.settings.method = method;
    scenario.model.bodies.push_back(body_of("ball", 1, geometry::Sphere{0.1}, {0, 0, 0.15}));
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    std::vector<ContactReport> reports;
    int seen = 0;
    for (int i = 0; i < 30; ++i) {
      testing::take_steps(simulation, 1);
      simulation.contact_reports(reports);
      const double height = simulation.kinematics().com_W[simulation.model().find_body("ball")].z();
      for (const ContactReport& report : reports) EXPECT_NEAR(report.gap, height - 0.1, 1e-9) << i;
      seen += static_cast<int>(reports.size());
    }
    EXPECT_GT(seen, 20);
  }
}

}  // namespace
}  // namespace stiction
