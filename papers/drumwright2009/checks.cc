// Before rivals are compared on the grasp each must be what it claims to be: a block sticks on an incline and slides
// with g (sin - mu cos), a ball bounces with its restitution, and a ball with backspin comes away rolling (spin
// reversal, section 2.5): v' = v - 2/7 (v - r w), w' = v' / r, as long as friction suffices to stop the slip.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "papers/drumwright2009/drumwright2009.h"
#include "stiction/methods/registry.h"

namespace stiction::papers::drumwright2009 {

namespace {

constexpr FindingMaker check_check{"drumwright2009", "checks"};
constexpr double g = 9.81, restitution = 0.5, radius = 0.05, stick_share = 0.005;

// A block of 1 kg on a slope along x, at rest.
constexpr std::string_view incline_scene = R"(
[simulation]
step = 1e-3
duration = 1.0
[material.wood]
friction = 0.4
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "wood" }
[[body]]
name = "block"
mass = 1.0
position = [0, 0, 0.03]
shape = { type = "box", size = [0.12, 0.1, 0.06], material = "wood" }
)";

// A ball that falls on the ground.
constexpr std::string_view ball_scene = R"(
[simulation]
step = 1e-4
duration = 0.3
[material.rubber]
friction = 0.8
restitution = 0.5
[[body]]
name = "ground"
fixed = true
shape = { type = "plane", material = "rubber" }
[[body]]
name = "ball"
mass = 1.0
position = [0, 0, 0.25]
shape = { type = "sphere", radius = 0.05, material = "rubber" }
)";

struct Motion {
  Vector3 position, velocity, angular;
};

// The second body at the start and after every step.
Result<std::vector<Motion>> run_scene(std::string_view scene, const std::string& method,
                                      std::vector<std::string> overrides) {
  overrides.push_back("simulation.method=" + method);
  auto simulation = open_text(std::string(scene), "drumwright2009/check", overrides);
  if (!simulation) return failure(simulation.error());
  std::vector<Motion> motions;
  const auto look = [&] {
    const Kinematics& k = simulation->kinematics();
    motions.push_back({k.com_W[1], k.velocity[1].linear, k.velocity[1].angular});
  };
  look();
  const RunSummary summary = run(*simulation, [&](const StepOutcome&) { look(); });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "See the method's page for what it cannot do."});
  return motions;
}

// Gravity of a slope with this tangent, as seen by a scene whose ground is level.
std::string slope(double tangent) {
  const double angle = std::atan(tangent);
  return fmt::format("simulation.gravity=[{:.17g}, 0, {:.17g}]", g * std::sin(angle), -g * std::cos(angle));
}

Result<void> check_incline(const Context& context, const std::string& method) {
  auto sticks = run_scene(incline_scene, method, {slope(0.3)});
  if (!sticks) return failure(sticks.error());
  const size_t half = sticks->size() / 2;
  const double creep = (sticks->back().position - (*sticks)[half].position).norm() / 0.5;
  context.report(
      check_check(method + ": creep on an incline of 0.3, friction 0.4", "m/s", creep, {},
                  creep < stick_share * g * std::sin(std::atan(0.3)) * 1.0,
                  "over the second half of 1 s; sticks: below 0.5 % of what it gains in 1 s without friction"));
  auto slides = run_scene(incline_scene, method, {slope(0.6)});
  if (!slides) return failure(slides.error());
  const double angle = std::atan(0.6), expected = g * (std::sin(angle) - 0.4 * std::cos(angle));
  const double measured = (slides->back().velocity.x() - (*slides)[half].velocity.x()) / 0.5;
  context.report(check_check(method + ": acceleration on an incline of 0.6", "m/s^2", measured, {},
                             std::abs(measured / expected - 1) < 0.02,
                             fmt::format("g (sin - mu cos) = {:.4f} within 2 %", expected)));
  return {};
}

// Speed after the first impact over speed before it.
double rebound(const std::vector<Motion>& motions) {
  double fastest = 0, back = 0;
  for (const Motion& motion : motions) {
    fastest = std::max(fastest, -motion.velocity.z());
    back = std::max(back, motion.velocity.z());
  }
  return back / fastest;
}

Result<void> check_bounce(const Context& context, const std::string& method) {
  auto falls = run_scene(ball_scene, method, {});
  if (!falls) return failure(falls.error());
  const double ratio = rebound(*falls);
  const bool knows = methods::find_method(method)->knows.restitution;
  context.report(check_check(method + ": rebound of a ball, restitution 0.5", "1", ratio, {},
                             !knows || std::abs(ratio - restitution) < 0.01,
                             knows ? "speed after over speed before, within 0.01"
                                   : "as found: a penalty method knows stiffness and damping, no restitution"));
  return {};
}

Result<void> check_spin(const Context& context, const std::string& method) {
  // 1 m/s forwards and a rim that goes backwards as fast; it falls 0.2 m, so friction could stop 4 m/s of slip.
  auto spins =
      run_scene(ball_scene, method, {"body.ball.linear_velocity=[1, 0, 0]", "body.ball.angular_velocity=[0, -20, 0]"});
  if (!spins) return failure(spins.error());
  const double expected = 3.0 / 7 / radius;
  const double after = spins->back().angular.y();
  const bool springs = methods::find_method(method)->overlap.kind == methods::Overlap::pushed;
  context.report(check_check(method + ": spin after an impact with backspin -20", "rad/s", after, {},
                             springs ? after > 0 : std::abs(after / expected - 1) < 0.01,
                             springs
                                 ? "reversed; how far is a matter of its tangential spring"
                                 : fmt::format("reversed: rolls away with 3/7 v/r = {:.4f}, within 1 %", expected)));
  return {};
}

}  // namespace

Result<void> checks(const Context& context) {
  for (const methods::MethodDescription* method : methods::all_methods()) {
    if (method->knows.layers) continue;  // a law of its own
    for (const auto part : {check_incline, check_bounce, check_spin}) {
      if (auto done = part(context, std::string(method->name)); !done) return done;
    }
  }
  return {};
}

}  // namespace stiction::papers::drumwright2009
