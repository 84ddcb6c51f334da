// Event-driven motion and time stepping converge to each other as the step h falls, where the answer is unique: a ball
// that bounces and rolls off, a block that slides to rest, a rod that leaves a wall, a block that sticks and slips on a
// belt. Time stepping has order one, by its scheme and by events that fall between steps; event-driven motion is the
// same for every step, and where something is known in closed form it agrees with that. anitescu-potra has Newton's
// impacts here: Poisson's (its own choice) give back no friction in the rebound, another law with another motion of the
// ball.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "papers/rodriguez2010/event_run.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "stiction/io/output_file.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_convergence{"rodriguez2010", "convergence"};
constexpr std::string_view rivals[] = {"exact-cone", "stewart-trinkle", "anitescu-potra"};
constexpr double coarsest = 4e-3;  // s
constexpr int levels = 5;
constexpr double least_order = 0.75, most_order = 1.35;  // one, over a factor of 16 with events between steps
constexpr double same_motion = 1e-7;                     // m: event-driven motion reported at other steps
constexpr double required = 1e-9;

// A scene and the times, away from impacts, at which motions are compared.
struct Study {
  std::string name, scene;
  std::vector<double> times;
};

using Places = std::vector<Vector3>;  // of the moving body's centre, at those times

// Collects places while a simulation runs.
struct PlaceWatch {
  const Study& study;
  Places places = {};

  void operator()(Simulation& simulation) {
    if (places.size() == study.times.size()) return;
    if (std::abs(simulation.state().time - study.times[places.size()]) > 1e-9) return;
    places.push_back(simulation.kinematics().com_W[simulation.model().find_body("moving")]);
  }
};

double distance(const Places& a, const Places& b) {
  if (a.size() != b.size()) return infinity;
  double worst = 0;
  for (size_t k = 0; k < a.size(); ++k) worst = std::max(worst, (a[k] - b[k]).norm());
  return worst;
}

Result<Places> step_through(const Study& study, std::string_view method, double h) {
  auto opened =
      open_example(study.scene, {fmt::format("simulation.method=\"{}\"", method),
                                 fmt::format("simulation.step={:.17g}", h), "method.anitescu-potra.impact=\"newton\""});
  if (!opened) return failure(opened.error());
  PlaceWatch watch{study};
  const RunSummary summary = run(*opened, [&](const StepOutcome&) { watch(*opened); });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  return watch.places;
}

Result<EventRun> event_motion(const Study& study, double h, Places& places) {
  PlaceWatch watch{study};
  auto run = run_events(study.scene, {fmt::format("simulation.step={:.17g}", h)},
                        [&](Simulation& simulation) { watch(simulation); });
  places = watch.places;
  return run;
}

// The block rides for 2 x0 / v, with x0 = 0.3 m g / k, and swings back in (2 / w) (pi - atan(w x0 / v)).
constexpr double period_error = 1e-7;  // s

void check_belt(const Context& context, const EventRun& run) {
  constexpr double v = 0.1, w = 10, x0 = 0.3 * 9.81 / 100;
  const double period = 2 * x0 / v + 2 / w * (std::numbers::pi - std::atan(w * x0 / v));
  std::vector<double> begins;
  for (const Event& event : run.events) {
    if (event.kind == EventKind::slip_begins && (begins.empty() || begins.back() != event.time)) {
      begins.push_back(event.time);
    }
  }
  if (begins.size() != 2) begins.resize(2, infinity);
  const double first = begins[0] - 2 * x0 / v, second = begins[1] - begins[0] - period;
  context.report(check_convergence("block on a belt: error of the time at which slip begins", "s", first, {},
                                   std::abs(first) < required, "closed form; 1e-9 s"));
  context.report(
      check_convergence("block on a belt: error of the period", "s", second, {}, std::abs(second) < period_error,
                        "closed form; 1e-7 s: the last micrometre per second of each slip goes straight on"));
}

void check_ladder(const Context& context, const EventRun& run) {
  double sine = 0;
  for (const Event& event : run.events) {
    if (event.kind == EventKind::contact_lost && sine == 0) sine = event.point.z() - 0.02;
  }
  const double exact = 2.0 / 3 * std::sqrt(0.75);
  context.report(check_convergence("rod at a wall: sine of its angle where it leaves the wall", "1", sine, {},
                                   std::abs(sine - exact) < required,
                                   fmt::format("two thirds of the start's: {:.9f}", exact)));
}

void check_block(const Context& context, const EventRun& run) {
  const double slope = std::numbers::pi / 9, braking = 9.81 * (0.5 * std::cos(slope) - std::sin(slope));
  double stopped = 0;
  for (const Event& event : run.events) {
    if (event.kind == EventKind::slip_ends && stopped == 0) stopped = event.time;
  }
  context.report(check_convergence("block on a slope: error of the time at which it stops", "s", stopped - 1 / braking,
                                   {}, std::abs(stopped - 1 / braking) < required, "closed form; 1e-9 s"));
}

// Slips, or sticks, through the first impact: v_x falls by mu (1 + e) v_z unless that is more than rolling takes, 2/7
// v_x.
void check_ball(const Context& context, const EventRun& run) {
  const double fall = std::sqrt(2 * 9.81 * 0.3), wanted = -std::min(0.15 * 1.5 * fall, 2.0 / 7 * 3);
  const double change = run.impacts.front().velocity_change[0];
  context.report(check_convergence("ball: change of v_x in the first impact", "m/s", change, {},
                                   std::abs(change - wanted) < 1e-7,
                                   fmt::format("{:.9f} by Coulomb's law; from an optimum", wanted)));
}

struct Curve {
  std::string method;
  std::vector<double> h, error;
};

Result<Curve> measure(const Study& study, std::string_view method, const Places& exact) {
  Curve curve{std::string(method), {}, {}};
  for (int level = 0; level < levels; ++level) {
    const double h = coarsest / (1 << level);
    const auto places = step_through(study, method, h);
    if (!places) return failure(places.error());
    curve.h.push_back(h);
    curve.error.push_back(distance(*places, exact));
  }
  return curve;
}

report::Plot draw_study(const Study& study, const std::vector<Curve>& curves) {
  report::Plot panel = make_panel(study.name, "h [s]", "distance [m]");
  panel.x_log = panel.y_log = true;
  double largest = 0;
  for (const Curve& curve : curves) {
    panel.series.push_back(report::line(curve.method, curve.h, curve.error));
    panel.series.back().dash = static_cast<int>(panel.series.size()) - 1;  // some lie on each other
    largest = std::max(largest, curve.error.front());
  }
  std::vector<double> slope;
  for (const double h : curves.front().h) slope.push_back(2 * largest * h / coarsest);
  panel.series.push_back(report::dashed_line("order 1", curves.front().h, slope));
  return panel;
}

void tabulate(const Study& study, const std::vector<Curve>& curves, std::string& table, std::string& csv) {
  table += fmt::format("\n{}: distance to event-driven motion [m]\n{:>12}", study.name, "h [s]");
  for (const Curve& curve : curves) table += fmt::format(" {:>16}", curve.method);
  for (int k = 0; k < levels; ++k) {
    table += fmt::format("\n{:12.4e}", curves.front().h[k]);
    for (const Curve& curve : curves) {
      table += fmt::format(" {:16.6e}", curve.error[k]);
      csv += fmt::format("\"{}\",{},{:.17g},{:.17g}\n", study.name, curve.method, curve.h[k], curve.error[k]);
    }
  }
  table += fmt::format("\n{:>12}", "order");
  for (const Curve& curve : curves) table += fmt::format(" {:16.3f}", observed_order(curve.h, curve.error));
  table += '\n';
}

Result<std::vector<Curve>> compare(const Context& context, const Study& study,
                                   void (*closed_form)(const Context&, const EventRun&)) {
  Places exact, finer;
  auto run = event_motion(study, coarsest, exact);
  if (!run) return failure(run.error());
  auto again = event_motion(study, coarsest / 16, finer);
  if (!again) return failure(again.error());
  closed_form(context, *run);
  const double apart = distance(exact, finer);
  context.report(check_convergence(study.name + ": event-driven motion at h = 4e-3 s and 2.5e-4 s", "m", apart, {},
                                   apart < same_motion, "the same; the tolerance of the motion, through its events"));
  std::vector<Curve> curves;
  for (const std::string_view method : rivals) {
    auto curve = measure(study, method, exact);
    if (!curve) return failure(curve.error());
    const double order = observed_order(curve->h, curve->error);
    context.report(check_convergence(
        fmt::format("{}: order of {}'s distance to event-driven motion", study.name, method), "1", order, {},
        order > least_order && order < most_order, fmt::format("one; {:.2e} m at h = 2.5e-4 s", curve->error.back())));
    curves.push_back(std::move(*curve));
  }
  return curves;
}

}  // namespace

Result<void> convergence(const Context& context) {
  struct Part {
    Study study;
    void (*closed_form)(const Context&, const EventRun&);
  };
  const Part parts[] = {
      {{"ball", "rodriguez2010/convergence_ball.toml", {0.4, 1.0}}, check_ball},
      {{"block on a slope", "rodriguez2010/convergence_block.toml", {0.4, 1.2}}, check_block},
      {{"rod at a wall", "rodriguez2010/convergence_ladder.toml", {0.2, 0.4}}, check_ladder},
      {{"block on a belt", "rodriguez2010/convergence_belt.toml", {0.4, 0.8, 2.0}}, check_belt},
  };
  std::vector<report::Plot> panels;
  std::string table, csv = "scene,method,h [s],distance [m]\n";
  for (const Part& part : parts) {
    const auto curves = compare(context, part.study, part.closed_form);
    if (!curves) return failure(curves.error());
    tabulate(part.study, *curves, table, csv);
    panels.push_back(draw_study(part.study, *curves));
  }
  context.print_table(table);
  if (auto done = write_text_file((context.out / "convergence.csv").string(), csv); !done) return done;
  return report::write_svg(panels, context.out / "convergence.svg", {.panel_height = 200});
}

}  // namespace stiction::papers::rodriguez2010
