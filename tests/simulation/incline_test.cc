// Bodies on a slope: blocks on either side of the friction angle, spheres that roll or slip.
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;
constexpr double slope = 0.4;  // rad, of scenes/incline.toml
const Vector3 downhill(std::cos(slope), 0, -std::sin(slope));
const Vector3 uphill_normal(std::sin(slope), 0, std::cos(slope));

Overrides friction(double mu) {
  return {set("material.wood.friction", mu)};
}

double along(Simulation& simulation, const std::string& body) {
  return downhill.dot(position(simulation, body));
}

// Below the friction angle (0.5 > tan 0.4 = 0.42) the exact answer is rest, and the step's answer too: what is left is
// rounding, some 1e-16 of the velocity g h that each step stops, and it must not add up.
TEST(Incline, BelowTheFrictionAngleNothingCreeps) {
  for (const double h : {1e-3, 1.0 / 60}) {
    Simulation simulation = open_scene("incline", timing(h, 10));
    const Vector3 start = position(simulation, "block");
    double fastest = 0;
    const RunSummary summary = run_all(simulation, [&] {
      const Twist twist = velocity(simulation, "block");
      fastest = std::max({fastest, twist.linear.norm(), twist.angular.norm()});
    });
    EXPECT_LT(fastest, 1e-12) << "h = " << h;
    EXPECT_LT((position(simulation, "block") - start).norm(), 1e-12) << "h = " << h;
    EXPECT_LT(summary.certificate.worst(), 1e-10);
    EXPECT_EQ(count_contacts(simulation, ContactState::slip), 0);  // one of four may carry nothing: three are enough
  }
}

// Statics: the slope carries the weight, m g cos a along its normal and m g sin a against the slide.
TEST(Incline, SlopeCarriesTheWeight) {
  Simulation simulation = open_scene("incline", timing(1e-2, 1));
  run_all(simulation);
  const Vector3 force = contact_force(simulation, "block");
  EXPECT_NEAR(force.dot(uphill_normal), 2 * g * std::cos(slope), 1e-10);
  EXPECT_NEAR(force.dot(downhill), -2 * g * std::sin(slope), 1e-10);
  EXPECT_NEAR(force.y(), 0, 1e-10);
}

// The angle itself is sharp: a coefficient a millionth above or below tan a holds or lets go.
TEST(Incline, FrictionAngleIsSharp) {
  Simulation holds = open_scene("incline", timing(1e-2, 2, friction(std::tan(slope) * (1 + 1e-6))));
  run_all(holds);
  EXPECT_LT(velocity(holds, "block").linear.norm(), 1e-12);
  Simulation slides = open_scene("incline", timing(1e-2, 2, friction(std::tan(slope) * (1 - 1e-6))));
  run_all(slides);
  EXPECT_NEAR(velocity(slides, "block").linear.dot(downhill), 2 * 1e-6 * g * std::sin(slope), 1e-10);
}

// Forces are constant, so the step's velocity is exact and its position, which moves with the velocity at the end of
// the step, is too far by a h t / 2.
TEST(Incline, AboveTheFrictionAngleItAccelerates) {
  const double mu = 0.3, t = 2, a = g * (std::sin(slope) - mu * std::cos(slope));
  const auto position_error = [&](double h) {
    Simulation simulation = open_scene("incline", timing(h, t, friction(mu)));
    const double start = along(simulation, "block");
    run_all(simulation);
    const Twist twist = velocity(simulation, "block");
    EXPECT_LT((twist.linear - a * t * downhill).norm(), 1e-11) << "h = " << h;
    EXPECT_LT(twist.angular.norm(), 1e-11) << "h = " << h;
    EXPECT_NEAR(contact_force(simulation, "block").dot(downhill), -mu * 2 * g * std::cos(slope), 1e-9);
    const double error = along(simulation, "block") - start - 0.5 * a * t * t;
    EXPECT_NEAR(error, 0.5 * a * h * t, 1e-10) << "h = " << h;
    return std::abs(error);
  };
  expect_order(position_error, {0.02, 0.01, 0.005}, 1, 0.5 * a * t * (1 + 1e-6), 1e-6);
}

// Thrown uphill: friction and gravity act together until it stops at v0 / (g (sin a + mu cos a)), then it stays.
TEST(Incline, ThrownUphillItStopsAndStays) {
  const double v0 = 1, mu = 0.5, deceleration = g * (std::sin(slope) + mu * std::cos(slope));
  const std::string throw_it =
      fmt::format("body.block.linear_velocity=[{:.17g},0,{:.17g}]", -v0 * downhill.x(), -v0 * downhill.z());
  const double rise = 0.5 * v0 * v0 / deceleration;
  for (const double h : {4e-3, 1e-3}) {
    Simulation simulation = open_scene("incline", timing(h, 0.5, {throw_it}));
    const double start = along(simulation, "block");
    double stopped = -1;
    run_all(simulation, [&] {
      const double speed = velocity(simulation, "block").linear.norm();
      if (stopped < 0 && speed < 1e-12) stopped = simulation.state().time;
      if (stopped > 0) {
        EXPECT_LT(speed, 1e-12);
      }
    });
    EXPECT_GE(stopped, v0 / deceleration - 1e-12);  // the end of the step in which the exact motion stops
    EXPECT_LT(stopped, v0 / deceleration + h);
    EXPECT_NEAR(start - along(simulation, "block"), rise, v0 * h);
  }
}

std::string sphere_on_slope(double mu) {
  return fmt::format(R"(
[material.wood]
friction = {}
[[body]]
name = "slope"
fixed = true
orientation = [{:.17g}, 0, {:.17g}, 0]
shape = {{ type = "plane", material = "wood", friction_direction = [1, 0, 0] }}
[[body]]
name = "ball"
mass = 3.0
position = [{:.17g}, 0, {:.17g}]
shape = {{ type = "sphere", radius = 0.2, material = "wood" }}
)",
                     mu, std::cos(slope / 2), std::sin(slope / 2), 0.2 * uphill_normal.x(), 0.2 * uphill_normal.z());
}

// A ball rolls where mu > 2/7 tan a = 0.1208: a = 5/7 g sin a, omega = v / r. Velocities are exact as above.
TEST(Incline, BallRollsWithEnoughFriction) {
  const double r = 0.2, t = 1;
  for (const double mu : {0.125, 0.8}) {
    for (const double h : {0.01, 0.0025}) {
      Simulation simulation = open_text(sphere_on_slope(mu), timing(h, t));
      run_all(simulation);
      const double v = 5.0 / 7 * g * std::sin(slope) * t;
      const Twist twist = velocity(simulation, "ball");
      EXPECT_LT((twist.linear - v * downhill).norm(), 1e-11) << mu;
      EXPECT_LT((twist.angular - v / r * Vector3::UnitY()).norm(), 1e-10) << mu;
      EXPECT_EQ(count_contacts(simulation, ContactState::stick), 1);
    }
  }
}

// Below that it slips: a = g (sin a - mu cos a), omega' = 5 mu g cos a / (2 r).
TEST(Incline, BallSlipsWithLess) {
  const double r = 0.2, t = 1, mu = 0.115;
  for (const double h : {0.01, 0.0025}) {
    Simulation simulation = open_text(sphere_on_slope(mu), timing(h, t));
    run_all(simulation);
    const Twist twist = velocity(simulation, "ball");
    EXPECT_LT((twist.linear - g * (std::sin(slope) - mu * std::cos(slope)) * t * downhill).norm(), 1e-11);
    EXPECT_LT((twist.angular - 2.5 * mu * g * std::cos(slope) / r * t * Vector3::UnitY()).norm(), 1e-10);
    EXPECT_EQ(count_contacts(simulation, ContactState::slip), 1);
  }
}

}  // namespace
}  // namespace stiction::testing
