// convex-impulse over time: sliding to rest, sticking on an incline, a stack, a pendulum that hits the ground in both
// kinds of coordinates; and the orders of the integrators that move bodies between contacts.
#include "stiction/methods/convex_impulse.h"
#include "support/runge_kutta.h"
#include "support/scenarios.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

SimulationSettings convex(double step, double duration, Integrator integrator = Integrator::explicit_euler) {
  SimulationSettings settings = settings_of(step, duration);
  settings.method = "convex-impulse";
  settings.options.of<methods::ConvexImpulseOptions>().integrator = integrator;
  return settings;
}

// v^2 / (2 mu g), to the order of v h.
TEST(ConvexImpulseScene, ABlockSlidesToRest) {
  const double mu = 0.3, v = 1;
  ModelDescription model = on_ground(mu);
  BodyDescription block = body_of("block", 2, geometry::Box{{0.1, 0.08, 0.03}}, {0, 0, 0.03});
  block.linear_velocity = Vector3(v, 0, 0);
  model.bodies.push_back(block);
  for (const double h : {4e-3, 1e-3}) {
    Simulation simulation = make_simulation(model, convex(h, 0.6));
    const RunSummary summary = run_all(simulation);
    EXPECT_NEAR(position(simulation, "block").x(), v * v / (2 * mu * g), v * h);
    EXPECT_NEAR(position(simulation, "block").z(), 0.03, 1e-12);
    EXPECT_LT(summary.certificate.cone, 1e-12);
    EXPECT_LT(summary.certificate.normal, 1e-9);
  }
}

// Creep: below the angle of friction nothing moves but by rounding.
TEST(ConvexImpulseScene, ABlockSticksOnAnIncline) {
  const double slope = 0.25;  // tan is 0.255
  ModelDescription model = on_ground(0.3);
  model.gravity = g * Vector3(std::sin(slope), 0, -std::cos(slope));
  model.bodies.push_back(body_of("block", 2, geometry::Box{{0.1, 0.08, 0.03}}, {0, 0, 0.03}));
  Simulation simulation = make_simulation(model, convex(1e-3, 1));
  run_all(simulation);
  const double creep = (position(simulation, "block") - Vector3(0, 0, 0.03)).norm();
  RecordProperty("creep", fmt::format("{:.3g}", creep));
  EXPECT_LT(creep, 1e-12);  // a thousand steps of rounding
}

TEST(ConvexImpulseScene, AStackRests) {
  for (const auto coordinates : {methods::Coordinates::reduced, methods::Coordinates::maximal}) {
    Scenario scenario = tower(3, 1e-3);
    scenario.settings = convex(1e-3, 1);
    scenario.settings.options.coordinates = coordinates;
    Simulation simulation = make_simulation(scenario.model, scenario.settings);
    const RunSummary summary = run_all(simulation);
    for (int i = 0; i < 3; ++i) {
      const Vector3 at = position(simulation, "box" + std::to_string(i));
      EXPECT_LT((at - Vector3(0, 0, 0.05 + 0.1 * i)).norm(), 1e-10) << i;
    }
    EXPECT_TRUE(summary.fallbacks.empty());
  }
}

// A rod that swings down on the ground: reduced and maximal coordinates are the same mechanism; the impulses at contact
// agree to the O(h) by which loads on joints differ.
TEST(ConvexImpulseScene, APendulumHitsTheGroundInBothCoordinates) {
  std::vector<Vector3> end;
  for (const auto coordinates : {methods::Coordinates::reduced, methods::Coordinates::maximal}) {
    ModelDescription model = on_ground(0.4);
    model.bodies.push_back(body_of("bob", 1, geometry::Sphere{0.1}, {0.5, 0, 0.3}));
    model.joints.push_back(hinge("pivot", "world", "bob", {0, 0, 0.3}));
    SimulationSettings settings = convex(1e-3, 1);
    settings.options.coordinates = coordinates;
    Simulation simulation = make_simulation(model, settings);
    const RunSummary summary = run_all(simulation);
    EXPECT_LT(summary.certificate.momentum, 1e-9);
    EXPECT_NEAR((position(simulation, "bob") - Vector3(0, 0, 0.3)).norm(), 0.5, 1e-9);
    EXPECT_GT(position(simulation, "bob").z(), 0.1 - 5e-3);
    end.push_back(position(simulation, "bob"));
  }
  EXPECT_LT((end[0] - end[1]).norm(), 5e-3);
}

// A ball that rolls against the moment M = mu rho m g: (I + m r^2) omega falls by M t, and friction prevents slip.
TEST(ConvexImpulseScene, ABallRollsToRest) {
  const double r = 0.1, v = 0.5, mu = 0.5, rho = 0.02, a = 5.0 / 7 * mu * rho * g / r;  // rest after 0.71 s, 0.18 m
  ModelDescription model = on_ground(mu);
  model.materials[0].rolling_friction = rho;
  BodyDescription ball = body_of("ball", 2, geometry::Sphere{r}, {0, 0, r});
  ball.linear_velocity = Vector3(v, 0, 0);
  ball.angular_velocity = Vector3(0, v / r, 0);
  model.bodies.push_back(ball);
  for (const double h : {4e-3, 1e-3}) {
    Simulation half = make_simulation(model, convex(h, 0.4));
    run_all(half);
    const double speed = half.state().v[0];
    EXPECT_NEAR(speed, v - a * 0.4, 2 * a * h);
    EXPECT_NEAR(half.state().v[4] * r, speed, 1e-5 * v);  // rolling counts 1e-6 of slip
    Simulation simulation = make_simulation(model, convex(h, 1));
    const RunSummary summary = run_all(simulation);
    EXPECT_NEAR(position(simulation, "ball").x(), v * v / (2 * a), v * h);
    EXPECT_LT(simulation.state().v.head<2>().norm() + simulation.state().v.tail<3>().norm(), 1e-6);
    EXPECT_LT(summary.certificate.cone, 1e-12);
  }
}

// A ball that spins about the normal until the moment mu tau m g has stopped it.
TEST(ConvexImpulseScene, ASpinningBallStops) {
  const double r = 0.1, omega = 6, mu = 0.5, tau = 0.01, a = mu * tau * g / (0.4 * r * r);  // rest after 0.49 s
  ModelDescription model = on_ground(mu);
  model.materials[0].torsional_friction = tau;
  BodyDescription ball = body_of("ball", 2, geometry::Sphere{r}, {0, 0, r});
  ball.angular_velocity = Vector3(0, 0, omega);
  model.bodies.push_back(ball);
  const double h = 1e-3;
  Simulation half = make_simulation(model, convex(h, 0.25));
  run_all(half);
  EXPECT_NEAR(half.state().v[5], omega - a * 0.25, 2 * a * h);
  Simulation simulation = make_simulation(model, convex(h, 0.6));
  run_all(simulation);
  EXPECT_LT(simulation.state().v.tail<3>().norm(), 1e-6);
  EXPECT_LT(position(simulation, "ball").head<2>().norm(), 1e-9);
}

// A pendulum's angle after a second against the equation of motion.
double pendulum_error(double h, Integrator integrator) {
  ModelDescription model;
  model.materials.push_back({.name = "wood"});
  model.bodies.push_back(body_of("bob", 1, geometry::Sphere{0.1}, {0.5, 0, 2}));
  model.joints.push_back(hinge("pivot", "world", "bob", {0, 0, 2}));
  Simulation simulation = make_simulation(model, convex(h, 1, integrator));
  run_all(simulation);
  const double inertia = 0.4 * 0.01 + 0.25;
  const auto rate = [&](const VectorX& y) {
    VectorX result(2);
    result << y[1], g * 0.5 * std::cos(y[0]) / inertia;  // about y: positive turns down
    return result;
  };
  const VectorX exact = runge_kutta(rate, VectorX::Zero(2), 1, 20000);
  return std::abs(simulation.state().q[0] - exact[0]);
}

// A free body that tumbles: its orientation against a run with steps so small that their error does not count.
double tumbling_error(double h, Integrator integrator) {
  const auto turned = [&](double step, Integrator with) {
    ModelDescription model;
    model.materials.push_back({.name = "wood"});
    BodyDescription body = body_of("body", 1, geometry::Box{{0.1, 0.2, 0.3}}, Vector3::Zero());
    body.angular_velocity = Vector3(0.3, 4, 0.2);
    model.bodies.push_back(body);
    Simulation simulation = make_simulation(model, convex(step, 1, with));
    run_all(simulation);
    return pose(simulation, "body").R;
  };
  static const Matrix3 exact = turned(1.0 / 4096, Integrator::runge_kutta);
  return (turned(h, integrator) - exact).norm();
}

TEST(ConvexImpulseScene, IntegratorsHaveTheirOrder) {
  for (const Integrator euler : {Integrator::explicit_euler, Integrator::semi_implicit_euler}) {
    expect_order([&](double h) { return pendulum_error(h, euler); }, {1.0 / 256, 1.0 / 512, 1.0 / 1024}, 1, 30, 0.3);
    expect_order([&](double h) { return tumbling_error(h, euler); }, {1.0 / 256, 1.0 / 512, 1.0 / 1024}, 1, 30, 0.3);
  }
  const auto rk = Integrator::runge_kutta;
  expect_order([&](double h) { return pendulum_error(h, rk); }, {1.0 / 64, 1.0 / 128, 1.0 / 256}, 4, 500, 0.3);
  expect_order([&](double h) { return tumbling_error(h, rk); }, {1.0 / 16, 1.0 / 32, 1.0 / 64}, 4, 500, 0.4);
}

}  // namespace
}  // namespace stiction::testing
