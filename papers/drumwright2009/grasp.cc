// Section 4: the convex method holds the tennis ball while the shoulder moves. Figures 2 (drift over the task) and 3
// (snapshots).
#include <array>
#include <fstream>

#include <fmt/format.h>

#include "papers/drumwright2009/drawing.h"
#include "papers/drumwright2009/drumwright2009.h"
#include "papers/drumwright2009/grasp_run.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::drumwright2009 {

namespace {

constexpr FindingMaker check_grasp{"drumwright2009", "grasp"};
constexpr double published_drift = 1e-4;                           // m, "approaches 0.1 mm" by the end of the movement
constexpr std::array<double, 3> snapshot_times = {0.6, 2.2, 3.8};  // s

void report_run(const Context& context, const GraspRun& run) {
  const std::string of = fmt::format(" in {:g} s", run.duration);
  context.report(check_grasp("ball still in the gripper" + of, "1", run.holds() ? 1 : 0, "completes the example",
                             run.holds(),
                             run.holds()           ? "1: yes"
                             : run.failure.empty() ? "lost"
                                                   : run.failure));
  context.report(check_grasp("drift" + of, "m", run.worst_drift, {}, run.holds(),
                             "largest over the run; includes the scheme's part below"));
  context.report(
      check_grasp("drift of the scheme" + of, "m", run.worst_scheme, {}, run.worst_scheme > 0,
                  "the gripper moves on arcs, a velocity-level stick goes straight: h^2/2 times the centripetal "
                  "acceleration per step"));
}

// Fig. 2.
Result<void> draw_drift(const Context& context, const GraspRun& run) {
  report::Plot plot{"Figure 2: drift of the ball, convex method", "time [s]", "drift [mm]", false, false, {}};
  std::vector<double> millimetres = run.drift;
  for (double& drift : millimetres) drift *= 1e3;
  plot.series.push_back(report::line("convex-impulse", run.time, millimetres));
  std::ofstream data(context.out / "figure2.csv");
  data << "time,drift\n";
  for (size_t i = 0; i < run.time.size(); ++i) data << fmt::format("{:.9g},{:.9g}\n", run.time[i], run.drift[i]);
  return report::write_svg(plot, context.out / "figure2.svg");
}

// Fig. 3.
Result<void> draw_grasp(const Context& context, std::span<const Snapshot> snapshots) {
  auto opened = open_example("scenes/grasp.toml", {});
  if (!opened) return failure(opened.error());
  return draw_snapshots(opened->model(), snapshots, context.out / "figure3.svg");
}

}  // namespace

Result<void> grasp(const Context& context) {
  std::vector<Snapshot> snapshots;
  auto task = run_grasp("convex-impulse", 24, {}, snapshot_times, &snapshots);
  if (!task) return failure(task.error());
  report_run(context, *task);
  context.report(check_grasp("drift beyond the scheme's in 24 s", "m", task->worst_excess, published_drift,
                             task->holds() && task->worst_excess <= published_drift,
                             "the paper's arm and gripper are not stated; at most the published drift"));
  context.report(check_grasp("largest overlap in 24 s", "m", task->worst_penetration, {},
                             task->worst_penetration < 1e-4, "jaws and ball, measured; below the published drift"));
  auto longer = run_grasp("convex-impulse", 100);
  if (!longer) return failure(longer.error());
  report_run(context, *longer);
  context.report(check_grasp("drift beyond the scheme's in 100 s", "m", longer->worst_excess, {}, longer->holds(),
                             "no statement but that the rate goes on"));
  if (auto drawn = draw_drift(context, *task); !drawn) return drawn;
  return draw_grasp(context, snapshots);
}

}  // namespace stiction::papers::drumwright2009
