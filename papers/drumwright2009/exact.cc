// The grasp of section 4 with our default method: stick is held at position level, so the ball does not creep at all.
#include <fstream>

#include <fmt/format.h>

#include "papers/drumwright2009/drumwright2009.h"
#include "papers/drumwright2009/grasp_run.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::drumwright2009 {

namespace {

constexpr FindingMaker check_exact{"drumwright2009", "exact"};
constexpr double duration = 100;

struct Case {
  std::string name;
  std::vector<std::string> overrides;
  double limit;  // m
};

// Least friction that holds the ball, from the forces of a run in which nothing slips: two point contacts opposite each
// other carry what they carry whatever the friction, as long as it suffices. One period of the motion.
Result<double> least_friction() {
  auto held = run_grasp("exact-cone", 7);
  if (!held) return failure(held.error());
  return held->friction_used;
}

}  // namespace

Result<void> exact(const Context& context) {
  const auto least = least_friction();
  if (!least) return failure(least.error());
  const std::vector<Case> cases = {
      {"the task as it is", {}, 1e-6},
      {"ball ten times heavier", heavier_ball(10), 1e-6},
      {"motion five times faster", faster_motion(5), 1e-5},
      {"friction 10 % above the least", {fmt::format("material.felt.friction={:.17g}", 1.1 * *least)}, 1e-6}};
  report::Plot plot{"exact-cone: drift of the ball in the gripper", "time [s]", "drift [m]", false, true, {}};
  std::ofstream data(context.out / "exact.csv");
  data << "case,time,drift\n";
  for (const Case& c : cases) {
    auto run = run_grasp("exact-cone", duration, c.overrides);
    if (!run) return failure(run.error());
    context.report(
        check_exact(fmt::format("drift in {:g} s, {}", duration, c.name), "m", run->worst_drift, {},
                    run->holds() && run->worst_drift < c.limit,
                    fmt::format("below {:g} m at every step; certificate {:.1e}, grip {:.1f} N, friction used {:.4f}",
                                c.limit, run->certificate.worst(), run->grip, run->friction_used)));
    for (size_t i = 0; i < run->time.size(); ++i)
      data << fmt::format("{},{:.9g},{:.9g}\n", c.name, run->time[i], run->drift[i]);
    plot.series.push_back(report::line(c.name, run->time, run->drift));
  }
  // And below the least friction it must slip, or the figure above would mean nothing.
  auto below = run_grasp("exact-cone", 10, {fmt::format("material.felt.friction={:.17g}", 0.9 * *least)});
  if (!below) return failure(below.error());
  context.report(check_exact("friction 10 % below the least: ball lost at", "s", below->lost_at, {}, below->lost_at > 0,
                             fmt::format("least friction {:.5f} from the forces of a grasp that sticks", *least)));
  return report::write_svg(plot, context.out / "exact.svg");
}

}  // namespace stiction::papers::drumwright2009
