// Rows of balls without friction. Two have a closed form. Three at the same time have (4.11) at both contacts, a linear
// system; taken as impacts of two, one after the other, they end differently, and which pair comes first may matter.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/LU>

#include "papers/rodriguez2010/free_bodies.h"
#include "papers/rodriguez2010/impact_studies.h"
#include "stiction/io/output_file.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_balls{"rodriguez2010", "impacts"};
constexpr double rounding = 1e-9;  // speeds of 1 m/s; outcomes come from optima
constexpr int most_impacts = 1000;

// The picked outcome's velocity; the velocity as it is where nothing approaches.
VectorX velocity_after(const ImpactProblem& problem, ImpactRule rule) {
  const auto result = solve_simultaneous_impact(problem, {.rule = rule});
  return result.picked < 0 ? problem.velocity : result.outcomes[result.picked].velocity;
}

void check_two(const Context& context) {
  double worst = 0;
  for (const auto& masses : {std::vector<double>{1, 1}, {1, 2}, {3, 1}}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      const double v1 = 2, v2 = -1, sum = masses[0] + masses[1], p = (1 + e) * masses[0] * masses[1] / sum * (v1 - v2);
      const Vector2 exact(v1 - p / masses[0], v2 + p / masses[1]);
      for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
        worst = std::max(worst, (velocity_after(row_of_balls(masses, {v1, v2}, e), rule) - exact).norm());
      }
    }
  }
  context.report(check_balls("two balls: velocities against the closed form", "m/s", worst, {}, worst < rounding,
                             "masses 1:1, 1:2, 3:1; e = 0, 0.5, 1; both rules; rounding"));
}

struct Row {
  std::vector<double> masses, velocities;
  double e;
};

// Impacts of two at a time, the contact `first` before the other, until none approaches. The last step is counted.
VectorX in_turn(const Row& row, int first, int& impacts) {
  ImpactProblem problem = row_of_balls(row.masses, row.velocities, row.e);
  impacts = 0;
  for (int turn = first, idle = 0; idle < 2 && impacts < most_impacts; turn = 1 - turn) {
    ImpactProblem pair = problem;
    pair.J = problem.J.row(turn);
    pair.contacts = {{.first_row = 0, .tangents = 0, .restitution = row.e}};
    const VectorX after = velocity_after(pair, ImpactRule::coulomb);
    const bool hit = after != problem.velocity;
    idle = hit ? 0 : idle + 1;
    impacts += hit ? 1 : 0;
    problem.velocity = after;
  }
  return problem.velocity;
}

// (4.11) at both contacts, without the law: p from the linear system.
VectorX newton(const ImpactProblem& problem) {
  const MatrixX W = problem.J * problem.mass.inverse() * problem.J.transpose();
  VectorX wanted = problem.J * problem.velocity;
  for (int k = 0; k < wanted.size(); ++k) wanted[k] *= -(1 + problem.contacts[k].restitution);
  return problem.velocity + problem.mass.inverse() * problem.J.transpose() * W.lu().solve(wanted);
}

// What the ways to end have in common, worst of all rows.
struct Worst {
  double at_once = 0, momentum = 0, energy = -1e300, orders = 0;
};

double energy(const ImpactProblem& problem, const VectorX& velocity) {
  return 0.5 * velocity.dot(problem.mass * velocity);
}

struct Ending {
  std::string name;
  VectorX velocity;
  int impacts;
};

std::vector<Ending> endings(const Row& row, const ImpactProblem& problem) {
  std::vector<Ending> all = {{"at once, published", velocity_after(problem, ImpactRule::published), 1},
                             {"at once, coulomb", velocity_after(problem, ImpactRule::coulomb), 1},
                             {"1-2 first", {}, 0},
                             {"2-3 first", {}, 0}};
  for (int first = 0; first < 2; ++first) all[2 + first].velocity = in_turn(row, first, all[2 + first].impacts);
  return all;
}

void study_row(const Row& row, std::string& table, std::string& csv, Worst& worst) {
  const ImpactProblem problem = row_of_balls(row.masses, row.velocities, row.e);
  const VectorX before = problem.velocity;
  const std::vector<Ending> all = endings(row, problem);
  for (const Ending& ending : all) {
    const VectorX& v = ending.velocity;
    const double momentum = (problem.mass * (v - before)).sum(), change = energy(problem, v) - energy(problem, before);
    const std::string masses = fmt::format("{:g}, {:g}, {:g}", row.masses[0], row.masses[1], row.masses[2]);
    const std::string start = fmt::format("{:g}, {:g}, {:g}", before[0], before[1], before[2]);
    table += fmt::format("{:<10} {:>4g} {:<9} {:<20} {:8} {:11.6f} {:11.6f} {:11.6f} {:10.1e} {:12.6f}\n", masses,
                         row.e, start, ending.name, ending.impacts, v[0], v[1], v[2], momentum, change);
    csv += fmt::format("\"{}\",{},\"{}\",\"{}\",{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", masses, row.e, start,
                       ending.name, ending.impacts, v[0], v[1], v[2], momentum, change);
    worst.momentum = std::max(worst.momentum, std::abs(momentum));
    worst.energy = std::max(worst.energy, change);
  }
  for (int k = 0; k < 2; ++k) worst.at_once = std::max(worst.at_once, (all[k].velocity - newton(problem)).norm());
  worst.orders = std::max(worst.orders, (all[2].velocity - all[3].velocity).norm());
}

// A cradle of three: elastic balls of one mass pass the motion on, but only when they hit in turn.
void check_cradle(const Context& context) {
  int impacts = 0;
  const Row cradle{{1, 1, 1}, {1, 0, 0}, 1};
  const VectorX turns = in_turn(cradle, 0, impacts);
  const VectorX once = velocity_after(row_of_balls(cradle.masses, cradle.velocities, 1), ImpactRule::coulomb);
  context.report(check_balls("three equal elastic balls, in turn: velocity of the last", "m/s", turns[2], {},
                             (turns - Vector3(0, 0, 1)).norm() < rounding, "1 m/s: the others are left at rest"));
  context.report(
      check_balls("three equal elastic balls, at once: velocity of the last", "m/s", once[2], {},
                  (once - Vector3(-1, 2, 2) / 3).norm() < rounding,
                  "(-1, 2, 2)/3: by (4.11) balls 2 and 3, at rest, stay together; energy is conserved as well"));
}

}  // namespace

Result<void> study_balls(const Context& context) {
  check_two(context);
  check_cradle(context);
  std::string table =
      fmt::format("\n{:<10} {:>4} {:<9} {:<20} {:>8} {:>11} {:>11} {:>11} {:>10} {:>12}\n", "masses", "e", "before",
                  "way", "impacts", "v_1 [m/s]", "v_2 [m/s]", "v_3 [m/s]", "momentum", "energy [J]");
  std::string csv = "masses [kg],e,before [m/s],way,impacts,v_1 [m/s],v_2 [m/s],v_3 [m/s],momentum [N s],energy [J]\n";
  Worst from_one_side, from_both;
  for (const auto& masses : {std::vector<double>{1, 1, 1}, {1, 2, 1}, {1, 2, 3}}) {
    for (const double e : {1.0, 0.5}) {
      study_row({masses, {1, 0, 0}, e}, table, csv, from_one_side);
      study_row({masses, {1, 0, -1}, e}, table, csv, from_both);
    }
  }
  context.print_table(table + "\n");
  const double at_once = std::max(from_one_side.at_once, from_both.at_once);
  const double momentum = std::max(from_one_side.momentum, from_both.momentum);
  const double gain = std::max(from_one_side.energy, from_both.energy);
  context.report(check_balls("three balls at once: velocities against (4.11) as a linear system", "m/s", at_once, {},
                             at_once < rounding, "masses 1:1:1, 1:2:1, 1:2:3; e = 1, 0.5; both rules"));
  context.report(
      check_balls("three balls: momentum gained", "N s", momentum, {}, momentum < rounding, "all ways to end"));
  context.report(check_balls("three balls: energy gained", "J", gain, {}, gain < rounding, "all ways to end"));
  context.report(check_balls("ball 1 hits 2 and 3 at rest: difference between orders", "m/s", from_one_side.orders, {},
                             from_one_side.orders < rounding,
                             "2-3 does not approach, so that 1-2 is first either way"));
  context.report(check_balls("balls 1 and 3 hit 2 from both sides: difference between orders", "m/s", from_both.orders,
                             {}, from_both.orders > 0.01,
                             "the order matters: an impact at one time has no one answer by pairs"));
  return write_text_file((context.out / "impacts_balls.csv").string(), csv);
}

}  // namespace stiction::papers::rodriguez2010
