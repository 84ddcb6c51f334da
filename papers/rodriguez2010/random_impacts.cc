// Random impacts of one to three bodies at one to four places, in the plane and in space, under both rules. Energy,
// cones and normal velocities are computed again from the impulses alone; what an outcome says of itself is not used.
#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "papers/rodriguez2010/free_bodies.h"
#include "papers/rodriguez2010/rodriguez2010.h"
#include "stiction/io/output_file.h"
#include "stiction/report/table.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_random_impacts{"rodriguez2010", "random"};
constexpr int impacts_a_dimension = 1000;
constexpr double tolerance = 1e-7;  // relative: ten times what outcomes are computed to

// Uniform numbers that are the same with every standard library.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_()) / 4294967295.0; }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  Vector3 vector(int dimension) {
    Vector3 v = Vector3::Zero();
    for (int i = 0; i < dimension; ++i) v[i] = between(-1, 1);
    return v;
  }

 private:
  std::mt19937 engine_;
};

// The first contact approaches.
ImpactProblem random_problem(Dice& dice, int dimension) {
  ImpactProblem problem;
  const int bodies = 1 + dice.below(3), touches = 1 + dice.below(4);
  for (int b = 0; b < bodies; ++b) {
    VectorX velocity(dimension == 2 ? 3 : 6);
    for (double& v : velocity) v = dice.between(-2, 2);
    const double inertia = dice.between(0.1, 1);
    add_body(problem, dice.between(0.2, 3), inertia * Vector3(1, 1.2, 0.8), velocity);
  }
  for (int k = 0; k < touches; ++k) {
    Touch touch{
        .b = dice.below(bodies), .arm_b = dice.vector(dimension), .normal = dice.vector(dimension).normalized()};
    touch.a = dice.below(bodies + 1) - 1;
    if (touch.a == touch.b) touch.a = -1;
    touch.arm_a = dice.vector(dimension);
    const double mu_s = dice.between(0, 1.2);
    add_touch(problem, dimension, touch, {dice.between(0, 1), mu_s, mu_s * dice.between(0, 1)});
  }
  if (problem.J.row(0).dot(problem.velocity) > 0) problem.velocity *= -1;
  return problem;
}

struct Count {
  int impacts = 0, several = 0, outcomes = 0, gains = 0, outside = 0, penetrates = 0, unflagged = 0;
  double least_change = 0;  // of kinetic energy, relative: the greatest gain

  int violations() const { return gains + outside + penetrates; }
};

bool leaves_cone(const ImpactProblem& problem, const VectorX& p, const VectorX& v, double speed) {
  const double size = p.cwiseAbs().maxCoeff();
  return std::any_of(problem.contacts.begin(), problem.contacts.end(), [&](const ImpactContact& c) {
    const double slip = v.segment(c.first_row + 1, c.tangents).norm(), p_n = p[c.first_row];
    const double stick = slip < tolerance * speed ? 1 : std::exp(-slip / c.transition_speed);
    const double mu = c.dynamic_friction + (c.static_friction - c.dynamic_friction) * stick;
    return p_n < -tolerance * size || p.segment(c.first_row + 1, c.tangents).norm() > mu * p_n + tolerance * size;
  });
}

void judge(const ImpactProblem& problem, const ImpactOutcome& outcome, Count& count) {
  const VectorX u = problem.velocity + problem.mass.llt().solve(problem.J.transpose() * outcome.impulse);
  const VectorX v = problem.J * u, before = problem.J * problem.velocity;
  const double speed = before.cwiseAbs().maxCoeff();
  const double gain = u.dot(problem.mass * u) / problem.velocity.dot(problem.mass * problem.velocity) - 1;
  const bool gains = gain > tolerance, outside = leaves_cone(problem, outcome.impulse, v, speed);
  const bool penetrates = std::any_of(problem.contacts.begin(), problem.contacts.end(),
                                      [&](const ImpactContact& c) { return v[c.first_row] < -tolerance * speed; });
  count.least_change = std::max(count.least_change, gain);
  count.gains += gains ? 1 : 0, count.outside += outside ? 1 : 0, count.penetrates += penetrates ? 1 : 0;
  count.unflagged +=
      (gains && !outcome.gains_energy) || (outside && !outcome.leaves_cone) || (penetrates && !outcome.penetrates) ? 1
                                                                                                                   : 0;
  ++count.outcomes;
}

Count run(int dimension, ImpactRule rule) {
  Dice dice(static_cast<unsigned>(2010 + dimension));
  Count count;
  for (; count.impacts < impacts_a_dimension; ++count.impacts) {
    const ImpactProblem problem = random_problem(dice, dimension);
    const auto result = solve_simultaneous_impact(problem, {.rule = rule});
    for (const ImpactOutcome& outcome : result.outcomes) judge(problem, outcome, count);
    count.several += result.outcomes.size() > 1 ? 1 : 0;
  }
  return count;
}

report::Table empty_table() {
  return {.columns = {{.name = "dimension"},
                      {.name = "rule", .unit = "", .left = true},
                      {.name = "impacts"},
                      {.name = "with several", .unit = "outcomes"},
                      {.name = "outcomes"},
                      {.name = "gain", .unit = "energy"},
                      {.name = "leave", .unit = "a cone"},
                      {.name = "penetrate"},
                      {.name = "greatest gain", .unit = "of energy"}},
          .rows = {}};
}

void report_counts(const Context& context, int dimension, ImpactRule rule, const Count& count) {
  const std::string label = fmt::format("{}, {}: ", dimension == 2 ? "plane" : "space", impact_rule_name(rule));
  const auto number = [&](const char* quantity, int value, bool ok, std::string note) {
    context.report(check_random_impacts(label + quantity, "1", value, {}, ok, std::move(note)));
  };
  const bool lawful = rule == ImpactRule::coulomb;
  const std::string of = fmt::format("of {} outcomes of {} impacts", count.outcomes, count.impacts);
  number("outcomes that gain energy", count.gains, !lawful || count.gains == 0, of);
  number("outcomes that leave a cone", count.outside, !lawful || count.outside == 0, of);
  number("outcomes that penetrate", count.penetrates, !lawful || count.penetrates == 0, of);
  number("violations without a flag", count.unflagged, count.unflagged == 0, "computed again from the impulses");
}

}  // namespace

Result<void> random_impacts(const Context& context) {
  report::Table table = empty_table();
  for (const int dimension : {2, 3}) {
    for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
      const Count count = run(dimension, rule);
      const auto text = [](int n) { return std::to_string(n); };
      table.rows.push_back({text(dimension), std::string(impact_rule_name(rule)), text(count.impacts),
                            text(count.several), text(count.outcomes), text(count.gains), text(count.outside),
                            text(count.penetrates), fmt::format("{:.2g}", count.least_change)});
      report_counts(context, dimension, rule, count);
    }
  }
  context.print_table("\n" + report::text_table(table, 120) + "\n");
  return write_text_file((context.out / "random.md").string(), report::markdown_table(table));
}

}  // namespace stiction::papers::rodriguez2010
