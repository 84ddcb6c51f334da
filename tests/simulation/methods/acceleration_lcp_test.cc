// acceleration-lcp against closed forms: slopes, the pyramid's corners, bounces, Painleve's rod, a soft grasp.
#include <cstring>
#include <numbers>

#include <gmock/gmock.h>

#include "stiction/methods/acceleration_lcp.h"
#include "support/friction_lever.h"
#include "support/places.h"
#include "support/scenarios.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;
constexpr double slope = 0.4;  // rad, of scenes/incline.toml
const Vector3 downhill(std::cos(slope), 0, -std::sin(slope));

Overrides method(const std::string& sliding = "coulomb", const Overrides& more = {}) {
  Overrides overrides = {"simulation.method=acceleration-lcp", "method.acceleration-lcp.sliding=" + sliding};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

std::string softness(double value) {
  return set("method.acceleration-lcp.regularization", value);
}

// Friction's moment about the centre, F * 0.05 m, takes F 0.05 / 0.4 off each of the two contacts uphill, 0.1 m from
// the centre; friction is at its bound there. What is left of F = m g sin a the two downhill share, and creep by their
// softness times their impulse per step.
TEST(AccelerationLcp, ABlockOnASlopeCreepsByItsRegularisation) {
  const double h = 1e-3, mu = 0.5, F = 2 * g * std::sin(slope);
  const double uphill = 2 * g * std::cos(slope) / 4 - F * 0.05 / 0.4;
  for (const std::string sliding : {"coulomb", "ode"}) {
    for (const double soft : {1e-10, 1e-5, 1e-3}) {
      Simulation simulation = open_scene("incline", timing(h, 2, method(sliding, {softness(soft)})));
      take_steps(simulation, 1000);
      const Vector3 settled = position(simulation, "block");
      take_steps(simulation, 1000);
      const double creep = downhill.dot(position(simulation, "block") - settled),
                   expected = soft * h * (F / 2 - mu * uphill);
      EXPECT_NEAR(creep, expected, 1e-3 * expected + 1e-13) << sliding << ' ' << soft;  // rounding of positions
      EXPECT_NEAR(contact_force(simulation, "block").dot(downhill), -F, 1e-6);
    }
  }
}

// Constant forces: the step's velocity is exact, and along an axis of the pyramid it makes no difference who pushes.
// What regularisation lets sink changes the normal force while it settles: 1e-10 m/(s N s) of it.
TEST(AccelerationLcp, ABlockSlidesDownASlope) {
  const double mu = 0.3, a = g * (std::sin(slope) - mu * std::cos(slope));
  for (const std::string sliding : {"coulomb", "ode"}) {
    Simulation simulation =
        open_scene("incline", timing(1e-2, 1, method(sliding, {set("material.wood.friction", mu)})));
    run_all(simulation);
    EXPECT_LT((velocity(simulation, "block").linear - a * downhill).norm(), 1e-9) << sliding;
    EXPECT_LT(velocity(simulation, "block").angular.norm(), 1e-9) << sliding;
  }
}

// Deceleration of a cube that slides over the ground in that direction.
double deceleration(const std::string& sliding, double angle) {
  Scenario scenario{"", on_ground(0.3), settings_of(1e-3, 0.1)};
  scenario.settings.method = "acceleration-lcp";
  if (sliding == "ode") {
    scenario.settings.options.of<methods::AccelerationLcpOptions>().sliding =
        methods::AccelerationLcpOptions::Sliding::ode;
  }
  scenario.model.bodies.push_back(cube("box", {0, 0, 0.05}));
  scenario.model.bodies.back().linear_velocity = {std::cos(angle), std::sin(angle), 0};
  Simulation simulation = make_simulation(scenario.model, scenario.settings);
  run_to_end(simulation);
  const Vector3 v = velocity(simulation, "box").linear;
  EXPECT_LT(std::abs(std::cos(angle) * v.y() - std::sin(angle) * v.x()), 1e-9);  // straight on
  return (1 - v.norm()) / 0.1;
}

// |f_t| <= mu f_n on each axis is sqrt 2 mu f_n on the diagonal.
TEST(AccelerationLcp, ThePyramidHasCornersAndCoulombsLawHasNone) {
  const double diagonal = std::numbers::pi / 4, mu = 0.3;
  EXPECT_NEAR(deceleration("ode", 0), mu * g, 1e-8);
  EXPECT_NEAR(deceleration("ode", diagonal), std::numbers::sqrt2 * mu * g, 1e-8);
  EXPECT_NEAR(deceleration("coulomb", 0), mu * g, 1e-8);
  EXPECT_NEAR(deceleration("coulomb", diagonal), mu * g, 1e-8);
}

// Friction that would turn the slip round stops it instead, at the latest one step after the exact time v / mu g, and
// the block stays.
TEST(AccelerationLcp, ASlidingBlockStopsAndStays) {
  for (const std::string sliding : {"coulomb", "ode"}) {
    Scenario scenario{"", on_ground(0.3), settings_of(1e-3, 1)};
    scenario.settings.method = "acceleration-lcp";
    scenario.settings.options.of<methods::AccelerationLcpOptions>().sliding =
        sliding == "ode" ? methods::AccelerationLcpOptions::Sliding::ode
                         : methods::AccelerationLcpOptions::Sliding::coulomb;
    scenario.model.bodies.push_back(cube("box", {0, 0, 0.05}));
    scenario.model.bodies.back().linear_velocity = {1, 0, 0};
    Simulation simulation = make_simulation(scenario.model, scenario.settings);
    take_steps(simulation, static_cast<long>(1 / (0.3 * g) / 1e-3) + 2);
    EXPECT_LT(velocity(simulation, "box").linear.norm(), 1e-9) << sliding;
    const Vector3 stopped = position(simulation, "box");
    EXPECT_NEAR(stopped.x(), 0.5 / (0.3 * g), 1e-3);
    take_steps(simulation, 500);
    EXPECT_LT((position(simulation, "box") - stopped).norm(), 1e-9) << sliding;
  }
}

std::string ball(double height, double velocity, double restitution) {
  return fmt::format(R"(
[simulation]
method = "acceleration-lcp"
[material.m]
friction = 0.5
restitution = {:.17g}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", material = "m" }}
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, {:.17g}]
linear_velocity = [0, 0, {:.17g}]
shape = {{ type = "sphere", radius = 0.1, material = "m" }}
)",
                     restitution, 0.1 + height, velocity);
}

// The step in which the ball hits reverses e of the speed it came with; its own gravity acts after that.
TEST(AccelerationLcp, ABallBouncesWithTheRestitutionOfItsMaterial) {
  const double h = 1e-3;
  for (const double e : {0.0, 0.25, 0.8, 1.0}) {
    Simulation simulation = open_text(ball(0.1, -1, e), timing(h, 1));
    int impacts = 0;
    double before = -1;
    run_all(simulation, [&] {
      const double after = velocity(simulation, "ball").linear.z();
      if (after > before - 0.5 * g * h && impacts == 0 && e > 0) {
        EXPECT_NEAR(after + g * h, -e * before, 1e-9) << e;
        ++impacts;
      }
      before = after;
    });
    EXPECT_EQ(impacts, e > 0 ? 1 : 0);
    if (e == 0) {
      EXPECT_NEAR(position(simulation, "ball").z(), 0.1, 1e-9);
    }
  }
}

// At rest the correction share * overlap / h holds what softness * m g h lets sink.
TEST(AccelerationLcp, ABallSinksByItsRegularisation) {
  const double h = 1e-3, share = 0.2;
  for (const double soft : {1e-5, 1e-3}) {
    Simulation simulation = open_text(ball(0, 0, 0), timing(h, 0.5, {softness(soft)}));
    run_all(simulation);
    const double expected = soft * g * h * h / share;
    EXPECT_NEAR(0.1 - position(simulation, "ball").z(), expected, 1e-3 * expected + 1e-15) << soft;
  }
}

Simulation painleve(const std::string& sliding) {
  return start(scene::load_scene(stiction::testing::source_path("papers/anitescu1998/painleve.toml"), method(sliding)));
}

// n^T M^-1 (n - mu slip) = -0.8 / kg and the end falls freely: no f_n >= 0 gives a_n >= 0.
TEST(AccelerationLcp, PainlevesRodHasNoForces) {
  Simulation simulation = painleve("coulomb");
  const State before = simulation.state();
  const StepOutcome outcome = simulation.step();
  EXPECT_FALSE(outcome.ok);
  EXPECT_THAT(outcome.failure, ::testing::HasSubstr("no_solution"));
  EXPECT_THAT(outcome.failure, ::testing::HasSubstr("no contact forces exist"));
  EXPECT_THAT(outcome.failure, ::testing::HasSubstr("[rod]"));
  EXPECT_EQ(std::memcmp(before.q.data(), simulation.state().q.data(), sizeof(double) * before.q.size()), 0);
  EXPECT_EQ(std::memcmp(before.v.data(), simulation.state().v.data(), sizeof(double) * before.v.size()), 0);
  EXPECT_EQ(simulation.step_index(), 0);
}

// Just below mu = 4/3, where 1 + 3 (cos^2 - mu sin cos) = 1.6 - 1.2 mu is positive, forces exist.
TEST(AccelerationLcp, TheRodHasForcesBelowTheCriticalFriction) {
  for (const double mu : {1.32, 1.35}) {
    Simulation simulation = start(scene::load_scene(stiction::testing::source_path("papers/anitescu1998/painleve.toml"),
                                                    method("coulomb", {set("material.rough.friction", mu)})));
    EXPECT_EQ(simulation.step().ok, mu < 4.0 / 3) << mu;
  }
}

// Any force of the pyramid will do: the end is stopped by one step's impulse, 0.6 N s and no more than m g h beside it.
TEST(AccelerationLcp, PainlevesRodIsStoppedByThePyramid) {
  Simulation simulation = painleve("ode");
  const StepOutcome outcome = simulation.step();
  ASSERT_TRUE(outcome.ok) << outcome.failure;
  EXPECT_NEAR(contact_force(simulation, "rod").z() * 1e-3, 0.6, 2 * g * 1e-3);
  run_all(simulation);
}

// A tennis ball between two jaws that are pressed on it by 10 N each: gravity pulls it out by its softness times half
// its weight's impulse.
std::string grasp() {
  return R"(
[simulation]
method = "acceleration-lcp"
step = 1e-3
[material.m]
friction = 0.8
[[body]]
name = "left"
mass = 0.2
position = [-0.043, 0, 0]
shape = { type = "box", size = [0.02, 0.05, 0.05], material = "m" }
[[body]]
name = "right"
mass = 0.2
position = [0.043, 0, 0]
shape = { type = "box", size = [0.02, 0.05, 0.05], material = "m" }
[[body]]
name = "ball"
mass = 0.058
shape = { type = "sphere", radius = 0.033, material = "m" }
[[joint]]
name = "slide_left"
type = "prismatic"
parent = "world"
child = "left"
axis = [1, 0, 0]
stiffness = 1000
damping = 20
rest = 0.01
[[joint]]
name = "slide_right"
type = "prismatic"
parent = "world"
child = "right"
axis = [-1, 0, 0]
stiffness = 1000
damping = 20
rest = 0.01
)";
}

TEST(AccelerationLcp, AGraspCreepsByItsRegularisation) {
  const double h = 1e-3, weight = 0.058 * g;
  for (const std::string sliding : {"coulomb", "ode"}) {
    for (const double soft : {1e-10, 1e-5, 1e-3}) {
      Simulation simulation = open_text(grasp(), method(sliding, {softness(soft)}));
      take_steps(simulation, 1000);
      const double settled = position(simulation, "ball").z();
      take_steps(simulation, 1000);
      const double creep = settled - position(simulation, "ball").z(), expected = soft * h * weight / 2;
      EXPECT_NEAR(creep, expected, 2e-2 * expected + 1e-13) << sliding << ' ' << soft;
      RecordProperty(fmt::format("creep_{}_{:g}", sliding, soft), fmt::format("{:.4g}", creep));
    }
  }
}

// Dry friction in a joint is a bounded row, a limit a contact without friction.
TEST(AccelerationLcp, LimitsAndDryFrictionOfJoints) {
  expect_lever_on_its_limit("acceleration-lcp", 1e-10);
}

}  // namespace
}  // namespace stiction::testing
