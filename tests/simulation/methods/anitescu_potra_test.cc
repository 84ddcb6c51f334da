// anitescu-potra: velocity-level rows and their active set, impacts in phases, steps cut at impacts, projection.
#include "support/simulate.h"

#include <numbers>

#include "stiction/stepping/projection.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

const std::string method = "simulation.method=\"anitescu-potra\"";
const std::string trigger = "method.anitescu-potra.continuous=false";

std::string impact(const std::string& model) {
  return "method.anitescu-potra.impact=\"" + model + "\"";
}

// A ball of radius 0.5 over a plane.
std::string ball(double restitution, double height, const Vector3& velocity, double friction = 0) {
  return fmt::format(R"(
[simulation]
method = "anitescu-potra"
[material.m]
friction = {}
restitution = {}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", normal = [0, 0, 1], material = "m" }}
[[body]]
name = "ball"
mass = 2.0
position = [0, 0, {}]
linear_velocity = [{}, {}, {}]
shape = {{ type = "sphere", radius = 0.5, material = "m" }}
)",
                     friction, restitution, height, velocity.x(), velocity.y(), velocity.z());
}

// Three unit balls in a row without gravity; the first moves at 1 m/s, the gap between the others is given.
std::string cradle(double gap) {
  return fmt::format(R"(
[simulation]
method = "anitescu-potra"
gravity = [0, 0, 0]
step = 1e-3
duration = 0.6
[material.m]
friction = 0
restitution = 1
[[body]]
name = "a"
mass = 1.0
position = [-1.2, 0, 0]
linear_velocity = [1, 0, 0]
shape = {{ type = "sphere", radius = 0.5, material = "m" }}
[[body]]
name = "b"
mass = 1.0
shape = {{ type = "sphere", radius = 0.5, material = "m" }}
[[body]]
name = "c"
mass = 1.0
position = [{}, 0, 0]
shape = {{ type = "sphere", radius = 0.5, material = "m" }}
)",
                     1 + gap);
}

TEST(AnitescuPotra, TouchingCradleSharesTheBlowAndOneWithGapsHandsItOn) {
  for (const std::string model : {"poisson", "newton", "safe"}) {
    Simulation touching = open_text(cradle(0), {impact(model)});
    const RunSummary summary = run_all(touching);
    EXPECT_NEAR(velocity(touching, "a").linear.x(), -1.0 / 3, 1e-12) << model;
    EXPECT_NEAR(velocity(touching, "b").linear.x(), 2.0 / 3, 1e-12) << model;
    EXPECT_NEAR(velocity(touching, "c").linear.x(), 2.0 / 3, 1e-12) << model;
    EXPECT_EQ(summary.certificate.impacts, 1) << model;
    EXPECT_EQ(summary.impact_model, model);
    Simulation apart = open_text(cradle(0.1), {impact(model)});
    EXPECT_EQ(run_all(apart).certificate.impacts, 2) << model;
    EXPECT_NEAR(velocity(apart, "a").linear.x(), 0, 1e-12) << model;
    EXPECT_NEAR(velocity(apart, "b").linear.x(), 0, 1e-12) << model;
    EXPECT_NEAR(velocity(apart, "c").linear.x(), 1, 1e-12) << model;
  }
}

// The safe choice takes the least restitution of an island; Poisson gives every contact its own.
TEST(AnitescuPotra, ImpactsLoseTheEnergyThatRestitutionSays) {
  const double e = 0.6, speed = 3;
  for (const std::string model : {"poisson", "newton", "safe"}) {
    Simulation simulation =
        open_text(ball(e, 1.0, {0, 0, -speed}), timing(1e-3, 0.3, {impact(model), "simulation.gravity=[0,0,0]"}));
    const RunSummary summary = run_all(simulation);
    EXPECT_NEAR(velocity(simulation, "ball").linear.z(), e * speed, 1e-12) << model;
    EXPECT_NEAR(summary.certificate.impact_energy, -0.5 * 2.0 * speed * speed * (1 - e * e), 1e-11) << model;
    EXPECT_LT(summary.certificate.worst(), 1e-12) << model;
  }
}

// Free flight between bounces is first order in h, times of impact are not rounded to steps: after three bounces the
// apex is right to O(h).
TEST(AnitescuPotra, ABouncingBallIsCutAtItsImpacts) {
  std::vector<double> steps = {4e-3, 2e-3, 1e-3, 5e-4}, errors;
  const double fall = std::sqrt(2 * 0.5 / g), e = 0.8;  // from 0.5 m
  const double t = 1.1, t0 = fall * (1 + 2 * e), dt = t - t0, v0 = g * fall * e * e;
  ASSERT_GT(dt, 0);
  const double exact = 0.5 + v0 * dt - 0.5 * g * dt * dt;
  for (const double h : steps) {
    Simulation simulation = open_text(ball(e, 1.0, Vector3::Zero()), timing(h, t));
    run_all(simulation);
    errors.push_back(std::abs(position(simulation, "ball").z() - exact));
  }
  EXPECT_LT(errors.back(), 0.02);
  EXPECT_NEAR(std::log2(errors.front() / errors.back()) / 3, 1.0, 0.25);
}

// One step crosses the plate a hundred times over.
TEST(AnitescuPotra, ABulletDoesNotPassAThinPlate) {
  const std::string scene = R"(
[simulation]
method = "anitescu-potra"
gravity = [0, 0, 0]
[material.m]
friction = 0.3
restitution = 0.5
[[body]]
name = "plate"
fixed = true
shape = { type = "box", size = [0.001, 1, 1], material = "m" }
[[body]]
name = "bullet"
mass = 0.001
position = [-1, 0, 0]
linear_velocity = [100, 0, 0]
shape = { type = "box", size = [0.01, 0.01, 0.01], material = "m" }
)";
  Simulation simulation = open_text(scene, timing(0.05, 0.1));
  run_all(simulation);
  EXPECT_NEAR(velocity(simulation, "bullet").linear.x(), -50, 1e-6);
  EXPECT_LT(position(simulation, "bullet").x(), -1);
  // Beside the plate it flies on, though the plane of the plate's face is crossed.
  Simulation beside = open_text(scene, timing(0.05, 0.1, {"body.1.position=[-1,0.51,0]"}));
  run_all(beside);
  EXPECT_EQ(velocity(beside, "bullet").linear.x(), 100);
}

// f(q + h v) <= 0: a ball that would reach the ground within the step is stopped before it, at most h |v| above.
TEST(AnitescuPotra, TheTriggerStopsEarlyAndSinksLittle) {
  const double h = 1e-2;
  Simulation simulation = open_text(ball(0, 1.0, {0, 0, -1}), timing(h, 1.0, {trigger}));
  double lowest = 1;
  run_all(simulation, [&] { lowest = std::min(lowest, position(simulation, "ball").z() - 0.5); });
  EXPECT_GT(lowest, -g * h * h);
  EXPECT_EQ(velocity(simulation, "ball").linear.z(), 0);
}

// Resting things stay: the trigger is <=, not <.
TEST(AnitescuPotra, ARestingBallDoesNotSink) {
  for (const bool continuous : {true, false}) {
    Simulation simulation =
        open_text(ball(0.5, 0.5, Vector3::Zero(), 0.3), timing(1e-2, 2, {continuous ? impact("poisson") : trigger}));
    const RunSummary summary = run_all(simulation);
    EXPECT_NEAR(position(simulation, "ball").z(), 0.5, 1e-12);
    EXPECT_EQ(summary.certificate.impacts, 0);
    EXPECT_LT(summary.certificate.worst(), 1e-10);
  }
}

// Section 4: a superball gives back its friction impulse. With e_n = e_t = 1 and enough friction, the tangential
// velocity of the contact point is reversed and no energy is lost.
TEST(AnitescuPotra, ASuperballReversesItsSlip) {
  const double vx = 1.0, vz = -3.0;
  Simulation simulation =
      open_text(ball(1, 1.0, {vx, 0, vz}, 2.0),
                timing(1e-3, 0.3, {"material.m.tangential_restitution=1", "simulation.gravity=[0,0,0]"}));
  const RunSummary summary = run_all(simulation);
  const Twist V = velocity(simulation, "ball");
  EXPECT_NEAR(V.linear.z(), -vz, 1e-9);
  // Slip of the contact point. The ball is hit when it is half of 1e-7 of its size above the ground.
  EXPECT_NEAR(V.linear.x() - 0.5 * V.angular.y(), -vx, 5e-7);
  EXPECT_NEAR(summary.certificate.impact_energy, 0, 1e-6);
}

// Without projection the loop opens; with it, it stays shut to rounding, and the motion is the same to O(h).
TEST(AnitescuPotra, ProjectionKeepsTheFourBarClosed) {
  const auto worst = [](const Overrides& more) {
    Overrides overrides = timing(1e-3, 2, {method});
    overrides.insert(overrides.end(), more.begin(), more.end());
    Simulation simulation = open_scene("four_bar", overrides);
    ProjectionWorkspace workspace(simulation.model());
    double largest = 0;
    run_all(simulation, [&] {
      largest = std::max(largest, constraint_violation(simulation.model(), simulation.state(), workspace));
    });
    return largest;
  };
  const double without = worst({"method.anitescu-potra.projection_interval=0"});
  EXPECT_GT(without, 1e-5);
  EXPECT_LT(worst({}), 1e-12);
  EXPECT_LT(worst({"method.anitescu-potra.projection_interval=50"}), 0.2 * without);
}

// The end that lands throws the other one down within the same step: that is an impact too, not a stop.
TEST(AnitescuPotra, ARodThatLandsOnBothEndsReboundsFromBoth) {
  Simulation simulation = open_scene("bouncing_rod");
  const RunSummary summary = run_all(simulation);
  EXPECT_EQ(summary.steps_over_tolerance, 0);
  EXPECT_GT(summary.certificate.impacts, 50);
  EXPECT_EQ(summary.certificate.energy_gain, 0);
}

// One end touches, the other, 1 mm up, would be 1 mm below the floor after the step: it is in the active set.
TEST(AnitescuPotra, TheOtherEndOfATouchingRodDoesNotGoThrough) {
  const double tilt = std::asin(1.0 / 600), half = 0.25 * std::numbers::pi - 0.5 * tilt;
  const auto text = fmt::format(R"(
[simulation]
method = "anitescu-potra"
gravity = [0, 0, 0]
[[body]]
name = "floor"
fixed = true
shape = {{ type = "plane" }}
[[body]]
name = "rod"
mass = 1.0
position = [0, 0, 0.0205]
orientation = [{:.17g}, 0, {:.17g}, 0]
linear_velocity = [0, 0, -1]
angular_velocity = [0, {:.17g}, 0]
shape = {{ type = "capsule", radius = 0.02, length = 0.6 }}
)",
                                std::cos(half), std::sin(half), 1 / 0.3);
  Simulation simulation = open_text(text, timing(1e-3, 1e-3));
  const double speed = std::abs(velocity(simulation, "rod").angular.y());
  run_all(simulation);
  EXPECT_LT(simulation.measure_penetration(), 1e-6);
  EXPECT_LT(std::abs(velocity(simulation, "rod").angular.y()), 1e-3 * speed);
}

TEST(AnitescuPotra, EveryExampleSceneIsCertified) {
  for (const std::string name : {"conveyor", "heavy_on_light", "incline", "pendulum", "projectile", "shaker",
                                 "sphere_slide_roll", "tower", "chain", "four_bar", "gyroscope", "tumble"}) {
    Simulation simulation = open_scene(name, {method, "simulation.duration=0.5"});
    const RunSummary summary = run_all(simulation);
    EXPECT_EQ(summary.steps_over_tolerance, 0) << name;
    EXPECT_LT(summary.certificate.energy_gain, 1e-9) << name;
  }
}

// (14) with a polygon is the LCP of stewart-trinkle without its gaps; on a sphere that slides in the polygon's
// direction the round cone gives the same.
TEST(AnitescuPotra, PolyhedralAndGeneralConesAgreeAlongAnEdge) {
  Simulation general = open_scene("sphere_slide_roll", {method, "simulation.step=1e-3"});
  Simulation polyhedral =
      open_scene("sphere_slide_roll", {method, "simulation.step=1e-3", "method.anitescu-potra.cone=\"polyhedral\""});
  run_all(general);
  run_all(polyhedral);
  EXPECT_LT((position(general, "ball") - position(polyhedral, "ball")).norm(), 1e-9);
}

}  // namespace
}  // namespace stiction::testing
