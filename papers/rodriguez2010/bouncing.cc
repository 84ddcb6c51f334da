// A ball dropped from a height H with restitution e bounces infinitely often in a finite time. Closed form: impact
// k = 1, 2, ... is at
//
//     t_k = t_1 (1 + 2 (e + e^2 + ... + e^(k-1))),   t_1 = sqrt(2 H / g),   limit t_1 (1 + e) / (1 - e)
//
// The method follows at least 30 of them and passes the rest at once when they fit into accumulation_time.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "papers/rodriguez2010/event_run.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "stiction/io/output_file.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_bouncing{"rodriguez2010", "bouncing"};
constexpr double gravity = 9.81;
constexpr double required = 1e-10;          // s, of every one of the first 30
constexpr double accumulation_time = 1e-9;  // s, the method's default
constexpr double rest_gap = 1e-12;          // m
constexpr double rounding = 1e-12;          // m/s
constexpr size_t least_impacts = 30;

// A start: how far over the ground, how large, how fast sideways.
struct Drop {
  std::string name;
  double e, height, radius, sideways, duration;

  double first() const { return std::sqrt(2 * height / gravity); }
  double limit() const { return first() * (1 + e) / (1 - e); }
};

struct Bounces {
  std::vector<double> t, height;  // of every step
  std::vector<double> error;      // s, of every impact before the accumulation
  double accumulated = 0;         // s, when it was passed; 0: never
  double end_gap = 0, end_speed = 0, end_sideways = 0;
};

std::vector<double> errors_of(const Drop& drop, const std::vector<double>& times) {
  std::vector<double> error;
  double exact = drop.first(), interval = 2 * drop.first();
  for (const double t : times) {
    error.push_back(std::abs(t - exact));
    interval *= drop.e;
    exact += interval;
  }
  return error;
}

Result<Bounces> bounce(const Drop& drop) {
  Bounces bounces;
  const auto watch = [&](Simulation& simulation) {
    bounces.t.push_back(simulation.state().time);
    bounces.height.push_back(simulation.kinematics().com_W[simulation.model().find_body("ball")].z() - drop.radius);
  };
  auto ended = run_events(
      "rodriguez2010/bouncing.toml",
      {fmt::format("simulation.duration={}", drop.duration), fmt::format("material.rubber.restitution={}", drop.e),
       fmt::format("body.ball.position=[0, 0, {:.17g}]", drop.height + drop.radius),
       fmt::format("body.ball.linear_velocity=[{}, 0, 0]", drop.sideways),
       fmt::format("body.ball.shape.radius={}", drop.radius)},
      watch);
  if (!ended) return failure(ended.error());
  for (const Event& event : ended->events) {
    if (event.kind == EventKind::accumulation) bounces.accumulated = event.time;
  }
  bounces.error = errors_of(drop, ended->impact_times());
  const Twist velocity = ended->velocity("ball");
  bounces.end_speed = std::abs(velocity.linear.z());
  bounces.end_sideways = velocity.linear.x();
  bounces.end_gap = bounces.height.back();
  return bounces;
}

void judge(const Context& context, const Drop& drop, const Bounces& bounces) {
  const std::vector<double>& error = bounces.error;
  const size_t followed = error.size();
  const double worst = *std::max_element(error.begin(), error.begin() + std::min(followed, least_impacts));
  const double worst_of_all = *std::max_element(error.begin(), error.end());
  const std::string label = drop.name + ": ";
  context.report(check_bouncing(label + "error of the first 30 impact times", "s", worst, {},
                                followed >= least_impacts && worst < required, "closed form; below 1e-10 s"));
  context.report(check_bouncing(label + "error of all impact times", "s", worst_of_all, {},
                                worst_of_all < accumulation_time,
                                fmt::format("{} impacts; below accumulation_time = 1e-9 s", followed)));
  context.report(check_bouncing(label + "impacts before the accumulation is passed", "1", static_cast<double>(followed),
                                {}, followed >= least_impacts && bounces.accumulated > 0, "at least 30"));
  context.report(check_bouncing(label + "accumulation passed at", "s", bounces.accumulated, {},
                                std::abs(bounces.accumulated - drop.limit()) < 2 * accumulation_time,
                                fmt::format("limit {:.12f} s; within 2 accumulation_time", drop.limit())));
  context.report(check_bouncing(label + "vertical speed at the end", "m/s", bounces.end_speed, {},
                                bounces.end_speed < rounding, fmt::format("rest, at {} s", drop.duration)));
  context.report(check_bouncing(label + "gap at the end", "m", bounces.end_gap, {},
                                std::abs(bounces.end_gap) < rest_gap, "within 1e-12 m"));
  if (drop.sideways != 0) {
    const double change = bounces.end_sideways - drop.sideways;
    context.report(check_bouncing(label + "change of the speed sideways", "m/s", change, {},
                                  std::abs(change) < rounding, "no friction"));
  }
}

Result<void> draw(const Context& context, const std::vector<Drop>& drops, const std::vector<Bounces>& all) {
  report::Plot height = make_panel("A ball bounces to rest", "time [s]", "height of its lowest point [m]");
  report::Plot error = make_panel("Impact times against the closed form", "impact", "|error| [s]");
  error.y_log = true;
  std::string csv = "start,impact,error [s]\n";
  for (size_t i = 0; i < drops.size(); ++i) {
    std::vector<double> number;
    for (size_t k = 0; k < all[i].error.size(); ++k) {
      number.push_back(static_cast<double>(k + 1));
      csv += fmt::format("\"{}\",{},{:.17g}\n", drops[i].name, k + 1, all[i].error[k]);
    }
    if (drops[i].sideways == 0) height.series.push_back(report::line(drops[i].name, all[i].t, all[i].height));
    error.series.push_back(report::line(drops[i].name, number, all[i].error));
  }
  error.series.push_back(report::dashed_line("required of the first 30", {1, least_impacts}, {required, required}));
  const std::vector<report::Plot> panels = {height, error};
  if (auto done = write_text_file((context.out / "bouncing.csv").string(), csv); !done) return done;
  return report::write_svg(panels, context.out / "bouncing.svg");
}

}  // namespace

Result<void> bouncing(const Context& context) {
  const std::vector<Drop> drops = {{"e = 0.5", 0.5, 1, 0.1, 0, 2},
                                   {"e = 0.8", 0.8, 1, 0.1, 0, 5},
                                   {"e = 0.95", 0.95, 1, 0.1, 0, 19},
                                   {"e = 0.7, another ball, sideways", 0.7, 0.37, 0.23, 1.3, 2}};
  std::vector<Bounces> all;
  for (const Drop& drop : drops) {
    auto bounces = bounce(drop);
    if (!bounces) return failure(bounces.error());
    judge(context, drop, *bounces);
    all.push_back(std::move(*bounces));
  }
  return draw(context, drops, all);
}

}  // namespace stiction::papers::rodriguez2010
