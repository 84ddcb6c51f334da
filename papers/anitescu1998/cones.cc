// Section 3: friction stays in its cone and dissipates the most that the cone allows, (18)-(20), whatever the cone.
// Pucks thrown at random, every contact of every step judged by the formulas of friction_sets.h; and what such friction
// does to pucks that slide in all directions.
#include <fstream>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include "papers/anitescu1998/anitescu1998.h"
#include "papers/anitescu1998/friction_sets.h"
#include "stiction/contact/anchors.h"
#include "stiction/problem/row_velocity.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr double pi = std::numbers::pi, g = 9.81, puck_mass = 0.5;
constexpr int states = 200;
constexpr double tolerance = 1e-8;

constexpr FindingMaker check_cones{"anitescu1998", "cones"};

FrictionSet ellipsoid(std::string name, const std::vector<double>& axes, double exponent = 2) {
  FrictionSet set{.name = std::move(name), .overrides = {}, .axes = axes, .exponent = exponent};
  set.overrides = {fmt::format("material.ice.friction=[{}, {}]", axes[0], axes[1])};
  if (exponent != 2) set.overrides.push_back(fmt::format("material.ice.friction_exponent={}", exponent));
  // The scene states the spin as a length times friction along.
  if (axes.size() == 3)
    set.overrides.push_back(fmt::format("material.ice.torsional_friction={:.17g}", axes[2] / axes[0]));
  return set;
}

FrictionSet polygon(std::string name, const std::vector<Vector2>& corners) {
  std::string list;
  for (const Vector2& c : corners) list += fmt::format("{}[{:.17g}, {:.17g}]", list.empty() ? "" : ", ", c.x(), c.y());
  return {.name = std::move(name),
          .overrides = {"material.ice.friction_polygon=[" + list + "]"},
          .axes = {},
          .corners = corners};
}

// Scheme (14) with eight directions: the octagon in the circle.
FrictionSet polyhedral(double mu) {
  FrictionSet set{.name = "polyhedral, 8 directions", .overrides = {}, .axes = {}};
  set.overrides = {fmt::format("material.ice.friction={}", mu), "method.anitescu-potra.cone=\"polyhedral\"",
                   "method.anitescu-potra.friction_directions=8"};
  for (int k = 0; k < 8; ++k) set.corners.emplace_back(mu * std::cos(k * pi / 4), mu * std::sin(k * pi / 4));
  return set;
}

std::vector<FrictionSet> every_set() {
  return {ellipsoid("round", {0.5, 0.5}),
          ellipsoid("ellipse", {0.5, 0.2}),
          ellipsoid("soft finger", {0.5, 0.3, 0.01}),
          polygon("polygon", {{0.5, -0.1}, {0.2, 0.4}, {-0.3, 0.3}, {-0.2, -0.4}}),
          ellipsoid("superellipse, exponent 4", {0.5, 0.3}, 4),
          ellipsoid("superellipse, exponent 1.5", {0.5, 0.3}, 1.5),
          ellipsoid("skate blade", {0.005, 0.9}),
          polyhedral(0.5)};
}

// The worst over contacts, steps and states of one set.
struct Worst {
  long contacts = 0, sliding = 0;
  double excess = 0;       // of the gauge of friction over the normal impulse
  double gap = 0;          // of the largest dissipation over that of the answer
  double certificate = 0;  // friction and cone as the run's own certificate has them
};

// Judges the contacts of the last step.
void judge(const Simulation& simulation, const FrictionSet& set, double speed, Worst& worst) {
  const StepRecord& last = simulation.last_step();
  const double weight = puck_mass * g * last.problem.step;
  for (const ContactRows& contact : last.problem.contacts) {
    const double* p = last.answer.impulse.data() + last.problem.blocks[contact.block].first_row;
    const Vector4 u = contact_velocity(last.problem, contact, last.answer.v_end);
    double power = 0, against[3] = {0, 0, 0};
    for (int i = 0; i < set.dimension(); ++i) power += p[1 + i] * u[1 + i], against[i] = -u[1 + i];
    const double size = std::max(p[0], weight);
    worst.excess = std::max({worst.excess, (set.gauge(p + 1) - p[0]) / size, -p[0] / size});
    const double gap = p[0] * set.support(against) + power;
    worst.gap = std::max(worst.gap, std::abs(gap) / (size * set.reach() * speed));
    ++worst.contacts;
    worst.sliding += p[0] > 0 && std::hypot(u[1], u[2]) > 1e-6 * speed ? 1 : 0;
  }
}

// Uniform numbers that are the same with every library.
class Dice {
 public:
  double between(double low, double high) {
    return low + (high - low) * 0x1p-53 * static_cast<double>(generator_() >> 11);
  }

 private:
  std::mt19937_64 generator_{1998};
};

// One puck thrown: any direction and yaw, spinning, and falling on the plane with up to 0.5 m/s.
Result<void> throw_puck(const FrictionSet& set, Dice& dice, Worst& worst) {
  const double direction = dice.between(0, 2 * pi), speed = dice.between(0.05, 2), yaw = dice.between(0, pi);
  const double spin = dice.between(-20, 20), fall = dice.between(0, 0.5);
  std::vector<std::string> overrides = set.overrides;
  overrides.push_back(fmt::format("body.puck.linear_velocity=[{:.17g}, {:.17g}, {:.17g}]", speed * std::cos(direction),
                                  speed * std::sin(direction), -fall));
  overrides.push_back(fmt::format("body.puck.angular_velocity=[0, 0, {:.17g}]", spin));
  overrides.push_back(
      fmt::format("body.puck.orientation=[{:.17g}, 0, 0, {:.17g}]", std::cos(yaw / 2), std::sin(yaw / 2)));
  auto opened = open_example("anitescu1998/puck.toml", overrides);
  if (!opened) return failure(opened.error());
  const RunSummary summary = run(*opened, [&](const StepOutcome&) { judge(*opened, set, speed, worst); });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  worst.certificate = std::max({worst.certificate, summary.certificate.friction, summary.certificate.cone});
  return {};
}

Result<void> random_states(const Context& context) {
  std::string table = fmt::format("{:<28} {:>9} {:>9} {:>14} {:>14} {:>14}\n", "friction set", "contacts", "sliding",
                                  "cone excess", "dissip. gap", "certificate");
  Dice dice;
  for (const FrictionSet& set : every_set()) {
    Worst worst;
    for (int k = 0; k < states; ++k) {
      if (auto thrown = throw_puck(set, dice, worst); !thrown) return thrown;
    }
    table += fmt::format("{:<28} {:>9} {:>9} {:14.2e} {:14.2e} {:14.2e}\n", set.name, worst.contacts, worst.sliding,
                         worst.excess, worst.gap, worst.certificate);
    context.report(check_cones(set.name + ": friction outside its cone, worst contact", "1", worst.excess,
                               "friction lies in its cone, (18)", worst.excess < tolerance && worst.sliding > states,
                               fmt::format("{} random states, relative to the normal impulse or the weight", states)));
    context.report(check_cones(set.name + ": short of the largest dissipation, worst contact", "1", worst.gap,
                               "maximum dissipation, (20)", worst.gap < tolerance,
                               "power missing, relative to normal impulse, reach of the set and speed"));
    const bool round_judge = set.name.starts_with("polyhedral");
    context.report(check_cones(set.name + ": certificate, worst step", "1", worst.certificate, {},
                               round_judge || worst.certificate < tolerance,
                               round_judge ? "judged on the circle that the octagon stands for: not met, as it must be"
                                           : "the run's own judge"));
  }
  context.print_table(table);
  return {};
}

// Way of a puck that starts at 1 m/s without spin, until it stands.
struct Trace {
  std::vector<double> x, y;
  double bend = 0;  // rad: largest angle between the first direction and that to a later point
};

Result<Trace> slide(const FrictionSet& set, double direction) {
  std::vector<std::string> overrides = set.overrides;
  overrides.push_back(
      fmt::format("body.puck.linear_velocity=[{:.17g}, {:.17g}, 0]", std::cos(direction), std::sin(direction)));
  // As thin as a sheet: friction at the bottom of a higher one presses on its front, which turns it.
  overrides.insert(overrides.end(), {"simulation.duration=4", "body.puck.position=[0, 0, 5e-7]",
                                     "body.puck.shape.size=[0.1, 0.1, 1e-6]"});
  auto opened = open_example("anitescu1998/puck.toml", overrides);
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  const int puck = simulation.model().find_body("puck");
  Trace trace{.x = {0}, .y = {0}};
  for (double speed = 1; speed > 1e-6 && simulation.state().time < 4;) {
    const StepOutcome outcome = simulation.step();
    if (!outcome.ok) return failure({.what = outcome.failure, .remedy = "This is a defect: please report it."});
    speed = simulation.kinematics().velocity[puck].linear.norm();
    const Vector3 at = simulation.kinematics().com_W[puck];
    trace.x.push_back(at.x()), trace.y.push_back(at.y());
    const double turned = std::remainder(std::atan2(at.y(), at.x()) - direction, 2 * pi);
    trace.bend = std::max(trace.bend, std::abs(turned));
  }
  return trace;
}

// 16 ways, and a closed line through their ends.
Result<double> draw_traces(const FrictionSet& set, std::ofstream& data, report::Plot& plot) {
  plot.title = fmt::format("{}: ways of pucks that start at 1 m/s in 16 directions", set.name);
  plot.x_label = "x [m]";
  plot.y_label = "y [m]";
  report::Series ends = report::dashed_line("where they stop", {}, {});
  double bend = 0;
  for (int k = 0; k <= 16; ++k) {
    const auto trace = slide(set, pi * k / 8);
    if (!trace) return failure(trace.error());
    bend = std::max(bend, trace->bend);
    ends.x.push_back(trace->x.back()), ends.y.push_back(trace->y.back());
    if (k == 16) break;
    for (size_t i = 0; i < trace->x.size(); ++i) {
      data << fmt::format("{},{},{:.9g},{:.9g}\n", set.name, k, trace->x[i], trace->y[i]);
    }
    plot.series.push_back(report::line("", trace->x, trace->y));
    plot.series.back().color = k % 4;
  }
  plot.series.push_back(std::move(ends));
  return bend;
}

Result<void> traces(const Context& context) {
  const std::vector<FrictionSet> sets = {
      ellipsoid("round", {0.3, 0.3}), polygon("square", {{0.3, 0}, {0, 0.3}, {-0.3, 0}, {0, -0.3}}),
      ellipsoid("superellipse 4", {0.4, 0.2}, 4), ellipsoid("skate blade", {0.03, 0.9})};
  std::ofstream data(context.out / "cones_traces.csv");
  data << "set,direction,x,y\n";
  std::vector<report::Plot> panels(sets.size());
  for (size_t i = 0; i < sets.size(); ++i) {
    const auto bend = draw_traces(sets[i], data, panels[i]);
    if (!bend) return failure(bend.error());
    const bool straight = i == 0;
    context.report(check_cones(sets[i].name + ": largest turn of a sliding puck's way", "rad", *bend, {},
                               straight ? *bend < tolerance : *bend > 0.05,
                               straight ? "round friction is against the motion: straight, to solver tolerance"
                                        : "friction is not against the motion: the way bends, by more than 0.05"));
  }
  return report::write_svg(panels, context.out / "cones_traces.svg", {.width = 640, .panel_height = 480});
}

}  // namespace

Result<void> cones(const Context& context) {
  if (auto done = random_states(context); !done) return done;
  return traces(context);
}

}  // namespace stiction::papers::anitescu1998
