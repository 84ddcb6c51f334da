// Section 5 of the paper: the coordinates of orientations may be chosen, v stays the physical velocity, and the limit
// is the same. A tumbling box in the four representations, each beside the exponential map at the same step.
//
// In free flight a step with quaternions or matrices turns about the right axis by an angle wrong in h^3, one with
// Euler angles or Rodrigues vectors errs in h^2 (math/representation.h): off the exponential map by h^2 and h.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "papers/anitescu1998/error_table.h"
#include "papers/anitescu1998/painleve_convergence.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr std::array<const char*, 4> compared = {"quaternion", "matrix", "euler", "rodrigues"};
constexpr int levels = 7;                // steps of 4e-3 s halved six times
constexpr double coarsest = 4e-3;        // s
constexpr double after_impact = 0.1;     // s
constexpr double half_diagonal = 0.187;  // m: turns an angle into the motion of a corner
constexpr double margin = 0.02;          // s before the impact: where "free flight" ends at every step

struct Run {
  double h = 0, first_contact = -1;  // s, end of the step that first had a contact
  double second_impact = -1;         // s, end of the step with the largest jump after first_contact + after_impact
  double jump = 0;                   // m/s: that jump, for a corner at most
  std::vector<double> t;
  std::vector<Pose> pose;
  std::vector<Twist> v;
};

Result<Run> simulate(std::string_view representation, double h, double duration) {
  auto opened =
      open_example("anitescu1998/tumbling_box.toml",
                   {fmt::format("simulation.step={:.17g}", h), fmt::format("simulation.duration={:.17g}", duration),
                    fmt::format("method.anitescu-potra.representation=\"{}\"", representation)});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  const int body = simulation.model().find_body("box");
  Run result;
  result.h = h;
  const auto sample = [&] {
    result.t.push_back(simulation.state().time);
    result.pose.push_back({simulation.kinematics().X_WB[body].R, simulation.kinematics().com_W[body]});
    result.v.push_back(simulation.kinematics().velocity[body]);
  };
  sample();
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    sample();
    if (result.first_contact < 0 && !simulation.last_step().contacts.empty()) result.first_contact = result.t.back();
    if (result.first_contact < 0 || result.t.back() < result.first_contact + after_impact) return;
    const Twist &now = result.v.back(), &before = result.v[result.v.size() - 2];
    const double jump = (now.linear - before.linear).norm() + half_diagonal * (now.angular - before.angular).norm();
    if (jump > result.jump) result.jump = jump, result.second_impact = result.t.back();
  });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  return result;
}

// Of a corner at most: how far two poses are apart [m].
double distance(const Pose& a, const Pose& b) {
  const double turned = Eigen::AngleAxisd(Matrix3(a.R.transpose() * b.R)).angle();
  return (a.p - b.p).norm() + half_diagonal * std::abs(turned);
}

double largest_distance(const Run& a, const Run& b, double until) {
  double worst = 0;
  for (size_t k = 0; k < a.t.size() && a.t[k] <= until; ++k) worst = std::max(worst, distance(a.pose[k], b.pose[k]));
  return worst;
}

constexpr FindingMaker check_representations{"anitescu1998", "representations"};

// A step from a singular orientation: refused in words, and the state stays.
Result<void> report_pole(const Context& context) {
  for (const char* representation : compared) {
    auto opened = open_example("anitescu1998/pole.toml",
                               {fmt::format("method.anitescu-potra.representation=\"{}\"", representation)});
    if (!opened) return failure(opened.error());
    const RunSummary summary = run(*opened);
    const bool euler = std::string_view(representation) == "euler";
    const bool named = summary.failure.find("Euler angles of body [box] are singular") != std::string::npos;
    context.report(check_representations(
        fmt::format("through pitch = 90 degrees at 0.1 s, {}: reaches", representation), "s", summary.time, {},
        euler ? !summary.ok && named && std::abs(summary.time - 0.1) < 1e-9
              : summary.ok && std::abs(summary.time - 0.2) < 1e-9,
        euler ? "stops there and says: " + summary.failure : "goes on to the end, 0.2 s"));
    if (!euler) continue;
    const State before = opened->state();
    const StepOutcome outcome = opened->step();
    const State& after = opened->state();
    const double change =
        (after.q - before.q).norm() + (after.v - before.v).norm() + std::abs(after.time - before.time);
    context.report(check_representations("state after the refused step, change", "1", change, {},
                                         !outcome.ok && change == 0.0, "untouched, bit for bit"));
  }
  return {};
}

// An impact that is resolved up to h early or late moves all that follows by h times its jump; twice that holds what
// the time until the end adds.
void report_second_impact(const Context& context, const Run& scout, const ErrorTable& table) {
  context.report(check_representations("second corner's impact", "s", scout.second_impact, {},
                                       scout.second_impact > scout.first_contact + after_impact,
                                       "0.1 s after the first or later"));
  for (const ErrorColumn& column : table.columns) {
    double worst = 0;
    for (size_t k = 0; k < table.h.size(); ++k) worst = std::max(worst, column.error[k] / table.h[k]);
    context.report(check_representations(
        fmt::format("past the second impact, {} beside exponential: largest distance over h", column.name), "m/s",
        worst, "the limit does not depend on the coordinates", worst < 2 * scout.jump,
        fmt::format("first order as a bound, 2 x the jump {:.3g} m/s at every h: the second corner is "
                    "resolved up to h early when the first one touches, in time when it does not",
                    scout.jump)));
  }
}

void report_orders(const Context& context, const std::string& phase, const ErrorTable& table) {
  for (const ErrorColumn& column : table.columns) {
    const double order = column.order(table.h);
    context.report(check_representations(fmt::format("{}, {} beside exponential: observed order", phase, column.name),
                                         "1", order, "the limit does not depend on the coordinates", order > 0.85,
                                         "at least 1 - 0.15 over six halvings; quaternion and matrix may reach 2"));
  }
}

Result<void> plot_heights(const Context& context, const std::vector<Run>& coarse) {
  report::Plot plot;
  plot.title = fmt::format("The box's height at h = {} s", coarse.front().h);
  plot.x_label = "time [s]";
  plot.y_label = "z [m]";
  std::ofstream data(context.out / "representations_motion.csv");
  data << fmt::format("t,exponential,{}\n", fmt::join(compared, ","));
  for (size_t r = 0; r < coarse.size(); ++r) {
    std::vector<double> z;
    for (const Pose& pose : coarse[r].pose) z.push_back(pose.p.z());
    plot.series.push_back(report::line(r == 0 ? "exponential" : compared[r - 1], coarse[r].t, z));
  }
  for (size_t k = 0; k < coarse.front().t.size(); ++k) {
    data << fmt::format("{}", coarse.front().t[k]);
    for (const Run& run : coarse) data << fmt::format(",{}", run.pose[k].p.z());
    data << "\n";
  }
  return report::write_svg(plot, context.out / "representations_motion.svg");
}

}  // namespace

Result<void> representations(const Context& context) {
  const auto scout = simulate("exponential", coarsest / 256, 0.4);
  if (!scout) return failure(scout.error());
  const double impact = scout->first_contact;
  const double middle = impact + after_impact;
  const double end = coarsest * std::round((scout->second_impact + 0.02) / coarsest);
  context.report(check_representations("first impact", "s", impact, {}, impact > 0,
                                       "exponential map, at a 256th of the coarsest step"));

  ErrorTable flight, contact, second;
  for (const char* name : compared) {
    flight.columns.push_back({name, {}});
    contact.columns.push_back({name, {}});
    second.columns.push_back({name, {}});
  }
  std::vector<Run> coarse;
  for (int level = 0; level < levels; ++level) {
    const double h = coarsest / (1 << level);
    auto reference = simulate("exponential", h, end);
    if (!reference) return failure(reference.error());
    flight.h.push_back(h);
    contact.h.push_back(h);
    second.h.push_back(h);
    if (level == 0) coarse.push_back(*reference);
    for (size_t r = 0; r < compared.size(); ++r) {
      auto result = simulate(compared[r], h, end);
      if (!result) return failure(result.error());
      flight.columns[r].error.push_back(largest_distance(*reference, *result, impact - margin));
      contact.columns[r].error.push_back(largest_distance(*reference, *result, middle));
      second.columns[r].error.push_back(largest_distance(*reference, *result, end));
      if (level == 0) coarse.push_back(std::move(*result));
    }
  }
  context.print_table(flight.text("Free flight: largest distance from the exponential map's motion [m]"));
  context.print_table(contact.text("Until 0.1 s after the impact: the same [m]"));
  context.print_table(second.text("Past the second corner's impact: the same [m]"));
  report_orders(context, "free flight", flight);
  report_orders(context, "until 0.1 s after the impact", contact);
  report_second_impact(context, *scout, second);
  if (auto done = report_pole(context); !done) return done;
  if (auto written = flight.write("Free flight: distance from the exponential map's motion [m]",
                                  context.out / "representations_flight");
      !written)
    return written;
  if (auto written = contact.write("Until 0.1 s after the impact: distance from the exponential map's motion [m]",
                                   context.out / "representations_contact");
      !written)
    return written;
  if (auto written = second.write("Past the second corner's impact: distance from the exponential map's motion [m]",
                                  context.out / "representations_second_corner");
      !written)
    return written;
  return plot_heights(context, coarse);
}

}  // namespace stiction::papers::anitescu1998
