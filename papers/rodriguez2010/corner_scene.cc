// The cases of chapter 5 as scenes: the method flies the disc to the corner, finds both contacts at once and lists the
// same outcomes as the law does on the problem written down by hand (cases.cc).
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "papers/rodriguez2010/corner.h"
#include "papers/rodriguez2010/event_run.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_corner_scene{"rodriguez2010", "corner"};
constexpr double required = 1e-9;     // s, m/s, rad/s
constexpr double flight_after = 0.4;  // s, shown after the impact

// One case under one rule: the scene, and what the law gives for it.
struct CornerRun {
  CornerCase start;
  ImpactRule rule;
  CornerImpact exact;
  ImpactResult law;
  EventRun run;
  std::vector<double> t, x, z, angle;  // of every step: path of the centre and angle

  std::string label() const { return fmt::format("{}, {}: ", start.example, impact_rule_name(rule)); }
  const EventImpact& impact() const { return run.impacts.front(); }
};

// `moved`: how far the wall stands from where the disc would meet it as it lands.
Result<CornerRun> simulate(const CornerCase& start, ImpactRule rule, double moved = 0) {
  const CornerImpact exact = meet_corner(start);
  std::vector<double> t, x, z, angle;
  const auto watch = [&](Simulation& simulation) {
    const Vector3 centre = simulation.kinematics().com_W[simulation.model().find_body("disc")];
    t.push_back(simulation.state().time), angle.push_back(simulation.state().q[2]);
    x.push_back(centre.x()), z.push_back(centre.z());
  };
  auto run = run_events(
      "rodriguez2010/corner.toml",
      {fmt::format("method.event-driven.rule=\"{}\"", impact_rule_name(rule)),
       fmt::format("simulation.duration={}", std::ceil(100 * (exact.time + flight_after)) / 100),
       fmt::format("body.wall.position=[{:.17g}, 0, 0]", exact.wall_at + moved),
       fmt::format("body.disc.position=[0, 0, {}]", start.Q2), fmt::format("joint.plane.position=[0, 0, {}]", start.Q2),
       fmt::format("joint.plane.velocity=[{}, 0, 0]", start.Q1_dot)},
      watch);
  if (!run) return failure(run.error());
  if (run->impacts.empty()) {
    return failure({.what = "the disc has not met the corner", .remedy = "This is a defect: please report it."});
  }
  ImpactResult law = solve_simultaneous_impact(exact.problem, {.rule = rule});
  return CornerRun{start,        rule,         exact,        std::move(law),  std::move(*run),
                   std::move(t), std::move(x), std::move(z), std::move(angle)};
}

// The scene's impacts are in coordinates in which the mass matrix is one.
Vector3 velocity_of(const VectorX& unit_mass) {
  return unit_mass.cwiseQuotient(Vector3(std::sqrt(m), std::sqrt(m), std::sqrt(I)));
}

// How far each of the law's outcomes is from the scene's nearest, at most.
double outcomes_apart(const CornerRun& corner) {
  double worst = 0;
  for (const ImpactOutcome& exact : corner.law.outcomes) {
    double nearest = infinity;
    for (const ImpactOutcome& own : corner.impact().result.outcomes) {
      nearest = std::min(nearest, (velocity_of(own.velocity) - exact.velocity).norm());
    }
    worst = std::max(worst, nearest);
  }
  return worst;
}

void judge(const Context& context, CornerRun& corner) {
  const EventImpact& impact = corner.impact();
  const ImpactOutcome& picked = corner.law.outcomes[corner.law.picked];
  const std::string label = corner.label();
  const double late = corner.run.impact_times().front() - corner.exact.time;
  context.report(check_corner_scene(label + "time of impact against free fall", "s", late, {},
                                    std::abs(late) < required, "1e-9 s"));
  context.report(check_corner_scene(label + "contacts of the impact", "1", static_cast<double>(impact.contacts.size()),
                                    {}, impact.contacts.size() == 2 && corner.run.impact_times().size() == 1,
                                    "one impact, with ground and wall; the wall stands right to rounding"));
  const Vector3 after = corner.exact.problem.velocity + impact.velocity_change;
  context.report(check_corner_scene(
      label + "spin after the impact", "rad/s", after.z(), {}, std::abs(after.z() - picked.velocity[2]) < required,
      fmt::format("{:.12f} by the law on the problem of {}", picked.velocity[2], corner.start.example)));
  const double off = (after - picked.velocity).norm();
  context.report(check_corner_scene(label + "velocity after the impact against the law's", "m/s", off, {},
                                    off < required, "and spin: 1e-9"));
  const double apart = outcomes_apart(corner);
  context.report(
      check_corner_scene(label + "all outcomes against the law's, largest difference", "m/s", apart, {},
                         apart < required && impact.result.outcomes.size() == corner.law.outcomes.size(),
                         fmt::format("{} of {}", impact.result.outcomes.size(), corner.law.outcomes.size())));
  const State& end = corner.run.simulation.state();
  const Vector3 place = corner.exact.after(picked.velocity).position(end.time - corner.exact.time);
  const Vector3 own(corner.x.back(), corner.z.back(), end.q[2]);
  context.report(check_corner_scene(label + "place at the end against flight from there", "m", (own - place).norm(), {},
                                    (own - place).norm() < required, "and angle: 1e-9"));
}

// The wall moved a little: within simultaneous_gap (1e-9 m) it is still one impact, beyond two, ground or wall first.
Result<void> move_wall(const Context& context) {
  for (const double moved : {-1e-10, 1e-10, -1e-6, 1e-6}) {
    auto corner = simulate(corner_cases[0], ImpactRule::coulomb, moved);
    if (!corner) return failure(corner.error());
    const auto& impacts = corner->run.impacts;
    const bool once = std::abs(moved) < 1e-9;
    const size_t contacts = impacts.front().contacts.size();
    context.report(check_corner_scene(
        fmt::format("case-1, wall moved by {:g} m: impacts", moved), "1", static_cast<double>(impacts.size()), {},
        once ? impacts.size() == 1 && contacts == 2 : impacts.size() == 2 && contacts == 1,
        fmt::format("{}; spin after the last {:.9f} rad/s", once ? "one of both contacts" : "one each",
                    corner->run.simulation.state().v[2])));
  }
  return {};
}

// The path is the same under both rules, which differ in the spin.
Result<void> draw(const Context& context, const std::vector<CornerRun>& all) {
  std::vector<report::Plot> panels = {make_panel("Paths of the centre, under both rules", "Q_1 [m]", "Q_2 [m]"),
                                      make_panel("Angle of the disc", "time after the impact [s]", "Q_3 [rad]")};
  for (size_t i = 0; i < all.size(); ++i) {
    const CornerRun& corner = all[i];
    const int color = static_cast<int>(i / 2);
    if (corner.rule == ImpactRule::published) {
      panels[0].series.push_back(report::line(std::string(corner.start.example), corner.x, corner.z));
      panels[0].series.back().color = color;
    }
    std::vector<double> since = corner.t;
    for (double& t : since) t -= corner.exact.time;
    const auto from = std::upper_bound(since.begin(), since.end(), -0.1) - since.begin();
    panels[1].series.push_back(report::line(fmt::format("{}, {}", corner.start.example, impact_rule_name(corner.rule)),
                                            {since.begin() + from, since.end()},
                                            {corner.angle.begin() + from, corner.angle.end()}));
    panels[1].series.back().color = color;
    panels[1].series.back().dash = corner.rule == ImpactRule::coulomb ? 1 : 0;
  }
  return report::write_svg(panels, context.out / "corner.svg");
}

}  // namespace

Result<void> corner_scenes(const Context& context) {
  std::vector<CornerRun> all;
  std::string table = fmt::format("{:<8} {:<10} {:>16} {:>14} {:>14} {:>14} {:>9}\n", "case", "rule", "impact [s]",
                                  "v_x [m/s]", "v_y [m/s]", "spin [rad/s]", "outcomes");
  for (const CornerCase& start : corner_cases) {
    for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
      auto corner = simulate(start, rule);
      if (!corner) return failure(corner.error());
      judge(context, *corner);
      const Vector3 after = corner->exact.problem.velocity + corner->impact().velocity_change;
      table += fmt::format("{:<8} {:<10} {:16.12f} {:14.9f} {:14.9f} {:14.9f} {:>9}\n", start.example,
                           impact_rule_name(rule), corner->run.impact_times().front(), after.x(), after.y(), after.z(),
                           corner->impact().result.outcomes.size());
      all.push_back(std::move(*corner));
    }
  }
  context.print_table(table);
  if (auto done = move_wall(context); !done) return done;
  return draw(context, all);
}

}  // namespace stiction::papers::rodriguez2010
