// Section 3: a slab that lands flat on 4, 8 or 16 feet, so that all but three contacts are redundant, with restitution
// 0, 0.5 and 1, while it slides and spins. No foot may pull; each leaves with -e times its approach; and the three
// readings of the bound on normal impulses leave different friction.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "papers/drumwright2009/drumwright2009.h"

#include "stiction/problem/row_velocity.h"

namespace stiction::papers::drumwright2009 {

namespace {

constexpr FindingMaker check_boxes{"drumwright2009", "boxes"};

// Feet are small balls on a circle of 0.1 m below a slab of height 0.1 m; they touch the ground at the start.
std::string slab(int feet, double restitution) {
  std::string text = fmt::format(R"(
[simulation]
method = "convex-impulse"
step = 1e-3
duration = 1e-3
gravity = [0, 0, 0]
[material.wood]
friction = 0.3
restitution = {}
[[body]]
name = "ground"
fixed = true
shape = {{ type = "plane", material = "wood" }}
[[body]]
name = "slab"
mass = 1.0
position = [0, 0, 0.06]
center_of_mass = [0, 0, 0]
inertia = [0.0042, 0.0042, 0.0067, 0, 0, 0]
linear_velocity = [0.5, 0.2, -1.0]
angular_velocity = [0.4, -0.7, 2.0]
shapes = [
)",
                                 restitution);
  for (int i = 0; i < feet; ++i) {
    const double angle = 2 * std::numbers::pi * i / feet;
    text += fmt::format(
        "  {{ type = \"sphere\", radius = 0.01, material = \"wood\", position = [{:.17g}, {:.17g}, -0.05] }},\n",
        0.1 * std::cos(angle), 0.1 * std::sin(angle));
  }
  return text + "]\n";
}

struct Landing {
  int contacts = 0;
  double least_normal = std::numeric_limits<double>::infinity();  // N s
  double rebound_error = 0;                                       // m/s
  double friction = 0;                                            // N s, of all feet together: the slab has 1 kg
  double slip = 0;                                                // m/s, largest afterwards
  double energy = 0, energy_gain = 0;  // J: change, and what the certificate calls unexplained
};

Result<Landing> land(int feet, double restitution, const std::vector<std::string>& overrides = {}) {
  auto simulation = open_text(slab(feet, restitution), "drumwright2009/slab", overrides);
  if (!simulation) return failure(simulation.error());
  const double before = simulation->energies().kinetic;
  const Vector3 thrown = simulation->kinematics().velocity[1].linear;
  if (const StepOutcome outcome = simulation->step(); !outcome.ok)
    return failure({.what = outcome.failure, .remedy = "This is a defect: please report it."});
  const StepRecord& step = simulation->last_step();
  Landing landing;
  landing.contacts = static_cast<int>(step.problem.contacts.size());
  for (const ContactRows& rows : step.problem.contacts) {
    const int first = step.problem.blocks[rows.block].first_row;
    const Vector4 start = contact_velocity(step.problem, rows, step.problem.v_start);
    const Vector4 end = contact_velocity(step.problem, rows, step.answer.v_end);
    landing.least_normal = std::min(landing.least_normal, step.answer.impulse[first]);
    landing.rebound_error = std::max(landing.rebound_error, std::abs(end[0] + restitution * start[0]));
    landing.slip = std::max(landing.slip, std::hypot(end[1], end[2]));
  }
  landing.friction = (simulation->kinematics().velocity[1].linear - thrown).head<2>().norm();
  landing.energy = simulation->energies().kinetic - before;
  landing.energy_gain = step.certificate.energy_gain;
  return landing;
}

Result<void> land_on_all(const Context& context, int feet, double restitution) {
  auto landing = land(feet, restitution);
  if (!landing) return failure(landing.error());
  const std::string of = fmt::format("{} feet, restitution {:g}: ", feet, restitution);
  context.report(check_boxes(of + "least normal impulse", "N s", landing->least_normal, {},
                             landing->contacts == feet && landing->least_normal >= 0, "none pulls"));
  context.report(check_boxes(of + "departure from -e times approach", "m/s", landing->rebound_error, {},
                             landing->rebound_error < 1e-9, "rounding of phase one"));
  const bool gains = landing->energy > 1e-12;
  context.report(check_boxes(
      of + "change of kinetic energy", "J", landing->energy, {}, !gains || landing->energy_gain > 0,
      gains ? fmt::format("Newton's restitution gains here; energy_gain reports {:.3g} J", landing->energy_gain)
            : "no gain"));
  return {};
}

// The three readings of g.
Result<void> compare_bounds(const Context& context) {
  const std::string flat = "body.slab.angular_velocity=[0, 0, 0]";
  std::string table = "four feet that land flat, restitution 0: what the bound on normal impulses leaves\n";
  double sum_friction = 0, literal_friction = 0;
  for (const std::string_view bound : {"sum", "nullspace", "literal"}) {
    auto landing = land(4, 0, {flat, fmt::format("method.convex-impulse.normal_bound={}", bound)});
    if (!landing) return failure(landing.error());
    table += fmt::format("  {:<10} friction {:.6f} N s, largest slip afterwards {:.6f} m/s, least normal {:.6f} N s\n",
                         bound, landing->friction, landing->slip, landing->least_normal);
    if (bound == "sum") sum_friction = landing->friction;
    if (bound == "literal") literal_friction = landing->friction;
  }
  context.print_table(table);
  context.report(check_boxes("friction under the literal bound over that under the sum", "1",
                             literal_friction / sum_friction, {}, literal_friction < 1e-3 * sum_friction,
                             "as printed the bound leaves no friction: w_s is of least norm already"));
  return {};
}

}  // namespace

Result<void> boxes(const Context& context) {
  for (const int feet : {4, 8, 16}) {
    for (const double restitution : {0.0, 0.5, 1.0}) {
      if (auto done = land_on_all(context, feet, restitution); !done) return done;
    }
  }
  return compare_bounds(context);
}

}  // namespace stiction::papers::drumwright2009
