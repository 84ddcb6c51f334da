// Figures 8 and 9 of trinkle2003 and what lies around them; see closed_form.h for the exact motion.
//
// Readings (the printed text does not fix them): figure 9 shows the friction force in contact axes turned by pi/4 about
// z, while a friction direction (column 2 of D) points along -x; so the LCP here has a direction along -x, and the
// force is also printed in the turned axes. The rotation of the directions themselves by pi/4 is the example
// `directions`.
#include "papers/trinkle2003/trinkle2003.h"

#include <cmath>
#include <fstream>
#include <numbers>

#include <fmt/format.h>

#include "papers/trinkle2003/closed_form.h"
#include "stiction/methods/stewart_trinkle.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::papers::trinkle2003 {

namespace {

constexpr std::string_view paper = "trinkle2003";
constexpr double pi = std::numbers::pi;

// The sphere at the end of each step; row 0 is the start.
struct Trajectory {
  double h = 0;
  std::vector<double> t, x, y;
  std::vector<Vector3> v, omega, force;  // force[0] is unused
  double worst_certificate = 0;          // normal and momentum: those the polygon does not touch
};

Result<Trajectory> simulate(double h, double duration, int directions, double angle) {
  auto opened =
      open_example("trinkle2003/sphere.toml",
                   {fmt::format("simulation.step={:.17g}", h), fmt::format("simulation.duration={:.17g}", duration),
                    fmt::format("method.stewart-trinkle.friction_directions={}", directions),
                    fmt::format("method.stewart-trinkle.friction_angle={:.17g}", angle)});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  const int sphere = simulation.model().find_body("sphere");
  Trajectory trajectory;
  trajectory.h = h;
  std::vector<ContactReport> contacts;
  const auto sample = [&] {
    const Kinematics& kinematics = simulation.kinematics();
    trajectory.t.push_back(simulation.state().time);
    trajectory.x.push_back(kinematics.com_W[sphere].x());
    trajectory.y.push_back(kinematics.com_W[sphere].y());
    trajectory.v.push_back(kinematics.velocity[sphere].linear);
    trajectory.omega.push_back(kinematics.velocity[sphere].angular);
    simulation.contact_reports(contacts);
    Vector3 force = Vector3::Zero();
    for (const ContactReport& contact : contacts) force += contact.body_B == sphere ? contact.force : -contact.force;
    trajectory.force.push_back(force);
  };
  sample();
  const RunSummary summary = run(simulation, [&](const StepOutcome&) { sample(); });
  if (!summary.ok) return failure({.what = summary.failure, .remedy = "This is a defect: please report it."});
  trajectory.worst_certificate = std::max(summary.certificate.normal, summary.certificate.momentum);
  return trajectory;
}

std::vector<double> component(const std::vector<Vector3>& vectors, int k) {
  std::vector<double> values;
  for (const Vector3& v : vectors) values.push_back(v[k]);
  return values;
}

// The closed form sampled finely, for dashed curves.
struct Reference {
  std::vector<double> t, v_x, omega_y, force_x;
};

Reference reference(const ClosedForm& exact, double duration) {
  Reference curve;
  // Piecewise linear with a jump of the force: two points on either side of the transition draw it exactly.
  const double before = std::nextafter(exact.transition(), 0.0);
  for (const double t : {0.0, before, exact.transition(), duration}) {
    curve.t.push_back(t);
    curve.v_x.push_back(exact.v_x(t));
    curve.omega_y.push_back(exact.omega_y(t));
    curve.force_x.push_back(exact.force_x(t));
  }
  return curve;
}

// Largest difference of any of the six velocity components from the closed form over all steps.
double velocity_error(const ClosedForm& exact, const Trajectory& run) {
  double worst = 0;
  for (size_t k = 0; k < run.t.size(); ++k) {
    const Vector3 dv = run.v[k] - Vector3(exact.v_x(run.t[k]), 0, 0);
    const Vector3 dw = run.omega[k] - Vector3(0, exact.omega_y(run.t[k]), 0);
    worst = std::max({worst, dv.cwiseAbs().maxCoeff(), dw.cwiseAbs().maxCoeff()});
  }
  return worst;
}

double mean_force_error(const ClosedForm& exact, const Trajectory& run) {
  double worst = 0;
  for (size_t k = 1; k < run.t.size(); ++k) {
    const Vector3 want(exact.mean_force_x(run.t[k], run.h), 0, exact.mass * exact.g);
    worst = std::max(worst, (run.force[k] - want).cwiseAbs().maxCoeff());
  }
  return worst;
}

Finding check(std::string_view example, std::string quantity, std::string unit, double value,
              decltype(Finding::published) published, bool ok, std::string note) {
  return make_finding(paper, example, std::move(quantity), std::move(unit), value, std::move(published), ok,
                      std::move(note));
}

// (48): the entry of F between two opposite friction directions, as the method forms it for the first step.
Result<double> opposite_entry() {
  auto opened = open_example("trinkle2003/sphere.toml", {});
  if (!opened) return failure(opened.error());
  opened->step();
  const StepProblem& problem = opened->last_step().problem;
  contact::Islands islands;
  islands.update(problem);
  StepAnswer answer{problem.v_free, VectorX::Zero(problem.row_count)};
  methods::StewartTrinkle method({.friction_directions = 4}, 1);
  const contact::ContactMemory nothing;
  method.begin(problem,
               {opened->model(), opened->state(), opened->kinematics(), opened->last_step().contacts, nothing});
  method.solve_island(problem, islands[0], 0, answer);
  const methods::StewartTrinkleLcp& lcp = method.lcp(0);
  // z = [p_n; beta along +x, +y, -x, -y; sigma]: rows 1 and 3 are opposite.
  return lcp.F[static_cast<size_t>(3) * lcp.n + 1];
}

}  // namespace

Result<void> sphere(const Context& context) {
  const ClosedForm exact;
  const auto result = simulate(0.12, 0.6, 4, 0);
  if (!result) return failure(result.error());
  const Trajectory& run = *result;

  std::string table = fmt::format("{:>6} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n", "t [s]", "v_x [m/s]",
                                  "exact", "w_y [rad/s]", "exact", "f_x [N]", "exact mean", "f_z [N]");
  std::ofstream data(context.out / "sphere.csv");
  data << "t,v_x,v_y,v_z,omega_x,omega_y,omega_z,force_x,force_y,force_z,c_t,c_o\n";
  for (size_t k = 0; k < run.t.size(); ++k) {
    const double t = run.t[k];
    table += fmt::format("{:6.2f} {:12.8f} {:12.8f} {:12.8f} {:12.8f} {:12.8f} {:12.8f} {:12.8f}\n", t, run.v[k].x(),
                         exact.v_x(t), run.omega[k].y(), exact.omega_y(t), run.force[k].x(),
                         k == 0 ? 0.0 : exact.mean_force_x(t, run.h), run.force[k].z());
    const double c_t = (run.force[k].x() + run.force[k].y()) / std::sqrt(2.0);
    const double c_o = (run.force[k].y() - run.force[k].x()) / std::sqrt(2.0);
    data << fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", t, run.v[k].x(), run.v[k].y(), run.v[k].z(),
                        run.omega[k].x(), run.omega[k].y(), run.omega[k].z(), run.force[k].x(), run.force[k].y(),
                        run.force[k].z(), c_t, c_o);
  }
  context.print_table(table);

  const double error = velocity_error(exact, run);
  context.report(check("sphere", "velocities, largest error over all five steps", "m/s", error,
                       "matched the exact velocities", error < 1e-12,
                       "closed form to 1e-12: both ends of a step are exact"));
  const double force = mean_force_error(exact, run);
  context.report(check("sphere", "step-averaged contact force, largest error", "N", force, "figure 9", force < 1e-10,
                       "mean of the exact force over each step, to 1e-12 of an impulse over h = 0.12"));
  context.report(check("sphere", "transition from sliding to rolling", "s", exact.transition(), 0.291,
                       std::abs(exact.transition() - 0.291) < 5e-4, "2 v0 / (7 mu g), printed with three digits"));
  // The step in which friction first stays below its bound must contain the transition.
  size_t first_rolling = 1;
  while (first_rolling < run.t.size() && run.force[first_rolling].x() < -exact.mu * exact.mass * exact.g * (1 - 1e-9))
    ++first_rolling;
  const double begin = run.t[first_rolling - 1];
  context.report(check("sphere", "start of the step that ends rolling", "s", begin, "transition at 0.291",
                       begin <= exact.transition() && exact.transition() <= begin + run.h,
                       "the transition lies within this step"));
  const double omega = run.omega.back().y();
  context.report(check("sphere", "angular velocity when rolling", "rad/s", omega, 1.429,
                       std::abs(omega - 5.0 * exact.v0 / 7) < 1e-12, "5 v0 / 7 to 1e-12; the paper prints 1.429"));
  const double c_t = (run.force[1].x() + run.force[1].y()) / std::sqrt(2.0);
  context.report(check("sphere", "c_t of figure 9 while sliding", "N", c_t, {},
                       std::abs(std::abs(c_t) - 1.962 / std::sqrt(2.0)) < 1e-10,
                       "friction -mu m g along x seen in axes turned by pi/4: both c_t and c_o are nonzero"));

  const auto opposite = opposite_entry();
  if (!opposite) return failure(opposite.error());
  Finding printed = check("sphere", "F of (48) between opposite friction directions", "1/kg", *opposite, 3.5, false,
                          "the printed matrix has +3.5; d_j = -d_k makes it -3.5 (and a row is missing in print)");
  printed.papers_own_fault = std::abs(*opposite + 3.5) < 1e-12;
  context.report(printed);

  const Reference curve = reference(exact, 0.6);
  report::Plot velocities;
  velocities.title = "Sphere on a plane, h = 0.12 s: velocities (figure 8)";
  velocities.x_label = "time [s]";
  velocities.y_label = "velocity [m/s], angular velocity [rad/s]";
  velocities.series = {
      report::dashed_line("v_x exact", curve.t, curve.v_x),
      report::dashed_line("omega_y exact", curve.t, curve.omega_y), report::markers("v_x", run.t, component(run.v, 0)),
      report::markers("omega_y", run.t, component(run.omega, 1)), report::markers("v_y", run.t, component(run.v, 1))};
  if (auto written = report::write_svg(velocities, context.out / "figure8_velocities.svg"); !written) return written;

  report::Plot forces;
  forces.title = "Sphere on a plane, h = 0.12 s: friction force (figure 9)";
  forces.x_label = "time [s]";
  forces.y_label = "force [N]";
  std::vector<double> c_t_exact, c_t_steps, c_o_steps;
  for (const double f : curve.force_x) c_t_exact.push_back(f / std::sqrt(2.0));
  for (const Vector3& f : run.force) {
    c_t_steps.push_back((f.x() + f.y()) / std::sqrt(2.0));
    c_o_steps.push_back((f.y() - f.x()) / std::sqrt(2.0));
  }
  c_t_steps.front() = c_t_steps[1];
  c_o_steps.front() = c_o_steps[1];
  std::vector<double> c_o_exact;
  for (const double f : c_t_exact) c_o_exact.push_back(-f);
  forces.series = {report::dashed_line("c_t exact", curve.t, c_t_exact),
                   report::dashed_line("c_o exact", curve.t, c_o_exact), report::step_line("c_t", run.t, c_t_steps),
                   report::step_line("c_o", run.t, c_o_steps)};
  return report::write_svg(forces, context.out / "figure9_forces.svg");
}

Result<void> directions(const Context& context) {
  const ClosedForm exact;
  struct Case {
    int directions;
    double angle;
    const char* what;
  };
  const std::vector<Case> cases = {{4, 0, "one along the slip"},
                                   {4, pi / 4, "turned by pi/4"},
                                   {8, pi / 8, "slip between two"},
                                   {16, pi / 16, "slip between two"},
                                   {64, pi / 64, "slip between two"}};
  std::string table = fmt::format("{:>10}  {:<20} {:>14} {:>14} {:>14} {:>14} {:>14}\n", "directions", "",
                                  "friction/mu mg", "slides until", "v_x end [m/s]", "y end [m]", "max v error");
  report::Plot plot;
  plot.title = "The friction circle as a polygon: sliding velocity at h = 0.01 s";
  plot.x_label = "time [s]";
  plot.y_label = "v_x [m/s]";
  const Reference curve = reference(exact, 0.6);
  plot.series.push_back(report::dashed_line("exact", curve.t, curve.v_x));
  for (const Case& c : cases) {
    const auto result = simulate(0.01, 0.6, c.directions, c.angle);
    if (!result) return failure(result.error());
    const Trajectory& run = *result;
    const double ratio = -run.force[1].x() / (exact.mu * exact.mass * exact.g);
    // The polygon's support along the slip: its vertex when aligned, cos(pi/n) of it between two vertices.
    const double expected = c.angle == 0 ? 1.0 : std::cos(pi / c.directions);
    const double slides_until = exact.transition() / expected;
    table += fmt::format("{:>10}  {:<20} {:14.9f} {:14.6f} {:14.9f} {:14.3e} {:14.3e}\n", c.directions, c.what, ratio,
                         slides_until, run.v.back().x(), run.y.back(), velocity_error(exact, run));
    context.report(check("directions", fmt::format("{} directions, {}: friction over mu m g", c.directions, c.what),
                         "1", ratio, {}, std::abs(ratio - expected) < 1e-10,
                         "support of the polygon along the slip: 1 or cos(pi/n), to 1e-10"));
    const bool rolls = slides_until < 0.6;
    const double end = exact.v0 - (rolls ? 2.0 / 7.0 * exact.v0 : expected * exact.mu * exact.g * 0.6);
    context.report(check("directions", fmt::format("{} directions, {}: v_x at 0.6 s", c.directions, c.what), "m/s",
                         run.v.back().x(), {}, std::abs(run.v.back().x() - end) < 1e-10,
                         "rolling at 5 v0 / 7 is the same for every polygon"));
    plot.series.push_back(
        report::line(fmt::format("{} directions, {}", c.directions, c.what), run.t, component(run.v, 0)));
  }
  context.print_table(table);
  return report::write_svg(plot, context.out / "directions.svg");
}

Result<void> refinement(const Context& context) {
  const ClosedForm exact;
  std::string table = fmt::format("{:>10} {:>14} {:>8} {:>18} {:>8} {:>20} {:>14}\n", "h [s]", "x error [m]", "order",
                                  "force L1 [N s]", "order", "mean force max [N]", "v max [m/s]");
  std::vector<double> steps, position_errors, force_errors;
  double worst_velocity = 0, worst_mean = 0;
  for (int level = 0; level <= 7; ++level) {
    const double h = 0.12 / (1 << level);
    const auto result = simulate(h, 0.6, 4, 0);
    if (!result) return failure(result.error());
    const Trajectory& run = *result;
    double position = 0, force = 0;
    for (size_t k = 1; k < run.t.size(); ++k) {
      position = std::max(position, std::abs(run.x[k] - exact.x(run.t[k])));
      force += exact.force_error(run.force[k].x(), run.t[k], h);
    }
    const auto order = [&](const std::vector<double>& errors, double error) {
      return errors.empty() ? std::string("-") : fmt::format("{:.3f}", std::log2(errors.back() / error));
    };
    worst_velocity = std::max(worst_velocity, velocity_error(exact, run));
    worst_mean = std::max(worst_mean, mean_force_error(exact, run));
    table += fmt::format("{:10.6f} {:14.6e} {:>8} {:18.6e} {:>8} {:20.3e} {:14.3e}\n", h, position,
                         order(position_errors, position), force, order(force_errors, force),
                         mean_force_error(exact, run), velocity_error(exact, run));
    steps.push_back(h);
    position_errors.push_back(position);
    force_errors.push_back(force);
  }
  context.print_table(table);
  const auto mean_order = [&](const std::vector<double>& errors) {
    return std::log2(errors.front() / errors.back()) / static_cast<double>(errors.size() - 1);
  };
  const double position_order = mean_order(position_errors), force_order = mean_order(force_errors);
  context.report(check("refinement", "observed order of positions", "1", position_order,
                       "converges to the exact solution", position_order > 0.9 && position_order < 1.2,
                       "mean over seven halvings; end-of-step velocities make it one"));
  context.report(
      check("refinement", "observed order of forces in the mean over time", "1", force_order, {},
            force_order > 0.6 && force_order < 1.5,
            "integral of |force - exact|: only the step with the transition errs, by a part of h that jumps from "
            "refinement to refinement, so the order is one on average"));
  context.report(check("refinement", "step-averaged forces, largest error at any h", "N", worst_mean, {},
                       worst_mean < 1e-9, "exact at every h: rounding of an impulse divided by h, 1e-12 / 1e-3"));
  context.report(check("refinement", "velocities, largest error at any h", "m/s", worst_velocity, {},
                       worst_velocity < 1e-12, "exact at every h, to 1e-12"));
  report::Plot plot;
  plot.title = "Errors against the step";
  plot.x_label = "h [s]";
  plot.y_label = "error";
  plot.x_log = plot.y_log = true;
  std::vector<double> slope;
  for (const double h : steps) slope.push_back(position_errors.front() * h / steps.front());
  plot.series = {report::markers("position [m]", steps, position_errors),
                 report::markers("force, L1 in time [N s]", steps, force_errors),
                 report::dashed_line("order 1", steps, slope)};
  return report::write_svg(plot, context.out / "refinement.svg");
}

}  // namespace stiction::papers::trinkle2003
