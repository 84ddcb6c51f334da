// The wedge of section 3.1: a sum of friction cones that is not closed, what that does to impulses, and what a
// simulation says of it. The component that grows is the one across the groove, y of (24)-(26).
#include <array>
#include <fstream>

#include <fmt/format.h>

#include "papers/anitescu1998/anitescu1998.h"
#include "papers/anitescu1998/wedge_cones.h"
#include "stiction/certify/cone_residual.h"
#include "stiction/report/svg/svg_plot.h"
#include "stiction/solvers/cone/general_cone.h"
#include "stiction/solvers/cone/pointedness.h"

namespace stiction::papers::anitescu1998 {

namespace {

constexpr FindingMaker check_wedge{"anitescu1998", "wedge"};

FrictionCone round_cone(double mu) {
  return *make_ellipsoid_cone(std::array{mu, mu});
}

// One load.
struct Row {
  double n = 0, least = 0, bound = 0;
  double jammed = 0, residual = 0;  // pressure of the answer of (22) that Newton's method finds near the least one
};

Row examine(double n, const FrictionCone& cone) {
  Row row{.n = n, .least = least_pressure(n), .bound = pressure_bound(n)};
  const ConeProblem problem = loaded_wedge(cone, n);
  const MatrixX J = wedge_rows();
  const Vector3 half = wedge_load(n) / 2, press = 1.1 * row.least * Vector3::UnitY();
  std::vector<double> r(6);
  Eigen::Map<VectorX>(r.data(), 3) = J.topRows(3) * (half - press);
  Eigen::Map<VectorX>(r.data() + 3, 3) = J.bottomRows(3) * (half + press);
  r[3] += 1e-3;  // near an answer, but not one
  solvers::GeneralConeWorkspace workspace;
  solvers::solve_general_cone(problem, {.warm_start = true}, workspace, r);
  row.jammed = -(J.topRows(3).transpose() * Eigen::Map<const VectorX>(r.data(), 3)).y();
  row.residual = certify::cone_residual(problem, r).worst();
  return row;
}

Result<void> loads(const Context& context) {
  const FrictionCone cone = round_cone(1);
  std::string table = fmt::format("{:>5} {:>18} {:>18} {:>18} {:>12} {:>10}\n", "n", "least across", "lower bound",
                                  "paper's (25): n", "(22) jammed", "residual");
  std::ofstream data(context.out / "wedge.csv");
  data << "n,least_impulse_across,lower_bound,jammed_answer,residual\n";
  std::vector<double> ns, least, papers;
  double worst = 0, residual = 0, short_of = 0;
  for (double n = 1; n <= 64; n *= 2) {
    const Row row = examine(n, cone);
    table += fmt::format("{:5g} {:18.12f} {:18.12f} {:18.12f} {:12.6f} {:10.1e}\n", n, row.least, row.bound, n,
                         row.jammed, row.residual);
    data << fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g}\n", n, row.least, row.bound, row.jammed, row.residual);
    ns.push_back(n), least.push_back(row.least), papers.push_back(n);
    worst = std::max({worst, std::abs(row.least / (n / 2) - 1), std::abs(row.bound / (n / 2) - 1)});
    residual = std::max(residual, row.residual);
    short_of = std::max(short_of, 1 - row.jammed / row.least);
  }
  context.print_table(table);
  const double slope = observed_order(ns, least);
  context.report(
      check_wedge("least impulse across the groove over n/2, largest difference from 1", "1", worst,
                  "(1, n, 1/2n) and (0, -n, 0)", worst < 1e-9,
                  "bisection and dual bound, n = 1 .. 64; the paper's own pair needs n, half the load on each wall "
                  "n/2; rounding of the cones times n^2 is 1e-12"));
  context.report(check_wedge("slope of log(least impulse) over log(n)", "1", slope, {}, std::abs(slope - 1) < 1e-9,
                             "grows without bound: the load (1, 0, 0) itself is not carried, (26)"));
  context.report(check_wedge("jammed answers of (22) near the least one, worst residual", "1", residual, {},
                             residual < 1e-10, "certified apart from the solver"));
  context.report(check_wedge("how far a jammed answer falls short of the least impulse, relative", "1", short_of, {},
                             short_of < 1e-9, "no answer that holds the particle has less"));
  report::Plot plot;
  plot.title = "Impulse across the groove that carries (1, 0, 1/(2n)), friction 1";
  plot.x_label = "n";
  plot.y_label = "impulse across the groove [N s]";
  plot.x_log = plot.y_log = true;
  std::vector<double> half;
  for (const double n : ns) half.push_back(n / 2);
  plot.series = {report::markers("least", ns, least), report::dashed_line("n/2", ns, half),
                 report::dashed_line("n: the paper's pair", ns, papers)};
  return report::write_svg(plot, context.out / "wedge.svg");
}

void pointedness(const Context& context) {
  using solvers::Pointedness;
  const MatrixX J = wedge_rows();
  const FrictionCone one = round_cone(1), less = round_cone(0.9);
  const auto lost = solvers::check_pointedness(J, {{0, &one}, {3, &one}}, 1e-7);
  double along_y = 0;
  if (lost.verdict == Pointedness::not_pointed) {
    along_y = (J.topRows(3).transpose() * lost.self_stress.head(3)).normalized().y();
  }
  context.report(check_wedge("friction 1: length of the total impulse of the witness", "N s", lost.distance,
                             "not pointed", lost.verdict == Pointedness::not_pointed && lost.distance < 1e-7,
                             "impulses in both cones, normal parts adding up to 1, that balance each other to 1e-7"));
  context.report(check_wedge("friction 1: share of wall 1's part of it across the groove", "1", along_y, -1.0,
                             std::abs(along_y + 1) < 1e-6, "(0, -n, 0) of the paper; the angle is the root of 1e-7"));
  const auto kept = solvers::check_pointedness(J, {{0, &less}, {3, &less}});
  const double exact = 0.1 / std::sqrt(2);
  context.report(check_wedge(
      "friction 0.9: margin of pointedness", "1", kept.margin, {},
      kept.verdict == Pointedness::pointed && kept.margin <= exact * (1 + 1e-12) && kept.margin > 0.99 * exact,
      "(1 - 0.9) / sqrt 2, proved by a velocity that separates both contacts; a lower bound"));
}

// A run from rest under the load: which steps were told to lack pointedness, and how far the speed is from that of a
// particle which slides, 1 - mu/(sqrt 2 n) m/s^2 along -x. (22) allows that too: it does not choose where FC is not
// pointed.
struct Run {
  RunSummary summary;
  double speed_error = 0;
};

Result<Run> simulate(double n, double mu) {
  auto opened =
      open_example("anitescu1998/wedge.toml", {fmt::format("material.wall.friction={:.17g}", mu),
                                               fmt::format("simulation.gravity=[-1, 0, {:.17g}]", -1 / (2 * n))});
  if (!opened) return failure(opened.error());
  Simulation& simulation = *opened;
  const int particle = simulation.model().find_body("particle");
  Run result;
  result.summary = run(simulation, [&](const StepOutcome&) {
    const Vector3 v = simulation.kinematics().velocity[particle].linear;
    const Vector3 slides(-(1 - mu / (std::sqrt(2.0) * n)) * simulation.state().time, 0, 0);
    result.speed_error = std::max(result.speed_error, (v - slides).norm());
  });
  return result;
}

Result<void> simulations(const Context& context) {
  std::string table = fmt::format("{:>5} {:>5} {:>7} {:>12} {:>10} {:>14} {:>12}\n", "mu", "n", "steps", "not pointed",
                                  "undecided", "speed error", "certificate");
  double failures = 0, unreported = 0, false_alarms = 0, error = 0, certificate = 0;
  for (const double mu : {1.0, 0.9}) {
    for (double n = 1; n <= 64; n *= 2) {
      const auto result = simulate(n, mu);
      if (!result) return failure(result.error());
      const RunSummary& summary = result->summary;
      table += fmt::format("{:5g} {:5g} {:7} {:12} {:10} {:14.2e} {:12.2e}\n", mu, n, summary.steps,
                           summary.existence.not_pointed, summary.existence.undecided, result->speed_error,
                           summary.certificate.worst());
      failures += summary.ok ? 0 : 1;
      const long lost = summary.existence.not_pointed;
      (mu == 1 ? unreported : false_alarms) +=
          static_cast<double>(mu == 1 ? summary.steps - lost : lost + summary.existence.undecided);
      error = std::max(error, result->speed_error);
      certificate = std::max(certificate, summary.certificate.worst());
    }
  }
  context.print_table(table);
  context.report(check_wedge("runs under these loads that end with a failure", "1", failures, {}, failures == 0,
                             "friction 1 and 0.9, n = 1 .. 64"));
  context.report(check_wedge("friction 1: steps without a report that pointedness is lost", "1", unreported,
                             "theoretical difficulties can arise", unreported == 0, "check_existence = true"));
  context.report(check_wedge("friction 0.9: steps with a false alarm", "1", false_alarms, {}, false_alarms == 0,
                             "check_existence = true"));
  context.report(
      check_wedge("runs: certificate, worst step", "1", certificate, {}, certificate < 1e-8, "1e-8, as every run"));
  context.report(
      check_wedge("runs: difference from sliding along the groove", "m/s", error, {}, error < 1e-8,
                  "from rest the answer that slides is found, mu/(sqrt 2 n) of the load braked; solver tolerance"));
  return {};
}

}  // namespace

Result<void> wedge(const Context& context) {
  if (auto done = loads(context); !done) return done;
  pointedness(context);
  return simulations(context);
}

}  // namespace stiction::papers::anitescu1998
