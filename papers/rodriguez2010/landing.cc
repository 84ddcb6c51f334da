// Impacts of several contacts as scenes: a box that falls flat on four corners, a rod in the corner, rows of balls
// (ball_rows.cc). What impacts.cc does to problems written down by hand.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "papers/rodriguez2010/event_run.h"
#include "papers/rodriguez2010/free_bodies.h"
#include "papers/rodriguez2010/impact_studies.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_landing{"rodriguez2010", "landing"};
constexpr double required = 1e-9;
constexpr double of_optimum = 1e-7;  // outcomes come from optima; speeds of some m/s

// The box falls 0.2 m; its impacts are those of a ball (bouncing.cc).
struct Fall {
  double first, limit, e;

  double impact(size_t k) const { return first * (1 + 2 * e * (1 - std::pow(e, k)) / (1 - e)); }
};

struct BoxErrors {
  double time = 0, rebound = 0, spin = 0, sum = 0;
  size_t fewest = 100;  // contacts of an impact
};

// The first impacts of the run, each against the closed form.
BoxErrors compare_impacts(const EventRun& run, const Fall& fall, size_t count) {
  BoxErrors worst;
  const std::vector<double> times = run.impact_times();
  double speed = 9.81 * fall.first;
  for (size_t k = 0; k < count; ++k) {
    const EventImpact& impact = run.impacts[k];
    const VectorX& change = impact.velocity_change;  // of a free joint: linear, then angular
    worst.time = std::max(worst.time, std::abs(times[k] - fall.impact(k)));
    worst.rebound = std::max(worst.rebound, std::abs(change[2] / speed - (1 + fall.e)));
    worst.spin = std::max(worst.spin, change.tail<3>().norm() / speed);
    worst.fewest = std::min(worst.fewest, impact.contacts.size());
    speed *= fall.e;
  }
  return worst;
}

Result<void> flat_box(const Context& context) {
  const double first = std::sqrt(2 * 0.2 / 9.81), e = 0.5;
  const Fall fall{first, first * (1 + e) / (1 - e), e};
  constexpr size_t count = 30;
  std::vector<double> t, height, tilt;
  auto run = run_events("rodriguez2010/landing_box.toml", {}, [&](Simulation& simulation) {
    const Pose& pose = simulation.kinematics().X_WB[simulation.model().find_body("box")];
    t.push_back(simulation.state().time), height.push_back(pose.p.z() - 0.2);
    tilt.push_back(std::hypot(pose.R(2, 0), pose.R(2, 1)));
  });
  if (!run) return failure(run.error());
  const size_t found = std::min(run->impacts.size(), run->impact_times().size());
  context.report(
      check_landing("flat box: impacts", "1", static_cast<double>(found), {}, found >= count, "at least 30"));
  if (found < count) return {};
  const BoxErrors worst = compare_impacts(*run, fall, count);
  context.report(check_landing("flat box: fewest contacts of an impact", "1", static_cast<double>(worst.fewest), {},
                               worst.fewest == 4, "first 30: all four corners at once"));
  context.report(check_landing("flat box: error of the first 30 impact times", "s", worst.time, {},
                               worst.time < required, "closed form of a ball; 1e-9 s"));
  context.report(check_landing("flat box: jump of velocity over speed of approach, off 1 + e", "1", worst.rebound, {},
                               worst.rebound < of_optimum, "first 30, e = 0.5; from an optimum"));
  context.report(check_landing("flat box: jump of spin over speed of approach", "rad/m", worst.spin, {},
                               worst.spin < of_optimum, "first 30: none"));
  const Twist end = run->velocity("box");
  const double speed = end.linear.norm() + end.angular.norm(), most = *std::max_element(tilt.begin(), tilt.end());
  context.report(check_landing("flat box: speed and spin at the end", "m/s", speed, {}, speed < 1e-12,
                               fmt::format("rest, after the impacts' limit at {:.6f} s", fall.limit)));
  context.report(
      check_landing("flat box: gap at the end", "m", height.back(), {}, std::abs(height.back()) < 1e-12, "1e-12 m"));
  context.report(check_landing("flat box: largest tilt", "rad", most, {}, most < of_optimum, "stays flat"));
  report::Plot plot = make_panel("A box falls flat", "time [s]", "height of its bottom [m]");
  plot.series.push_back(report::line("", t, height));
  return report::write_svg(plot, context.out / "landing_box.svg");
}

// The rod of the scene at the time of its impact; x to the right, y up.
struct Rod {
  std::string name;
  bool both_ends;

  Vector3 upper() const { return Vector3(0.25, both_ends ? std::sqrt(0.1875) : -std::sqrt(0.1875), 0); }
  Vector3 at_ground() const { return (both_ends ? Vector3(-upper()) : upper()) - Vector3(0, 0.02, 0); }
  Vector3 at_wall() const { return upper() + Vector3(0.02, 0, 0); }
};

ImpactProblem rod_problem(const Rod& rod) {
  const Surface surface{0.5, 0.5, 0.25};
  ImpactProblem problem;
  add_body(problem, 1, Vector3::Constant(1.0 / 12), Vector3(2, -3, 0));
  add_touch(problem, 2, {.b = 0, .arm_b = rod.at_ground(), .normal = Vector3::UnitY()}, surface);
  add_touch(problem, 2, {.b = 0, .arm_b = rod.at_wall(), .normal = -Vector3::UnitX()}, surface);
  return problem;
}

Result<EventRun> simulate_rod(const Rod& rod, ImpactRule rule) {
  const auto end = [](const Vector3& at) {
    return fmt::format(
        "{{ type = \"sphere\", radius = 0.02, position = [{:.17g}, 0, {:.17g}], material = \"surface\" }}", at.x(),
        at.y());
  };
  return run_events("rodriguez2010/landing_rod.toml",
                    {fmt::format("method.event-driven.rule=\"{}\"", impact_rule_name(rule)),
                     fmt::format("body.ground.position=[0, 0, {:.17g}]", rod.at_ground().y()),
                     fmt::format("body.wall.position=[{:.17g}, 0, 0]", rod.at_wall().x()),
                     fmt::format("body.rod.shapes=[{}, {}]", end(-rod.upper()), end(rod.upper()))});
}

Result<void> rod_in_corner(const Context& context, const Rod& rod, ImpactRule rule) {
  auto run = simulate_rod(rod, rule);
  if (!run) return failure(run.error());
  const std::string label = fmt::format("{}, {}: ", rod.name, impact_rule_name(rule));
  const ImpactResult law = solve_simultaneous_impact(rod_problem(rod), {.rule = rule});
  if (run->impacts.empty()) {
    return failure({.what = "the rod has not met the corner", .remedy = "This is a defect: please report it."});
  }
  const EventImpact& impact = run->impacts.front();
  const double late = run->impact_times().front() - 0.1;
  context.report(check_landing(label + "time of impact", "s", late + 0.1, {},
                               std::abs(late) < required && impact.contacts.size() == 2,
                               "0.1 s, both contacts at once"));
  const Vector3 after = Vector3(2, -3, 0) + impact.velocity_change;
  const double off = (after - law.outcomes[law.picked].velocity).norm();
  context.report(check_landing(label + "velocity after against the law's", "m/s", off, {},
                               off < of_optimum && impact.result.outcomes.size() == law.outcomes.size(),
                               fmt::format("({:.6f}, {:.6f}) m/s, {:.6f} rad/s; {} outcomes", after.x(), after.y(),
                                           after.z(), law.outcomes.size())));
  const double change = impact.result.outcomes[impact.result.picked].energy_change;
  context.report(check_landing(label + "change of energy", "J", change, {},
                               std::abs(change - law.outcomes[law.picked].energy_change) < of_optimum, "the law's"));
  return {};
}

}  // namespace

Result<void> landing(const Context& context) {
  if (auto done = flat_box(context); !done) return done;
  for (const Rod& rod : {Rod{"rod between ground and wall", true}, Rod{"rod with one end in the corner", false}}) {
    for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
      if (auto done = rod_in_corner(context, rod, rule); !done) return done;
    }
  }
  return study_ball_rows(context);
}

}  // namespace stiction::papers::rodriguez2010
