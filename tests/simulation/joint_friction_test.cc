// Dry friction in joints: rotors and sliders that run down, a pendulum that stops within its dead band.
#include <numbers>

#include "support/runge_kutta.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

// A rotor about the vertical with I = 0.5 kg m^2 about its axis (centre of mass off the axis), c = 0.8 N m.
const std::string rotor = R"(
[[body]]
name = "rotor"
mass = 2.0
position = [0.3, 0, 0]
inertia = [0.2, 0.3, 0.32, 0, 0, 0]
[[joint]]
name = "axle"
type = "revolute"
parent = "world"
child = "rotor"
axis = [0, 0, 1]
friction = 0.8
velocity = 7.0
)";

// Constant deceleration c / I: speed exact at every step, zero from the end of the step in which I omega0 / c falls,
// the angle omega0^2 I / (2 c) to O(h).
TEST(JointFriction, RotorStopsAtItsStoppingTime) {
  const double I = 0.5, c = 0.8, omega0 = 7, stop = omega0 * I / c;
  const auto angle_error = [&](double h) {
    Simulation simulation = open_text(rotor, timing(h, 5));
    run_all(simulation, [&] {
      const double omega = std::max(0.0, omega0 - c / I * simulation.state().time);
      ASSERT_NEAR(simulation.state().v[0], omega, 1e-11) << "t = " << simulation.state().time;
    });
    EXPECT_LT(std::abs(simulation.state().v[0]), 1e-13);
    return std::abs(simulation.state().q[0] - 0.5 * omega0 * stop);
  };
  // Each step turns by h times the speed at its end: short by h omega0 / 2, within h^2 c / I for the last step.
  expect_order(angle_error, {0.02, 0.01, 0.005}, 1, 0.5 * omega0 * 1.05, 0.05);
}

// The same with the body free and the joint five rows of constraint: the body turns on a polygon about the axis, whose
// rows hold to the second order of the angle omega h of a step. The stopping time is found within the last step from
// the speed before it.
TEST(JointFriction, RotorStopsInMaximalCoordinatesToo) {
  const double I = 0.5, c = 0.8, omega0 = 7, stop = omega0 * I / c;
  const auto stop_error = [&](double h) {
    Simulation simulation = open_text(rotor, timing(h, 5, {maximal}));
    double stopped = 0, before = omega0;
    run_all(simulation, [&] {
      const double omega = velocity(simulation, "rotor").angular.z();
      if (stopped == 0 && omega < 1e-10) stopped = simulation.state().time - h + before * I / c;
      before = omega;
    });
    EXPECT_LT(velocity(simulation, "rotor").angular.norm(), 1e-10) << "h = " << h;
    EXPECT_GT(stopped, 0);
    return std::abs(stopped - stop);
  };
  expect_order(stop_error, {0.01, 0.005, 0.0025}, 2, 0.5 * omega0 * omega0, 0.4);
}

// A force below the friction moves nothing, one above it accelerates by the difference.
TEST(JointFriction, HoldsAgainstLessThanItsBound) {
  const std::string motor = rotor + "[[actuator]]\nname = 'motor'\njoint = 'axle'\nforce = 0.79\n";
  Simulation held = open_text(motor, timing(0.01, 1, {"joint.axle.velocity=0"}));
  run_all(held);
  EXPECT_LT(std::abs(held.state().q[0]), 1e-15);
  Simulation driven = open_text(motor, timing(0.01, 1, {"joint.axle.velocity=0", "actuator.motor.force=-1.05"}));
  run_all(driven);
  EXPECT_NEAR(driven.state().v[0], -0.25 / 0.5, 1e-10);
}

// A slider on a level rail: mass 2 kg, 3 N, stops after v0 m / c.
TEST(JointFriction, SliderStopsAtItsStoppingTime) {
  const std::string text = R"(
[[body]]
name = "slider"
mass = 2.0
inertia = [1, 1, 1, 0, 0, 0]
[[joint]]
name = "rail"
type = "prismatic"
parent = "world"
child = "slider"
axis = [1, 0, 0]
friction = 3.0
velocity = -1.5
)";
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    Simulation simulation = open_text(text, timing(0.01, 1.2, coordinates));
    run_all(simulation, [&] {
      const double v = -std::max(0.0, 1.5 - 1.5 * simulation.state().time);
      EXPECT_LT((velocity(simulation, "slider").linear - Vector3(v, 0, 0)).norm(), 1e-10) << simulation.state().time;
    });
    EXPECT_NEAR(position(simulation, "slider").x(), -0.75, 0.01);
  }
}

// Constants of scenes/pendulum.toml.
constexpr double m = 1, length = 1, g = 9.81, c = 0.0981, inertia = 1 + 0.4 * 0.01, angle0 = 0.095;

struct Swings {
  std::vector<double> time, angle;  // of the turning points, the last one being where it stays
};

// Half swing by half swing, the friction's sign being known on each.
Swings exact_swings() {
  Swings swings;
  double t = 0, angle = angle0;
  while (m * g * length * std::abs(std::sin(angle)) > c) {
    const double sign = angle > 0 ? -1 : 1;  // of the velocity
    const auto rate = [&](const VectorX& y) {
      return VectorX(Vector2(y[1], (-m * g * length * std::sin(y[0]) - sign * c) / inertia));
    };
    VectorX y = Vector2(angle, 0);
    t += runge_kutta_until_zero(rate, y, 1, 1e-3);
    angle = y[0];
    swings.time.push_back(t);
    swings.angle.push_back(angle);
  }
  return swings;
}

Swings simulated_swings(double h, const Overrides& more) {
  Simulation simulation = open_scene("pendulum", timing(h, 8, more));
  Swings swings;
  double last_angle = angle0, last_rate = 0;
  run_all(simulation, [&] {
    const Vector3 bob = position(simulation, "bob");
    const double angle = std::atan2(bob.x(), -bob.z()), seen = -velocity(simulation, "bob").angular.y();
    const double rate = std::abs(seen) < 1e-10 ? 0 : seen;
    if (rate * last_rate < 0 || (rate == 0 && last_rate != 0)) {
      swings.time.push_back(simulation.state().time);
      swings.angle.push_back(last_angle);
    }
    last_angle = angle;
    last_rate = rate;
  });
  return swings;
}

// The reference itself against the closed form for small angles: a loss of 2 c / (m g l) and a time of
// pi sqrt(I / (m g l)) each half swing, up to the relative size of the next term, angle^2 / 6.
TEST(JointFriction, PendulumReferenceAgreesWithSmallAngles) {
  const Swings exact = exact_swings();
  ASSERT_EQ(exact.time.size(), 5u);
  const double loss = 2 * c / (m * g * length), half = std::numbers::pi * std::sqrt(inertia / (m * g * length));
  for (int k = 0; k < 5; ++k) {
    const double side = k % 2 == 0 ? -1 : 1;
    EXPECT_NEAR(side * exact.angle[k], angle0 - (k + 1) * loss, angle0 * angle0 / 6 * loss * (k + 1));
    EXPECT_NEAR(exact.time[k], (k + 1) * half, (k + 1) * half * angle0 * angle0 / 6);
  }
}

// A turn falls within a step: there the angle is off by at most a h^2 / 2 with a the acceleration at the first turn,
// and the time by h / 2 (friction turns round at the step's end), besides h / 2 of the start and h of looking only at
// the ends of steps. It stays where the fifth half swing ends, inside the dead band.
TEST(JointFriction, PendulumLosesItsSwingsAndSticks) {
  const Swings exact = exact_swings();
  const double acceleration = (m * g * length * angle0 + c) / inertia;
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    for (const double h : {4e-3, 2e-3, 1e-3}) {
      const Swings swings = simulated_swings(h, coordinates);
      ASSERT_EQ(swings.time.size(), 5u) << "h = " << h;
      for (int k = 0; k < 5; ++k) {
        EXPECT_NEAR(swings.time[k], exact.time[k], (1 + 0.5 * k) * h) << "h = " << h << ", turn " << k;
        EXPECT_NEAR(swings.angle[k], exact.angle[k], 0.5 * acceleration * h * h) << "h = " << h << ", turn " << k;
      }
    }
  }
}

}  // namespace
}  // namespace stiction::testing
