// A ball in a bowl: a pendulum of length R - r without friction, and with it one that rolls, slower by sqrt(7/5).
#include "stiction/stepping/stepper.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

constexpr double g = 9.81, R = 1, r = 0.1, angle = 0.02;

std::string scene(const std::string& method, double friction) {
  return fmt::format(R"(
[simulation]
method = "{}"
gravity = [0, 0, -9.81]
[material.surface]
friction = {}
[[body]]
name = "bowl"
fixed = true
shape = {{ type = "bowl", radius = {}, material = "surface" }}
[[body]]
name = "ball"
mass = 1
position = [{:.17g}, 0, {:.17g}]
shape = {{ type = "sphere", radius = {}, material = "surface" }}
)",
                     method, friction, R, (R - r) * std::sin(angle), -(R - r) * std::cos(angle), r);
}

/// Time of the third passage through the middle (by linear interpolation): 5/4 of a period after release at rest.
double third_passage(const std::string& method, double friction, double h) {
  const double period = 2 * M_PI * std::sqrt((R - r) / g) * std::sqrt(friction > 0 ? 1.4 : 1);
  Simulation simulation = open_text(scene(method, friction), timing(h, 1.35 * period));
  double before = position(simulation, "ball").x(), found = 0;
  int passages = 0;
  const RunSummary summary = run_all(simulation, [&] {
    const double x = position(simulation, "ball").x();
    if (x * before < 0 && ++passages == 3) found = simulation.state().time - h * x / (x - before);
    before = x;
  });
  EXPECT_EQ(passages, 3);
  if (method == "implicit-geometry") {  // with the geometry of the start of a step a ball sinks in by (h v)^2 / R
    EXPECT_LT(summary.certificate.penetration, 1e-9);
    EXPECT_LT(summary.certificate.worst(), 1e-8);
    EXPECT_TRUE(summary.fallbacks.empty());
  }
  return found;
}

/// 1 + angle^2 / 16 is the next term of the period; both methods move with the velocity at the end of the step.
void expect_pendulum(const std::string& method, double friction) {
  const double period = 2 * M_PI * std::sqrt((R - r) / g * (friction > 0 ? 1.4 : 1)) * (1 + angle * angle / 16);
  const auto error = [&](double h) { return std::abs(third_passage(method, friction, h) - 1.25 * period); };
  const double coarse = error(0.008), fine = error(0.004);
  EXPECT_LT(fine, 0.02 * period) << method << " friction " << friction;
  EXPECT_GT(coarse / fine, 1.6) << method << " friction " << friction << ": " << coarse << " " << fine;
}

TEST(BowlPendulum, FrictionlessBallSlides) {
  for (const char* method : {"exact-cone", "implicit-geometry"}) expect_pendulum(method, 0);
}

TEST(BowlPendulum, BallWithFrictionRolls) {
  for (const char* method : {"exact-cone", "implicit-geometry"}) expect_pendulum(method, 1);
}

}  // namespace
}  // namespace stiction::testing
