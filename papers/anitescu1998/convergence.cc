// What the paper's section 1 says of the limit h -> 0, on motions with a closed form (exact_motion.h): positions
// converge uniformly, velocities pointwise wherever the limit does not jump (and so in the mean), impulses as measures.
//
// As functions of time: q^h is linear in a step, v^h is v^(l+1) over the whole step, the impulse of a step is spread
// evenly over it. The impulse is taken from the balance of momentum, since a step that is cut at an impact has several
// answers; where no step is cut, it is compared with the contacts' forces.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "papers/anitescu1998/error_table.h"
#include "papers/anitescu1998/exact_motion.h"
#include "papers/anitescu1998/painleve_convergence.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr int levels = 8;           // seven halvings
constexpr int fixed_times = 64;     // where velocities are compared, the same for all steps
constexpr double away = 0.04;       // s: "away from jumps"
constexpr double rounding = 1e-11;  // m, m/s, N s: 1e4 steps of 1e-15
constexpr double g = 9.81;

struct Run {
  double h = 0;
  std::vector<double> t;
  std::vector<Vector3> q, v;
  std::vector<Vector2> impulse;  // since the start
  double contact_error = 0;      // N s: contacts' forces times h against the balance of momentum
};

void sample(Simulation& simulation, int body, double height, Run& result) {
  const Kinematics& kinematics = simulation.kinematics();
  const Matrix3& R = kinematics.X_WB[body].R;
  const Vector3 &p = kinematics.com_W[body], &v = kinematics.velocity[body].linear;
  result.t.push_back(simulation.state().time);
  result.q.emplace_back(p.x(), p.z() - height, std::atan2(R(0, 2), R(0, 0)));
  result.v.emplace_back(v.x(), v.z(), kinematics.velocity[body].angular.y());
  result.impulse.emplace_back(v.x() - result.v.front().x(), v.z() + g * result.t.back());
}

Result<Run> simulate(const ExactMotion& motion, double h, bool continuous) {
  auto opened = open_example(motion.scene(), {fmt::format("simulation.step={:.17g}", h),
                                              fmt::format("method.anitescu-potra.continuous={}", continuous)});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  const int body = simulation.model().find_body("moving");
  Run result;
  result.h = h;
  sample(simulation, body, motion.rest_height(), result);
  std::vector<ContactReport> contacts;
  Vector2 from_contacts = Vector2::Zero();
  const RunSummary summary = run(simulation, [&](const StepOutcome&) {
    sample(simulation, body, motion.rest_height(), result);
    simulation.contact_reports(contacts);
    for (const ContactReport& contact : contacts) {
      const Vector3 force = contact.body_B == body ? contact.force : Vector3(-contact.force);
      from_contacts += h * Vector2(force.x(), force.z());
    }
    result.contact_error = std::max(result.contact_error, (from_contacts - result.impulse.back()).norm());
  });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  return result;
}

bool near_jump(const std::vector<double>& jumps, double t) {
  return std::any_of(jumps.begin(), jumps.end(), [&](double jump) { return std::abs(t - jump) < away; });
}

struct Errors {
  double position = 0, velocity = 0, velocity_mean = 0, impulse = 0, impulse_test = 0;
};

// At the same times for every h, spread over the run by the golden ratio.
double velocity_at_fixed_times(const ExactMotion& motion, const Run& run, const std::vector<double>& jumps) {
  double worst = 0;
  for (int k = 1; k <= fixed_times; ++k) {
    const double t = motion.duration() * std::fmod(k / std::numbers::phi, 1.0);
    if (near_jump(jumps, t)) continue;
    const size_t step = std::min(static_cast<size_t>(t / run.h) + 1, run.v.size() - 1);
    worst = std::max(worst, (run.v[step] - motion.v(t)).norm());
  }
  return worst;
}

Errors compare(const ExactMotion& motion, const Run& run) {
  constexpr int parts = 6;  // of a step, by the midpoint rule
  const std::vector<double> jumps = motion.jumps();
  Errors errors;
  Vector2 test = Vector2::Zero();
  for (size_t k = 1; k < run.t.size(); ++k) {
    for (int part = 0; part < parts; ++part) {
      const double share = (part + 0.5) / parts, t = run.t[k - 1] + share * run.h;
      const Vector3 q = (1 - share) * run.q[k - 1] + share * run.q[k];
      const Vector2 impulse = (1 - share) * run.impulse[k - 1] + share * run.impulse[k];
      errors.position = std::max(errors.position, (q - motion.q(t)).norm());
      errors.velocity_mean += run.h / parts * (run.v[k] - motion.v(t)).norm();
      if (near_jump(jumps, t)) continue;
      errors.impulse = std::max(errors.impulse, (impulse - motion.impulse(t)).norm());
    }
    test += (run.impulse[k] - run.impulse[k - 1]) * (std::sin(3 * run.t[k]) - std::sin(3 * run.t[k - 1])) / (3 * run.h);
  }
  errors.velocity = velocity_at_fixed_times(motion, run, jumps);
  errors.impulse_test = (test - motion.impulse_against_cosine()).norm();
  return errors;
}

constexpr FindingMaker check_convergence{"anitescu1998", "convergence"};

void report_columns(const Context& context, const std::string& name, const ErrorTable& table) {
  for (const ErrorColumn& column : table.columns) {
    const double order = column.order(table.h);
    context.report(check_convergence(
        fmt::format("{}: observed order, {}", name, column.name), "1", order, "converges as h -> 0", order > 0.85,
        fmt::format("first order or better: at least 1 - 0.15, least squares over seven halvings from "
                    "h = 1/{:.0f} s",
                    1 / table.h.front())));
  }
}

Result<void> plot_ball(const Context& context, const ExactMotion& motion, const std::vector<Run>& runs,
                       const std::string& name) {
  report::Plot height, impulse;
  height.title = fmt::format("{}: gap", name);
  height.y_label = "gap [m]";
  impulse.title = "Impulse since the start";
  impulse.y_label = "impulse [N s]";
  height.x_label = impulse.x_label = "time [s]";
  const auto add = [&](const std::string& label, bool exact, const auto& t, const auto& gap, const auto& p) {
    const auto make = exact ? report::dashed_line : report::line;
    height.series.push_back(make(label, t, gap));
    impulse.series.push_back(make(label, t, p));
  };
  std::vector<double> t, z, p;
  for (int k = 0; k <= 2000; ++k) {
    t.push_back(k * motion.duration() / 2000);
    z.push_back(motion.q(t.back()).y()), p.push_back(motion.impulse(t.back()).y());
  }
  add("exact", true, t, z, p);
  for (const size_t level : {0, 2, 4}) {
    z.clear(), p.clear();
    for (const Vector3& q : runs[level].q) z.push_back(q.y());
    for (const Vector2& sum : runs[level].impulse) p.push_back(sum.y());
    add(fmt::format("h = 1/{:.0f} s", 1 / runs[level].h), false, runs[level].t, z, p);
  }
  const std::vector<report::Plot> panels = {height, impulse};
  std::string file = name;
  std::replace(file.begin(), file.end(), ' ', '_');
  return report::write_svg(panels, context.out / fmt::format("convergence_{}_motion.svg", file));
}

Result<void> study(const Context& context, ExactMotion::Kind kind, bool continuous) {
  const ExactMotion motion(kind);
  const std::string name = motion.name() + (continuous ? " continuous" : " trigger");
  ErrorTable table;
  table.columns = {{"q, uniformly", {}, rounding},
                   {"v, at fixed times", {}, rounding},
                   {"v, integral of error", {}, rounding},
                   {"impulse, away from jumps", {}, rounding},
                   {"impulse, against cos 3t", {}, rounding}};
  std::vector<Run> runs;
  double contact_error = 0;
  for (int level = 0; level < levels; ++level) {
    auto result = simulate(motion, motion.coarsest_step() / (1 << level), continuous);
    if (!result) return failure(result.error());
    const Errors errors = compare(motion, *result);
    table.h.push_back(result->h);
    const double values[] = {errors.position, errors.velocity, errors.velocity_mean, errors.impulse,
                             errors.impulse_test};
    for (size_t k = 0; k < table.columns.size(); ++k) table.columns[k].error.push_back(values[k]);
    contact_error = std::max(contact_error, result->contact_error);
    runs.push_back(std::move(*result));
  }
  context.print_table(table.text(name + " (SI units)"));
  report_columns(context, name, table);
  if (kind != ExactMotion::Kind::ball) {
    context.report(check_convergence(name + ": contacts' impulses against the balance of momentum", "N s",
                                     contact_error, {}, contact_error < rounding,
                                     "the same to rounding, at all times and steps"));
  } else if (auto written = plot_ball(context, motion, runs, name); !written) {
    return written;
  }
  std::string file = name;
  std::replace(file.begin(), file.end(), ' ', '_');
  return table.write(name + ": errors against the step (SI units)", context.out / ("convergence_" + file));
}

}  // namespace

Result<void> convergence(const Context& context) {
  using Kind = ExactMotion::Kind;
  for (const auto& [kind, continuous] : {std::pair(Kind::block, true), std::pair(Kind::ball, true),
                                         std::pair(Kind::ball, false), std::pair(Kind::sphere, true)}) {
    if (auto done = study(context, kind, continuous); !done) return done;
  }
  return {};
}

}  // namespace stiction::papers::anitescu1998
