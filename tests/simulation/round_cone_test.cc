// exact-cone against closed forms of the friction laws: a block in every direction, ellipse, spin, rolling resistance.
#include <numbers>

#include "support/runge_kutta.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

std::string block_on_ground(const std::string& friction, const Vector3& velocity) {
  return fmt::format(R"(
[simulation]
method = "exact-cone"
[material.wood]
friction = {}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", material = "wood", friction_direction = [1, 0, 0] }}
[[body]]
name = "block"
mass = 2.0
position = [0, 0, 0.05]
linear_velocity = [{:.17g}, {:.17g}, 0]
shape = {{ type = "box", size = [0.3, 0.2, 0.1], material = "wood" }}
)",
                     friction, velocity.x(), velocity.y());
}

// It stops at v0^2 / (2 mu g), and no direction is better than another. A step moves with the velocity at its end,
// which loses v0 h / 2; the step in which it stops adds at most mu g h^2.
TEST(RoundCone, ABlockStopsAlikeInAllDirections) {
  const double mu = 0.4, v0 = 1, h = 2e-3, distance = v0 * v0 / (2 * mu * g);
  for (int k = 0; k < 64; ++k) {
    const double angle = 2 * std::numbers::pi * (k + 0.3) / 64;
    const Vector3 along(std::cos(angle), std::sin(angle), 0), across(-along.y(), along.x(), 0);
    Simulation simulation = open_text(block_on_ground("0.4", v0 * along), timing(h, 0.4));
    const Vector3 start = position(simulation, "block");
    const RunSummary summary = run_all(simulation);
    const Vector3 moved = position(simulation, "block") - start;
    EXPECT_NEAR(moved.dot(along), distance - 0.5 * v0 * h, mu * g * h * h) << k;
    EXPECT_LT(std::abs(moved.dot(across)), 1e-9 * distance) << k;
    EXPECT_LT(std::abs(moved.z()), 1e-9 * distance) << k;
    EXPECT_LT(velocity(simulation, "block").linear.norm(), 1e-9) << k;
    EXPECT_LT(summary.certificate.worst(), 1e-8) << k;
  }
}

// Maximum dissipation on an ellipse: dv/dt = -g E^2 v / |E v| with E = diag(mu_t, mu_o). The friction force is not
// along the slip, but the normal forces' centre shifts along it, so the block does not turn. On every path
// v_o = c v_t^(mu_o / mu_t)^2.
TEST(RoundCone, EllipticFrictionDissipatesMost) {
  const Vector2 mu(0.3, 0.6), v0(1.2, 0.9);
  const double t = 0.15;
  const auto rate = [&](const VectorX& v) {
    const Vector2 Ev(mu[0] * v[0], mu[1] * v[1]);
    return VectorX(-g / Ev.norm() * Vector2(mu[0] * Ev[0], mu[1] * Ev[1]));
  };
  const VectorX reference = runge_kutta(rate, VectorX(v0), t, 2000);
  const auto error = [&](double h) {
    Simulation simulation = open_text(block_on_ground("[0.3, 0.6]", Vector3(v0.x(), v0.y(), 0)), timing(h, t));
    const RunSummary summary = run_all(simulation);
    EXPECT_LT(summary.certificate.worst(), 1e-8);
    const Twist twist = velocity(simulation, "block");
    EXPECT_LT(twist.angular.norm(), 1e-8);
    return (twist.linear.head<2>() - Vector2(reference)).norm();
  };
  EXPECT_NEAR(reference[1] / std::pow(reference[0], 4), v0[1] / std::pow(v0[0], 4), 1e-9);
  expect_order(error, {0.01, 0.005, 0.0025}, 1, 3, 0.2);
}

std::string ball_on_ground(const std::string& material, const std::string& motion) {
  return fmt::format(R"(
[simulation]
method = "exact-cone"
[material.rubber]
friction = 0.5
{}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", material = "rubber" }}
[[body]]
name = "ball"
mass = 3.0
position = [0, 0, 0.1]
{}
shape = {{ type = "sphere", radius = 0.1, material = "rubber" }}
)",
                     material, motion);
}

// I dw/dt = -mu * length * m g, I = 2/5 m r^2: velocities are exact at the ends of steps, until the step in which it
// stops.
TEST(RoundCone, ASpinningBallIsStoppedByTorsion) {
  const double w0 = 5, length = 0.01, deceleration = 0.5 * length * g / (0.4 * 0.1 * 0.1);
  Simulation simulation =
      open_text(ball_on_ground("torsional_friction = 0.01", "angular_velocity = [0, 0, 5]"), timing(1e-2, 0.6));
  const RunSummary summary = run_all(simulation, [&] {
    const Vector3 w = velocity(simulation, "ball").angular;
    ASSERT_NEAR(w.z(), std::max(0.0, w0 - deceleration * simulation.state().time), 1e-8);
    ASSERT_LT(w.head<2>().norm(), 1e-8);
  });
  EXPECT_LT(summary.certificate.worst(), 1e-8);
  EXPECT_GT(0.6, w0 / deceleration);  // it did stop
}

// A ball that rolls without slip against the moment mu * length * m g: dv/dt = -mu length g r / (r^2 + 2/5 r^2).
TEST(RoundCone, ARollingBallIsStoppedByRollingFriction) {
  const double v0 = 0.5, r = 0.1, length = 0.01, deceleration = 0.5 * length * g / (1.4 * r);
  const double distance = v0 * v0 / (2 * deceleration), h = 5e-3;
  for (const double angle : {0.0, 0.7, 2.0}) {
    const Vector3 along(std::cos(angle), std::sin(angle), 0);
    const std::string motion =
        fmt::format("linear_velocity = [{:.17g}, {:.17g}, 0]\nangular_velocity = [{:.17g}, {:.17g}, 0]", v0 * along.x(),
                    v0 * along.y(), -v0 / r * along.y(), v0 / r * along.x());
    Simulation simulation = open_text(ball_on_ground("rolling_friction = 0.01", motion), timing(h, 2.0));
    const Vector3 start = position(simulation, "ball");
    const RunSummary summary = run_all(simulation, [&] {
      ASSERT_EQ(count_contacts(simulation, ContactState::slip), 0);
      const double expected = std::max(0.0, v0 - deceleration * simulation.state().time);
      ASSERT_NEAR(velocity(simulation, "ball").linear.dot(along), expected, 1e-8);
    });
    EXPECT_LT(summary.certificate.worst(), 1e-8);
    const Vector3 moved = position(simulation, "ball") - start;
    EXPECT_NEAR(moved.dot(along), distance - 0.5 * v0 * h, deceleration * h * h);
    EXPECT_LT((moved - along * along.dot(moved)).norm(), 1e-9);
  }
}

// On a slope the ball rolls only where sin a exceeds what rolling friction holds: r sin a = mu length cos a.
TEST(RoundCone, RollingFrictionHoldsABallOnASlope) {
  for (const double factor : {0.99, 1.01}) {
    const double slope = std::atan(0.5 * 0.01 / 0.1) * factor;
    Simulation simulation = open_text(
        ball_on_ground("rolling_friction = 0.01", ""),
        timing(1e-2, 1,
               {fmt::format("simulation.gravity=[{:.17g}, 0, {:.17g}]", g * std::sin(slope), -g * std::cos(slope))}));
    run_all(simulation);
    const double speed = velocity(simulation, "ball").linear.x();
    const double expected = factor < 1 ? 0 : (g * std::sin(slope) - 0.5 * 0.01 / 0.1 * g * std::cos(slope)) / 1.4;
    EXPECT_NEAR(speed, expected, 1e-8) << factor;
  }
}

// stewart-trinkle does not know rolling friction; the certificate says so.
TEST(RoundCone, AMethodWithoutRollingFrictionIsFoundOut) {
  Simulation simulation = open_text(
      ball_on_ground("rolling_friction = 0.01", "linear_velocity = [0.5, 0, 0]\nangular_velocity = [0, 5, 0]"),
      timing(5e-3, 0.1, {"simulation.method=stewart-trinkle"}));
  EXPECT_GT(run_all(simulation).certificate.friction, 1e-3);
}

}  // namespace
}  // namespace stiction::testing
