// Penalty forces against the statics and dynamics of springs and dampers.
#include <numbers>

#include <gmock/gmock.h>

#include "support/friction_lever.h"
#include "support/scenarios.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81, k = 1e5, c = 100;
constexpr double slope = 0.4;  // rad, of scenes/incline.toml
const Vector3 downhill(std::cos(slope), 0, -std::sin(slope));
const std::string by_springs = "simulation.method=penalty";

// A ball of radius 0.1 m over the ground.
std::string ball(double height, double velocity, double gravity, const std::string& material = "") {
  return fmt::format(R"(
[simulation]
method = "penalty"
gravity = [0, 0, {:.17g}]
[material.m]
friction = 0.5
{}
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
                     -gravity, material, 0.1 + height, velocity);
}

// The damped oscillation has died down to e^-50 after a second: what is left is m g / k.
TEST(Penalty, ABallRestsWithTheOverlapOfItsWeight) {
  Simulation simulation = open_text(ball(0, 0, g), timing(1e-3, 1));
  run_all(simulation);
  EXPECT_NEAR(0.1 - position(simulation, "ball").z(), g / k, 1e-14);
  EXPECT_NEAR(contact_force(simulation, "ball").z(), g, 1e-9);
}

// Four corners with the full gains each.
TEST(Penalty, ABoxRestsOnFourSprings) {
  SimulationSettings settings;
  settings.method = "penalty";
  Simulation simulation = make_simulation(resting_box().model, settings);
  take_steps(simulation, 1000);
  EXPECT_NEAR(0.05 - position(simulation, "box").z(), g / (4 * k), 1e-12);
}

// Statics of the block of 0.2 x 0.1 m on its springs: friction F = m g sin a stretches four tangential springs, its
// moment about the centre, F * 0.05, tilts the block by F 0.05 / (4 k 0.1^2), which moves the centre on by 0.05 times
// that. Linear in the overlaps, which are 1e-4 of the block. It starts pressed in by its weight and with friction 2, so
// that nothing slips on the way.
TEST(Penalty, ABlockOnASlopeSettlesElastically) {
  const double offset = 0.05 - 2 * g * std::cos(slope) / (4 * k);
  Simulation simulation =
      open_scene("incline", timing(1e-3, 3,
                                   {by_springs, "material.wood.friction=2",
                                    fmt::format("body.block.position=[{:.17g},0,{:.17g}]", offset * std::sin(slope),
                                                offset * std::cos(slope))}));
  const double start = downhill.dot(position(simulation, "block"));
  run_all(simulation);
  const double F = 2 * g * std::sin(slope);
  const double expected = F / (4 * k) + 0.05 * F * 0.05 / (4 * k * 0.01);
  EXPECT_NEAR(downhill.dot(position(simulation, "block")) - start, expected, 1e-3 * expected);
}

// Set down without overlap it slips a little while the springs take up the weight, and then stays.
TEST(Penalty, ABlockOnASlopeDoesNotCreep) {
  Simulation simulation = open_scene("incline", timing(1e-3, 6, {by_springs}));
  const double start = downhill.dot(position(simulation, "block"));
  take_steps(simulation, 3000);
  const Vector3 settled = position(simulation, "block");
  take_steps(simulation, 3000);
  const double F = 2 * g * std::sin(slope);
  EXPECT_LT(std::abs(downhill.dot(settled) - start), 1e-4);
  EXPECT_LT((position(simulation, "block") - settled).norm() / 3, 1e-14);  // creep, m/s
  EXPECT_NEAR(contact_force(simulation, "block").dot(downhill), -F, 1e-8);
}

// Springs on the boundary of the friction disc: once settled the block accelerates as Coulomb says.
TEST(Penalty, ABlockSlidesDownASlope) {
  const double mu = 0.3, a = g * (std::sin(slope) - mu * std::cos(slope));
  Simulation simulation = open_scene("incline", timing(1e-3, 2, {by_springs, set("material.wood.friction", mu)}));
  take_steps(simulation, 1000);
  const double before = downhill.dot(velocity(simulation, "block").linear);
  take_steps(simulation, 1000);
  EXPECT_NEAR(downhill.dot(velocity(simulation, "block").linear) - before, a, 1e-6 * a);
  EXPECT_NEAR(contact_force(simulation, "block").dot(downhill), -mu * 2 * g * std::cos(slope), 1e-6);
}

// Rebound of m x'' = -k x - c x' that pulls until x = 0, and of the same that lets go where the force would pull: with
// b = c / 2 m and w^2 = k / m - b^2 it leaves at w t = pi - atan(2 b w / (w^2 - b^2)).
double linear_rebound(double b, double w) {
  return std::exp(-b / w * std::numbers::pi);
}
double cut_rebound(double b, double w) {
  return std::exp(-b / w * (std::numbers::pi - std::atan(2 * b * w / (w * w - b * b))));
}

// The same by another integrator, at h / 100 of the finest step below.
double integrated_rebound(double damping) {
  double x = 0, v = -1;
  const auto acceleration = [&](double at, double rate) {
    return at < 0 ? std::max(0.0, -k * at - damping * rate) : 0;
  };
  const double dt = 1e-8;
  do {
    const double a = acceleration(x, v), half = v + dt / 2 * a;
    x += dt * half;
    v += dt * acceleration(x - dt / 2 * half, half);
  } while (x < 0);
  return v;
}

double simulated_rebound(double damping, double h) {
  Simulation simulation = open_text(ball(0, -1, 0), timing(h, 0.02, {set("method.penalty.damping", damping)}));
  run_all(simulation);
  EXPECT_GT(position(simulation, "ball").z(), 0.1);
  return velocity(simulation, "ball").linear.z();
}

TEST(Penalty, ABallBouncesAsTheDampedOscillatorThatDoesNotPull) {
  for (const double damping : {20.0, 100.0, 250.0}) {
    const double b = damping / 2, w = std::sqrt(k - b * b), exact = cut_rebound(b, w);
    EXPECT_NEAR(integrated_rebound(damping), exact, 1e-5);
    const double finest = simulated_rebound(damping, 1e-6);
    EXPECT_NEAR(finest, exact, 2e-3) << damping;  // first order: w h = 3e-4 at unit speed, a few of it
    const double error = std::abs(simulated_rebound(damping, 1e-5) - exact);
    EXPECT_LT(std::abs(finest - exact), 0.2 * error + 1e-6) << damping;
    EXPECT_GT(finest, linear_rebound(b, w));
  }
}

TEST(Penalty, RestitutionOfTheMaterialIsNotKnown) {
  Simulation plain = open_text(ball(0.01, -1, g), timing(1e-4, 0.2));
  Simulation elastic = open_text(ball(0.01, -1, g, "restitution = 0.9"), timing(1e-4, 0.2));
  run_all(plain);
  run_all(elastic);
  EXPECT_EQ(plain.state().q, elastic.state().q);
}

// A ball that spins on the spot: the moment is at its bound mu l m g until it stops, then the spring holds it.
TEST(Penalty, TorsionIsBounded) {
  const double mu = 0.5, length = 0.02, inertia = 0.4 * 0.01, spin = 10;
  Simulation simulation = open_text(ball(-g / k, 0, g, fmt::format("torsional_friction = {}", length)),
                                    timing(1e-4, 0.2, {fmt::format("body.ball.angular_velocity=[0,0,{}]", spin)}));
  const double deceleration = mu * length * g / inertia;
  run_all(simulation);
  EXPECT_NEAR(velocity(simulation, "ball").angular.z(), spin - 0.2 * deceleration, 1e-3);
  // The spring k_t l^2 on the ball's inertia dies down with c_t l^2 / 2 I = 5 1/s.
  take_steps(simulation, 50000);
  EXPECT_LT(std::abs(velocity(simulation, "ball").angular.z()), 1e-9);
}

// The spring is stretched along the body that it is attached to: a block on a plate that swings on its hinge by a
// quarter turn about the vertical stays where it is on the plate.
TEST(Penalty, SpringsTurnWithTheirBody) {
  Simulation simulation = open_text(R"(
[simulation]
method = "penalty"
step = 1e-3
duration = 1.5707963267948966
[[body]]
name = "plate"
mass = 1000.0
position = [0, 0, 0]
shape = { type = "box", size = [1, 1, 0.1] }
[[body]]
name = "block"
mass = 1.0
position = [0.3, 0, 0.1]
angular_velocity = [0, 0, 1]
linear_velocity = [0, 0.3, 0]
shape = { type = "box", size = [0.1, 0.1, 0.1] }
[[joint]]
name = "pivot"
type = "revolute"
parent = "world"
child = "plate"
axis = [0, 0, 1]
velocity = 1.0
)");
  run_all(simulation);
  const Vector3 on_plate = pose(simulation, "plate").R.transpose() * position(simulation, "block");
  // Elastic: m w^2 r / 4 k_t = 7.5e-7 m, and as much again by the tilt and the first oscillation.
  EXPECT_NEAR(on_plate.x(), 0.3, 3e-6);
  EXPECT_NEAR(on_plate.y(), 0, 3e-6);
  EXPECT_NEAR(std::atan2(pose(simulation, "plate").R(1, 0), pose(simulation, "plate").R(0, 0)), std::numbers::pi / 2,
              2e-3);
}

// Joints are not springs.
TEST(Penalty, LimitsAndDryFrictionOfJointsAreExact) {
  expect_lever_on_its_limit("penalty", 1e-12);
}

// Without contacts it is the method of Trinkle 2003, to the bit: loops, limits and dry friction in both coordinates;
// and with soft contacts under it a chain of joints with friction, on its limits, is solved at every step.
TEST(Penalty, JointsAreThoseOfStewartTrinkle) {
  for (const auto coordinates : {methods::Coordinates::reduced, methods::Coordinates::maximal}) {
    std::vector<VectorX> q;
    for (const std::string method : {"penalty", "stewart-trinkle"}) {
      Scenario scenario = four_bar();
      scenario.settings.method = method;
      scenario.settings.options.coordinates = coordinates;
      Simulation simulation = make_simulation(scenario.model, scenario.settings);
      run_to_end(simulation);
      q.push_back(simulation.state().q);
    }
    EXPECT_EQ(q[0], q[1]);
    Scenario chain = cart_beside_tower(coordinates);
    chain.settings.method = "penalty";
    Simulation simulation = make_simulation(chain.model, chain.settings);
    EXPECT_NO_THROW(run_to_end(simulation));
  }
}

// A spring that overflows: 5 m of overlap.
TEST(Penalty, VelocitiesThatAreNotFiniteFailTheStep) {
  Simulation simulation = open_text(ball(-5, 0, g), timing(1e-3, 1, {"method.penalty.stiffness=1e308"}));
  const StepOutcome outcome = simulation.step();
  EXPECT_FALSE(outcome.ok);
  EXPECT_THAT(outcome.failure, ::testing::HasSubstr("not finite"));
  EXPECT_TRUE(simulation.state().q.allFinite() && simulation.state().v.allFinite());
}

// Springs are part of the motion: a state put in from elsewhere starts without them.
TEST(Penalty, RestoringAStateForgetsTheSprings) {
  Simulation first = open_scene("incline", timing(1e-3, 1, {by_springs}));
  const State start = first.state();
  take_steps(first, 300);
  const VectorX q = first.state().q;
  first.restore(start, 0);
  take_steps(first, 300);
  EXPECT_EQ(first.state().q, q);
}

}  // namespace
}  // namespace stiction::testing
