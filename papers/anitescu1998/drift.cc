// Section 2.5 of anitescu1998: (15) keeps grad g v = 0 only, so that g(q) drifts, by O(h^2) per step; projection puts
// it right. And (16), the constraint qualification: what happens where closing joints are dependent or contradict.
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "papers/anitescu1998/impacts_drift.h"
#include "stiction/report/svg/svg_plot.h"
#include "stiction/stepping/projection.h"
#include "stiction/study/qualification.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr FindingMaker check_drift{"anitescu1998", "drift"};

std::string set_interval(int interval) {
  return fmt::format("method.anitescu-potra.projection_interval={}", interval);
}

// |g| after every step of a mechanism.
struct Drift {
  std::vector<double> t, g;
  double first_half = 0, second_half = 0;
  double energy_change = 0;

  double most() const { return std::max(first_half, second_half); }
};

Result<Drift> simulate(std::string_view scene, int interval) {
  auto opened = open_example(scene, {set_interval(interval)});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  ProjectionWorkspace observer(simulation.model());
  const auto energy = [&] { return simulation.energies().kinetic + simulation.energies().potential; };
  const double start = energy();
  Drift drift;
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    drift.t.push_back(simulation.state().time);
    drift.g.push_back(constraint_violation(simulation.model(), simulation.state(), observer));
    double& half = drift.t.back() <= 0.5 * simulation.settings().duration ? drift.first_half : drift.second_half;
    half = std::max(half, drift.g.back());
  });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  drift.energy_change = energy() - start;
  return drift;
}

// The largest of every `stride` values: a curve that shows the peaks. Zeros are lifted onto the log axis.
report::Series envelope(std::string name, const Drift& drift, size_t stride) {
  report::Series series = report::line(std::move(name), {}, {});
  for (size_t k = 0; k < drift.t.size(); k += stride) {
    double most = 1e-18;
    for (size_t i = k; i < std::min(k + stride, drift.t.size()); ++i) most = std::max(most, drift.g[i]);
    series.x.push_back(drift.t[k]);
    series.y.push_back(most);
  }
  return series;
}

void report_drift(const Context& context, const char* name, int interval, const Drift& drift, const Drift& free) {
  const std::string quantity = fmt::format("{}, projection_interval {}: largest |g| over 10^4 steps", name, interval);
  if (interval == 0) {
    context.report(check_drift(quantity, "m, rad", drift.most(), "the solution can drift", drift.most() > 1e-4,
                               "open by more than 1e-4, where one step leaves O(h^2) = 1e-6"));
  } else if (interval == 1) {
    context.report(check_drift(quantity, "m, rad", drift.most(), {}, drift.most() < 1e-12,
                               "Newton's method ends below 1e-13 from an error of 1e-6; sums of positions round"));
  } else {
    double closed = 0;  // right after projections
    for (size_t k = interval - 1; k < drift.g.size(); k += interval) closed = std::max(closed, drift.g[k]);
    context.report(check_drift(
        quantity, "m, rad", drift.most(), "will not drift far", drift.most() < 0.5 * free.most() && closed < 1e-12,
        fmt::format("less than half of the free drift, and each projection closes the joint: {:.1e} "
                    "at most after one, to be below 1e-12",
                    closed)));
  }
}

Result<void> loops(const Context& context) {
  struct Loop {
    const char* name;
    std::string_view scene;
  };
  std::string table = fmt::format("{:<10} {:>20} {:>14} {:>14} {:>18}\n", "loop", "projection_interval", "max |g|",
                                  "|g| at 10 s", "energy change [J]");
  std::ofstream data(context.out / "drift.csv");
  data << "loop,projection_interval,t,g\n";
  std::vector<report::Plot> panels;
  for (const Loop& loop :
       {Loop{"four-bar", "anitescu1998/drift_four_bar.toml"}, Loop{"five-link", "anitescu1998/drift_five_link.toml"}}) {
    report::Plot& plot = panels.emplace_back();
    plot.title = fmt::format("{}: violation of the closing joint, h = 1 ms", loop.name);
    plot.x_label = "time [s]";
    plot.y_label = "|g| [m, rad]";
    plot.y_log = true;
    Drift free;
    for (const int interval : {0, 100, 1}) {
      const auto drift = simulate(loop.scene, interval);
      if (!drift) return failure(drift.error());
      if (interval == 0) free = *drift;
      table += fmt::format("{:<10} {:>20} {:14.3e} {:14.3e} {:18.6f}\n", loop.name, interval, drift->most(),
                           drift->g.back(), drift->energy_change);
      for (size_t k = 9; k < drift->t.size(); k += 10)
        data << fmt::format("{},{},{},{}\n", loop.name, interval, drift->t[k], drift->g[k]);
      const std::string name = interval == 0 ? "no projection" : fmt::format("every {}. step", interval);
      plot.series.push_back(envelope(interval == 1 ? "every step" : name, *drift, interval == 0 ? 20 : 10));
      report_drift(context, loop.name, interval, *drift, free);
    }
  }
  context.print_table(table);
  return report::write_svg(panels, context.out / "drift.svg");
}

// What the four-bar is after 2 s: where its links are, and what its joints leave.
struct Ended {
  std::vector<Vector3> center;
  Qualification qualification;
  double violation = 0, certificate = 0;
};

Result<Ended> end_of(std::string_view scene, std::string_view coordinates) {
  auto opened = open_example(
      scene, {"simulation.duration=2", fmt::format("method.anitescu-potra.coordinates=\"{}\"", coordinates)});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  Ended ended;
  ended.qualification = check_qualification(simulation.model(), simulation.state());
  const RunSummary summary = run(simulation);
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  ProjectionWorkspace observer(simulation.model());
  ended.violation = constraint_violation(simulation.model(), simulation.state(), observer);
  ended.certificate = summary.certificate.worst();
  for (const char* name : {"crank", "coupler", "rocker"}) {
    ended.center.push_back(simulation.kinematics().com_W[simulation.model().find_body(name)]);
  }
  return ended;
}

// Sets of rows that do not satisfy (16) and can be met: reported by name, and moving as the plain mechanism does.
Result<void> dependent_joints(const Context& context) {
  std::string table = fmt::format("{:<24} {:>5} {:>5} {:>12} {:>12} {:>16}  {}\n", "four-bar for 2 s", "rows", "rank",
                                  "|g|", "certificate", "distance [m]", "dependent rows");
  for (const char* coordinates : {"reduced", "maximal"}) {
    Ended plain;
    for (const bool doubled : {false, true}) {
      const auto ended =
          end_of(doubled ? "anitescu1998/drift_doubled.toml" : "anitescu1998/drift_four_bar.toml", coordinates);
      if (!ended) return failure(ended.error());
      if (!doubled) plain = *ended;
      double distance = 0;
      for (size_t k = 0; k < plain.center.size(); ++k)
        distance = std::max(distance, (ended->center[k] - plain.center[k]).norm());
      const Qualification& qualification = ended->qualification;
      std::string names;
      for (const DependentJoint& joint : qualification.dependent)
        names += fmt::format(" {} {}/{}", joint.name, joint.dependent, joint.rows);
      const std::string label = fmt::format("{}{}", coordinates, doubled ? ", joint twice" : "");
      table += fmt::format("{:<24} {:>5} {:>5} {:12.2e} {:12.2e} {:16.2e} {}\n", label, qualification.rows,
                           qualification.rank, ended->violation, ended->certificate, distance, names);
      // One degree of freedom is left of the tree's 3, or of three free bodies' 18.
      const int rank = std::string_view(coordinates) == "reduced" ? 2 : 17;
      const bool named = !doubled || qualification.dependent.back().name == "coupler_rocker_again";
      context.report(check_drift(
          fmt::format("{}: rank of the closing rows", label), "1", qualification.rank, {},
          qualification.rank == rank && named,
          fmt::format("freedom less one: {}; of {} rows; the later joint is named", rank, qualification.rows)));
      if (!doubled) continue;
      context.report(check_drift(fmt::format("{}: distance from the plain mechanism after 2 s", label), "m", distance,
                                 {}, distance < 1e-7 && ended->violation < 1e-12,
                                 "the same motion, to what the solver's tolerance 1e-12 grows to over 2000 steps"));
    }
  }
  context.print_table(table);
  return {};
}

// Joints that cannot all hold must be told of, by the step or by the run.
Result<void> contradiction(const Context& context) {
  for (const char* cone : {"general", "polyhedral"}) {
    auto opened =
        open_example("anitescu1998/drift_contradiction.toml", {fmt::format("method.anitescu-potra.cone=\"{}\"", cone)});
    if (!opened) return failure(opened.error());
    const RunSummary summary = run(*opened);
    if (!summary.ok) {
      const bool named = summary.failure.find("left_pin") != std::string::npos;
      context.report(check_drift(fmt::format("joints that contradict each other, {} cones: steps taken", cone), "1",
                                 static_cast<double>(summary.steps), {}, named && summary.steps == 0,
                                 "the first step fails, keeps the state, and names the joints"));
      continue;
    }
    const double open = summary.open_joints.empty() ? 0 : summary.open_joints.begin()->second;
    context.report(
        check_drift(fmt::format("joints that contradict each other, {} cones: opening told of", cone), "m", open, {},
                    open > 0.0099 && open < 0.0201 && summary.steps_over_tolerance == summary.steps,
                    "driven apart by 0.02 m in all; the run names a joint that is open by half to all of it, "
                    "counts it as a fallback, and every step is over the certificate's tolerance"));
  }
  return {};
}

}  // namespace

Result<void> drift(const Context& context) {
  for (const auto part : {loops, dependent_joints, contradiction}) {
    if (auto done = part(context); !done) return done;
  }
  return {};
}

}  // namespace stiction::papers::anitescu1998
