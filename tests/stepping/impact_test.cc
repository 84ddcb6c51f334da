// Impacts: balls that fall and bounce, joints that run into their limits.
#include "support/runge_kutta.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81;

std::string ball(double height, double restitution) {
  return fmt::format(R"(
[material.rubber]
friction = 0.3
restitution = {}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", material = "rubber" }}
[[body]]
name = "ball"
mass = 0.7
position = [0, 0, {:.17g}]
shape = {{ type = "sphere", radius = 0.1, material = "rubber" }}
)",
                     restitution, 0.1 + height);
}

// Newton's law acts on the speed at the start of the step of impact: within g h of the exact sqrt(2 g H), besides up to
// another g h because the discrete fall is g h t / 2 low and arrives early.
TEST(Impact, BallReboundsWithItsRestitution) {
  const double height = 1, speed = std::sqrt(2 * g * height);
  for (const double e : {0.0, 0.3, 0.8, 1.0}) {
    for (const double h : {4e-3, 1e-3, 2.5e-4}) {
      Simulation simulation = open_text(ball(height, e), timing(h, 0.6));
      double rebound = -1, before = 0;
      run_all(simulation, [&] {
        const double v = velocity(simulation, "ball").linear.z();
        if (rebound < 0 && v > before) rebound = v;
        before = v;
      });
      EXPECT_NEAR(rebound, e * speed, 2 * e * g * h + 1e-12) << "e = " << e << ", h = " << h;
      EXPECT_LT(simulation.measure_penetration(), 1e-12);
    }
  }
}

// With e = 1/2 the bounces end at sqrt(2 H / g) (1 + e) / (1 - e). Here each loses a little more or less time, O(h),
// and they end when the speed falls below g h; then the ball lies still.
TEST(Impact, BouncesEndAndTheBallLiesStill) {
  const double height = 0.5, e = 0.5, end = std::sqrt(2 * height / g) * (1 + e) / (1 - e);
  const auto error = [&](double h) {
    Simulation simulation = open_text(ball(height, e), timing(h, 2));
    double last_motion = 0;
    run_all(simulation, [&] {
      if (std::abs(velocity(simulation, "ball").linear.z()) > 1e-9) last_motion = simulation.state().time;
    });
    EXPECT_NEAR(position(simulation, "ball").z(), 0.1, 1e-12) << "h = " << h;
    EXPECT_NEAR(contact_force(simulation, "ball").z(), 0.7 * g, 1e-9) << "h = " << h;
    return std::abs(last_motion - end);
  };
  expect_order(error, {4e-3, 1e-3, 2.5e-4}, 1, 100);
}

// With enough friction a ball that flies obliquely leaves the impact rolling, at 5/7 of its speed. The step of impact
// acts at the point half-way across the gap it starts with, so the lever arm r is off by at most v h / 2.
TEST(Impact, ObliqueImpactWithFrictionRolls) {
  const double speed = std::sqrt(2 * g), r = 0.1;
  for (const double h : {1e-3, 1e-4}) {
    Simulation simulation = open_text(
        ball(1, 0.8), timing(h, 0.5, {"body.ball.linear_velocity=[0.7, 0, 0]", "material.rubber.friction=2"}));
    run_all(simulation);
    const Twist twist = velocity(simulation, "ball");
    const double relative = 0.5 * speed * h / r;
    EXPECT_GT(twist.linear.z(), 0);
    EXPECT_NEAR(twist.linear.x(), 5.0 / 7 * 0.7, relative * 0.7) << "h = " << h;
    EXPECT_NEAR(twist.angular.y(), 5.0 / 7 * 0.7 / r, relative * 0.7 / r) << "h = " << h;
  }
}

// With little friction it slips through the impact: the impulse is mu times the normal one, m (1 + e) v, where v is the
// speed before and after as the step saw them.
TEST(Impact, ObliqueImpactWithLessFrictionSlips) {
  const double mu = 0.01, e = 0.8, h = 1e-3;
  Simulation simulation = open_text(
      ball(1, e), timing(h, 0.5, {"body.ball.linear_velocity=[0.7, 0, 0]", set("material.rubber.friction", mu)}));
  run_all(simulation);
  const double speed = std::sqrt(2 * g);
  EXPECT_NEAR(velocity(simulation, "ball").linear.x(), 0.7 - mu * (1 + e) * speed, 3 * mu * g * h);
}

const std::string limited = R"(
[[body]]
name = "bob"
mass = 1.5
position = [0.8414709848078965, 0, -0.5403023058681398]
inertia = [0.02, 0.02, 0.02, 0, 0, 0]
[[joint]]
name = "pivot"
type = "revolute"
parent = "world"
child = "bob"
axis = [0, -1, 0]
reference = 1.0
limits = [0.2, 3]
)";

// Let go at 1 rad it swings down onto its limit at 0.2 rad and stops dead: no rebound, no creep into the limit. The hit
// falls in the step that ends within h of it, and a step may end at the limit before the next one stops the rest.
TEST(JointLimit, StopsAPendulum) {
  const auto rate = [](const VectorX& y) { return VectorX(Vector2(y[1], -1.5 * g * std::sin(y[0] + 0.2) / 1.52)); };
  VectorX y = Vector2(0.8, 0);
  const double hit = runge_kutta_until_zero(rate, y, 0, 1e-3);
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}}) {
    for (const double h : {4e-3, 2e-3, 1e-3}) {
      Simulation simulation = open_text(limited, timing(h, 1.5, coordinates));
      double stopped = -1, lowest = 1, fastest = 0;
      run_all(simulation, [&] {
        const Vector3 p = position(simulation, "bob");
        const double t = simulation.state().time, speed = velocity(simulation, "bob").angular.norm();
        lowest = std::min(lowest, std::atan2(p.x(), -p.z()));
        if (stopped < 0 && t > 0.1 && speed < 1e-9) stopped = t;
        if (stopped > 0) fastest = std::max(fastest, speed);
      });
      EXPECT_GT(stopped, hit - h) << "h = " << h;
      EXPECT_LT(stopped, hit + 2 * h) << "h = " << h;
      EXPECT_GT(lowest, 0.2 - 1e-10) << "h = " << h;
      EXPECT_LT(fastest, 1e-10) << "h = " << h;
    }
  }
}

// The upper limit likewise, from below; leaving a limit costs nothing.
TEST(JointLimit, UpperLimitStopsAndLetsGo) {
  const Overrides thrown = {"joint.pivot.limits=[-3, 1.2]", "joint.pivot.velocity=5"};
  Simulation simulation = open_text(limited, timing(1e-3, 0.1, thrown));
  double highest = 0;
  run_all(simulation, [&] { highest = std::max(highest, simulation.state().q[0]); });
  EXPECT_LT(highest, 1.2 + 1e-10);
  EXPECT_GT(highest, 1.2 - 1e-10);
  EXPECT_LT(simulation.state().v[0], -0.1);  // it hung at the limit for no longer than the hit and falls again
}

}  // namespace
}  // namespace stiction::testing
