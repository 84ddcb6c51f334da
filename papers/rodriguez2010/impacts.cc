// The law on other bodies than the paper's: rows of balls (balls.cc), a box that lands flat on four corners, a rod in
// the corner.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "papers/rodriguez2010/free_bodies.h"
#include "papers/rodriguez2010/impact_studies.h"
#include "papers/rodriguez2010/outcome_sheet.h"
#include "papers/rodriguez2010/rodriguez2010.h"

namespace stiction::papers::rodriguez2010 {

namespace {

constexpr FindingMaker check_impacts{"rodriguez2010", "impacts"};
constexpr double of_optimum = 1e-7;  // outcomes come from optima; speeds of some m/s

// 3 kg, 1 m x 0.6 m x 0.4 m, flat.
ImpactProblem flat_box(double e, double speed) {
  constexpr double mass = 3;
  const Vector3 half(0.5, 0.3, 0.2), square = half.cwiseAbs2();
  ImpactProblem problem;
  add_body(problem, mass, mass / 3 * Vector3(square.y() + square.z(), square.x() + square.z(), square.x() + square.y()),
           (VectorX(6) << 0, 0, -speed, 0, 0, 0).finished());
  for (const double x : {-1, 1}) {
    for (const double y : {-1, 1}) {
      add_touch(problem, 3, {.b = 0, .arm_b = half.cwiseProduct(Vector3(x, y, -1)), .normal = Vector3::UnitZ()},
                {e, 0.6, 0.4});
    }
  }
  return problem;
}

void check_box(const Context& context, double e, ImpactRule rule) {
  constexpr double mass = 3, speed = 2;
  const ImpactProblem problem = flat_box(e, speed);
  const auto result = solve_simultaneous_impact(problem, {.rule = rule});
  const ImpactOutcome& picked = result.outcomes[result.picked];
  const std::string label = fmt::format("flat box, {}, e = {}: ", impact_rule_name(rule), e);
  const VectorX rebound = (VectorX(6) << 0, 0, e * speed, 0, 0, 0).finished();
  const double off = (picked.velocity - rebound).norm();
  double sum = 0, least = 1e300, most = -1e300;
  for (const auto& contact : problem.contacts) {
    const double p_n = picked.impulse[contact.first_row];
    sum += p_n;
    least = std::min(least, p_n), most = std::max(most, p_n);
  }
  const double exact = (1 + e) * mass * speed, loss = -(1 - e * e) / 2 * mass * speed * speed;
  context.report(check_impacts(label + "velocity against a rebound without spin", "m/s", off, {}, off < of_optimum,
                               fmt::format("{} m/s upwards", e * speed)));
  context.report(check_impacts(label + "sum of normal impulses", "N s", sum, {}, std::abs(sum - exact) < of_optimum,
                               fmt::format("(1 + e) m v = {}", exact)));
  context.report(check_impacts(label + "change of energy", "J", picked.energy_change, {},
                               std::abs(picked.energy_change - loss) < of_optimum,
                               fmt::format("-(1 - e^2)/2 m v^2 = {}", loss)));
  const int undetermined = static_cast<int>(problem.contacts.size()) - result.normal_rank;
  context.report(check_impacts(label + "normal impulses undetermined by", "1", undetermined, {}, undetermined == 1,
                               fmt::format("{} outcome(s); returned is the shortest p: {:.6f} to {:.6f} N s per corner",
                                           result.outcomes.size(), least, most)));
}

// 1 kg, 1 m, at 60 degrees to the ground, the wall on its right.
ImpactProblem rod_in_corner(bool both_ends) {
  const double angle = std::numbers::pi / 3;
  const Vector3 half = 0.5 * Vector3(std::cos(angle), both_ends ? std::sin(angle) : -std::sin(angle), 0);
  const Surface surface{0.5, 0.5, 0.25};
  ImpactProblem problem;
  add_body(problem, 1, Vector3::Constant(1.0 / 12), Vector3(2, -3, 0));
  add_touch(problem, 2, {.b = 0, .arm_b = both_ends ? Vector3(-half) : half, .normal = Vector3::UnitY()}, surface);
  add_touch(problem, 2, {.b = 0, .arm_b = half, .normal = -Vector3::UnitX()}, surface);
  return problem;
}

Result<void> study_rod(const Context& context, bool both_ends) {
  OutcomeSheet sheet =
      make_sheet(rod_in_corner(both_ends),
                 {{{"centre v_x", "m/s"}, {"centre v_y", "m/s"}, {"spin", "rad/s"}}, {"ground", "wall"}});
  const std::string label = both_ends ? "rod between ground and wall: " : "rod with one end in the corner: ";
  context.print_table("\n" + label + "\n\n" + sheet.text());
  int violations = 0, flagged = 0;
  for (const ImpactOutcome& outcome : sheet.coulomb.result.outcomes) violations += outcome.violations();
  for (const ImpactOutcome& outcome : sheet.published.result.outcomes) flagged += outcome.violations() > 0 ? 1 : 0;
  const int free = 4 - sheet.published.result.rank;
  context.report(check_impacts(label + "impulses undetermined by", "1", free, {}, free == (both_ends ? 1 : 2),
                               both_ends ? "four rows of rank 3" : "both contacts are one point: four rows of rank 2"));
  context.report(check_impacts(
      label + "outcomes under coulomb", "1", static_cast<double>(sheet.coulomb.result.outcomes.size()), {},
      !sheet.coulomb.result.outcomes.empty() && violations == 0, fmt::format("with {} violations", violations)));
  context.report(check_impacts(label + "outcomes under published", "1",
                               static_cast<double>(sheet.published.result.outcomes.size()), {},
                               !sheet.published.result.outcomes.empty(), fmt::format("{} with violations", flagged)));
  return sheet.write_csv(context.out / (both_ends ? "impacts_rod_both_ends.csv" : "impacts_rod_one_end.csv"));
}

}  // namespace

Result<void> impacts(const Context& context) {
  if (auto done = study_balls(context); !done) return done;
  for (const ImpactRule rule : {ImpactRule::published, ImpactRule::coulomb}) {
    for (const double e : {0.0, 0.5}) check_box(context, e, rule);
  }
  if (auto done = study_rod(context, true); !done) return done;
  return study_rod(context, false);
}

}  // namespace stiction::papers::rodriguez2010
