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

// Newton's law on the speed at the start of the step of impact, which is within g h of the exact sqrt(2 g H) (and the
// discrete fall arrives up to a step early or late: another g h).
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
        if (v > before) return;
      });
      std::printf("e %g h %g rebound %g exact %g (%g gh)\n", e, h, rebound, e * speed, (rebound - e * speed) / (g * h));
    }
  }
}

TEST(Impact, Bounces) {
  const double height = 0.5, e = 0.5;
  const double zeno = std::sqrt(2 * height / g) * (1 + e) / (1 - e);
  for (const double h : {4e-3, 1e-3, 2.5e-4}) {
    Simulation simulation = open_text(ball(height, e), timing(h, 2));
    double last_motion = 0;
    run_all(simulation, [&] {
      if (std::abs(velocity(simulation, "ball").linear.z()) > 1e-10) last_motion = simulation.state().time;
    });
    std::printf("h %g zeno %g last motion %g final v %g z %g\n", h, zeno, last_motion,
                velocity(simulation, "ball").linear.z(), position(simulation, "ball").z() - 0.1);
  }
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

TEST(Limit, Pendulum) {
  const auto rate = [](const VectorX& y) {
    return VectorX(Vector2(y[1], -1.5 * g * std::sin(y[0] + 0.2) / 1.52));
  };
  VectorX y = Vector2(0.8, 0);
  const double hit = runge_kutta_until_zero(rate, y, 0, 1e-3);
  for (const Overrides& coordinates : {Overrides{}, Overrides{maximal}})
    for (const double h : {4e-3, 1e-3}) {
      Simulation simulation = open_text(limited, timing(h, 1.5, coordinates));
      double stopped = -1, lowest = 1;
      run_all(simulation, [&] {
        const Vector3 p = position(simulation, "bob");
        lowest = std::min(lowest, std::atan2(p.x(), -p.z()));
        if (stopped < 0 && simulation.state().time > 0.1 && velocity(simulation, "bob").angular.norm() < 1e-9)
          stopped = simulation.state().time;
      });
      const Vector3 p = position(simulation, "bob");
      std::printf("h %g hit %g stopped %g (%g h) lowest %g angle-0.2 %g speed %g\n", h, hit, stopped, (stopped - hit) / h, lowest - 0.2,
                  std::atan2(p.x(), -p.z()) - 0.2, velocity(simulation, "bob").angular.norm());
    }
}

}  // namespace
}  // namespace stiction::testing
