// The solver in body space, judged by certify/ on the condensed problem: every law, an oracle, budgets, momentum, bits.
#include "stiction/solvers/friction/body/body_solver.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/body/body_interior_point.h"
#include "stiction/solvers/friction/body/body_proximal_newton.h"
#include "stiction/solvers/friction/body/body_sweeps.h"
#include "stiction/solvers/registry.h"
#include "support/random_bodies.h"

namespace stiction::solvers {
namespace {

using stiction::testing::as_one_body;
using stiction::testing::condensed;
using stiction::testing::every_law;
using stiction::testing::random_bodies;
using stiction::testing::RandomBodies;

constexpr double tolerance = 1e-8;

struct Answer {
  std::vector<double> r, v;
  BodyReport report;
};

Answer solve(const BodyFrictionProblem& problem, const BodyOptions& options = {}) {
  BodyWorkspace workspace;
  Answer answer;
  answer.r.assign(problem.row_count(), 0.0);
  answer.v.assign(problem.velocity_count(), 0.0);
  answer.report = solve_body_friction(problem, options, workspace, answer.r, answer.v);
  return answer;
}

double judged(const FrictionProblem& problem, const std::vector<double>& r) {
  return certify::friction_residual(problem, r).natural;
}

TEST(BodySolver, SolvesEveryLaw) {
  for (const auto& [name, problem] : every_law()) {
    const Answer answer = solve(as_one_body(problem));
    EXPECT_EQ(answer.report.solve.termination, Termination::solved) << name;
    EXPECT_LE(judged(problem, answer.r), 1.01 * tolerance) << name;
  }
}

// Without sweeps the second-order rungs must do it alone.
TEST(BodySolver, SolvesEveryLawWithoutSweeps) {
  for (const auto& [name, problem] : every_law()) {
    const Answer answer = solve(as_one_body(problem), {.sweeps = 0});
    EXPECT_EQ(answer.report.solve.termination, Termination::solved) << name << ' ' << answer.report.solve.residual;
    EXPECT_LE(judged(problem, answer.r), 1.01 * tolerance) << name;
    EXPECT_EQ(answer.report.sweeps, 0);
  }
}

// W is close to the identity: the answer is unique, and enumeration finds it by brute force.
TEST(BodySolver, AgreesWithEnumeration) {
  FrictionWorkspace workspace;
  const FrictionSolver* enumeration = find_friction_solver("enumeration");
  ASSERT_NE(enumeration, nullptr);
  for (const auto& [name, problem] : every_law()) {
    std::vector<double> oracle(problem.row_count(), 0.0);
    const FrictionReport report = solve_friction(*enumeration, problem, {}, workspace, oracle);
    if (report.solve.termination != Termination::solved) continue;  // shapes that enumeration does not take
    const Answer answer = solve(as_one_body(problem), {.tolerance = 1e-10, .sweeps = 0});
    for (int i = 0; i < problem.row_count(); ++i) EXPECT_NEAR(answer.r[i], oracle[i], 1e-6) << name << " row " << i;
  }
}

TEST(BodySolver, SolvesRandomBodiesWithEveryLaw) {
  int missed = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const RandomBodies wanted = {.bodies = 2 + static_cast<int>(seed % 6), .contacts = 3 + static_cast<int>(seed % 14)};
    const BodyFrictionProblem problem = random_bodies(wanted, seed);
    const Answer answer = solve(problem);
    const double residual = judged(condensed(problem), answer.r);
    if (answer.report.solve.termination == Termination::solved) {
      EXPECT_LE(residual, 1.01 * tolerance) << seed;
    } else {
      ++missed;
      EXPECT_GT(residual, 0.99 * tolerance) << seed << ": the report must not be worse than the answer";
    }
  }
  EXPECT_LE(missed, 4);  // random rows through one body may lock: measured 0 .. 2
}

// Jammed piles need penalties of 1e9: u has a rounding error of 1e-16, which must not come back 1e9 times as large.
TEST(BodyProximalNewton, StiffStepsAreNotLostInRounding) {
  int done = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BodyFrictionProblem problem = random_bodies({.every_law = false}, seed);
    const Answer rough = solve(problem, {.tolerance = 1e-5});
    BodySystem system;
    ASSERT_TRUE(make_body_system(problem, system));
    std::vector<double> z(system.row_count), x(system.velocity_count), u(system.row_count);
    to_system(system, rough.r, z.data());
    BodyMatrix matrix;
    matrix.analyze(system);
    BodyProgress progress;
    progress.best.resize(z.size());
    BodyProximalNewton newton;
    if (!newton.step(system, {.penalty = 1e9, .factorizations = 30}, 1e-12, matrix, progress, z)) continue;
    ++done;
    velocity_of(system, z.data(), x.data());
    all_velocities(system, x.data(), u.data());
    EXPECT_LT(body_residual(system, z.data(), u.data()), 1e-8) << seed;
  }
  EXPECT_GE(done, 15);  // a Newton step may fail for another reason
}

// An answer that is moved by a thousandth is not an answer any more.
TEST(BodySolver, CertificateRejectsAPerturbedAnswer) {
  const BodyFrictionProblem problem = random_bodies({}, 3);
  Answer answer = solve(problem);
  const FrictionProblem local = condensed(problem);
  ASSERT_LE(judged(local, answer.r), 1.01 * tolerance);
  for (double& r : answer.r) r *= 1.001;
  EXPECT_GT(judged(local, answer.r), 1e-5);
}

// The solver's own residual is that of certify/, for right answers and for wrong ones.
TEST(BodySystem, ResidualIsThatOfTheCertificate) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    const BodyFrictionProblem problem = random_bodies({}, seed);
    BodySystem system;
    ASSERT_TRUE(make_body_system(problem, system));
    std::vector<double> z(system.row_count), u(system.row_count), x(system.velocity_count), r(system.row_count);
    for (size_t i = 0; i < z.size(); ++i) z[i] = system.scale[i] > 0 ? std::sin(1.0 + static_cast<double>(i)) : 0.0;
    velocity_of(system, z.data(), x.data());
    all_velocities(system, x.data(), u.data());
    from_system(system, z.data(), r);
    const double expected = judged(condensed(problem), r);
    EXPECT_NEAR(body_residual(system, z.data(), u.data()), expected, 1e-9 * expected) << seed;
  }
}

// M (v - v_free) = J^T r whatever the residual: to rounding after a full solve and after a single sweep alike.
TEST(BodySolver, MomentumIsExact) {
  for (const int sweeps : {1, 60}) {
    const BodyFrictionProblem problem = random_bodies({}, 5);
    const Answer answer = solve(problem, {.sweeps = sweeps, .most_factorizations = sweeps == 1 ? 0 : 1000});
    const Eigen::Map<const VectorX> r(answer.r.data(), problem.row_count());
    const Eigen::Map<const VectorX> v(answer.v.data(), problem.velocity_count());
    EXPECT_LE((v - body_velocity(problem, r)).norm(), 1e-13 * (1 + v.norm()));
  }
}

TEST(BodySolver, StaysWithinItsBudget) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 20}, seed);
    for (const int most : {0, 1, 5}) {
      const Answer answer = solve(problem, {.sweeps = 2, .most_sweeps = 2, .most_factorizations = most});
      EXPECT_LE(answer.report.factorizations, most);
      EXPECT_LE(answer.report.sweeps, 2);
      if (answer.report.solve.termination == Termination::solved) continue;
      EXPECT_EQ(answer.report.solve.termination, Termination::budget);
      EXPECT_TRUE(std::isfinite(answer.report.solve.residual));
      EXPECT_NEAR(judged(condensed(problem), answer.r), answer.report.solve.residual,
                  1e-6 * answer.report.solve.residual);
    }
  }
}

// Behind the acceptance no dear rung runs.
TEST(BodySolver, DearRungsStopAtTheAcceptance) {
  int dear = 0;
  for (const BodyRung& rung : body_rungs()) dear += rung.dear ? 1 : 0;
  EXPECT_GT(dear, 0);
  const BodyFrictionProblem problem = random_bodies({}, 3);
  const Answer answer = solve(problem, {.tolerance = 1e-30, .acceptance = 1e-3});
  int cheap = 0;
  for (const BodyRung& rung : body_rungs()) cheap += rung.dear ? 0 : rung.factorizations;
  EXPECT_LE(answer.report.factorizations, cheap);
  EXPECT_NE(answer.report.solve.termination, Termination::solved);
}

// Without factorisations, sweeps have to do it: they go on until the answer is of use.
TEST(BodySolver, SweepsGoOnWhereTheBestAnswerIsOfNoUse) {
  int longer = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 20}, seed);
    const Answer short_of_it = solve(problem, {.sweeps = 5, .most_factorizations = 0});
    const Answer answer = solve(problem, {.useful = 1e-4, .sweeps = 5, .most_factorizations = 0});
    EXPECT_LE(answer.report.solve.residual, 1e-4) << seed;
    EXPECT_LE(judged(condensed(problem), answer.r), 1.001e-4) << seed;
    if (short_of_it.report.solve.residual <= 1e-4) continue;
    EXPECT_EQ(answer.report.rung, "long-sweeps") << seed;
    EXPECT_EQ(solve(problem, {.useful = 1e-4, .sweeps = 5, .most_sweeps = 7, .most_factorizations = 0}).report.sweeps,
              7);
    ++longer;
  }
  EXPECT_GT(longer, 5);
}

// Where sweeps do the work, nothing is factored unless they end far from an answer.
TEST(BodySolver, FactorsRarely) {
  int near = 0, far = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 20}, seed);
    for (const int sweeps : {1, 200}) {
      const Answer swept = solve(problem, {.tolerance = 1e-5, .sweeps = sweeps, .most_factorizations = 0});
      const Answer answer = solve(problem, {.tolerance = 1e-5,
                                            .acceptance = infinity,
                                            .sweeps = sweeps,
                                            .most_factorizations = 50,
                                            .factors_rarely = true});
      const bool is_near = swept.report.solve.residual <= 1e-3;
      EXPECT_EQ(answer.report.factorizations == 0, is_near) << seed << ' ' << sweeps;
      EXPECT_LE(answer.report.solve.residual, swept.report.solve.residual) << seed << ' ' << sweeps;
      if (is_near) {
        EXPECT_EQ(answer.r, swept.r) << seed << ' ' << sweeps;
      }
      ++(is_near ? near : far);
    }
  }
  EXPECT_GT(near, 10);
  EXPECT_GT(far, 10);
}

// A right guess costs one residual and no work.
TEST(BodySolver, ARightGuessCostsNothing) {
  const BodyFrictionProblem problem = random_bodies({}, 3);
  const Answer first = solve(problem, {.tolerance = 1e-10});
  BodyWorkspace workspace;
  std::vector<double> r = first.r;
  const BodyReport report = solve_body_friction(problem, {.warm_start = true}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::solved);
  EXPECT_EQ(report.factorizations + report.sweeps, 0);
  EXPECT_TRUE(report.solve.warm_started);
  EXPECT_EQ(report.rung, "guess");
}

// A close guess of a step before leads to the answer, far cheaper than from nothing: by Newton's method where it is
// within 1e-3, by an interior point that starts near it otherwise; by sweeps and Newton where the budget is small.
TEST(BodySolver, ACloseGuessIsTakenUp) {
  const BodyFrictionProblem start = random_bodies({.bodies = 6, .contacts = 16, .every_law = false}, 11);
  struct Case {
    double change;
    int budget;
    const char* rung;
    int most;
  };
  for (const auto& [change, budget, rung, most] :
       {Case{1.001, 6000, "warm-newton", 10}, Case{1.2, 6000, "warm-interior", 20}, Case{1.2, 99, "newton", 10}}) {
    BodyFrictionProblem problem = start;
    std::vector<double> r = solve(problem).r;
    for (double& v : problem.v_free) v *= change;
    BodyWorkspace workspace;
    const BodyOptions warm = {.sweeps = 0, .most_factorizations = budget, .warm_start = true, .guess_is_close = true};
    const BodyReport report = solve_body_friction(problem, warm, workspace, r);
    EXPECT_EQ(report.solve.termination, Termination::solved) << change;
    EXPECT_EQ(report.rung, rung) << change;
    EXPECT_LE(report.factorizations, most) << change;
  }
}

// Velocities that grow by a hundredth let impulses grow by one: the guess and what the last step added to it are the
// answer. A trend that points the other way is not followed.
TEST(BodySolver, AGuessGoesOnAsItChanged) {
  const BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 16, .every_law = false}, 11);
  const std::vector<double> answer = solve(problem).r;
  std::vector<double> back(answer), on(answer);
  for (double& r : on) r *= 0.01;
  for (double& r : back) r *= -0.01;
  for (const bool goes_on : {true, false}) {
    std::vector<double> r(answer);
    for (double& value : r) value *= 0.99;
    BodyWorkspace workspace;
    const BodyOptions warm = {.sweeps = 0, .trend = goes_on ? on : back, .warm_start = true, .guess_is_close = true};
    const BodyReport report = solve_body_friction(problem, warm, workspace, r);
    EXPECT_EQ(report.solve.termination, Termination::solved);
    EXPECT_EQ(report.rung == "guess", goes_on) << report.rung;
    EXPECT_EQ(report.factorizations == 0, goes_on);
    EXPECT_LE(report.factorizations, 20);  // as from the guess alone
  }
}

TEST(BodySolver, TheSameBitsTwiceAndAfterOtherProblems) {
  BodyWorkspace workspace;
  const BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 18}, 17);
  std::vector<double> first(problem.row_count()), second(problem.row_count());
  solve_body_friction(problem, {.sweeps = 3}, workspace, first);
  const BodyFrictionProblem other = random_bodies({.bodies = 7, .contacts = 9}, 18);
  std::vector<double> between(other.row_count());
  solve_body_friction(other, {}, workspace, between);
  solve_body_friction(problem, {.sweeps = 3}, workspace, second);
  EXPECT_EQ(first, second);
}

TEST(BodySolver, TheSameBitsWithNarrowRegisters) {
  const bool wide = use_wide_registers;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const BodyFrictionProblem problem = random_bodies({.bodies = 8, .contacts = 30, .every_law = seed % 2 == 0}, seed);
    use_wide_registers = wide;
    const Answer first = solve(problem);
    use_wide_registers = false;
    const Answer second = solve(problem);
    EXPECT_EQ(first.r, second.r) << seed;
    EXPECT_EQ(first.v, second.v) << seed;
  }
  use_wide_registers = wide;
}

TEST(BodySolver, KeepsTheAnalysisWhileTheGraphStays) {
  BodyWorkspace workspace;
  BodyFrictionProblem problem = random_bodies({.bodies = 6, .contacts = 18}, 17);
  std::vector<double> r(problem.row_count());
  EXPECT_TRUE(solve_body_friction(problem, {.sweeps = 0}, workspace, r).analyzed);
  for (double& v : problem.v_free) v *= 0.9;
  EXPECT_FALSE(solve_body_friction(problem, {.sweeps = 0}, workspace, r).analyzed);
}

TEST(BodySolver, NumbersThatAreNotFiniteAreNotAnAnswer) {
  BodyFrictionProblem problem = random_bodies({}, 3);
  problem.v_free[0] = std::numeric_limits<double>::quiet_NaN();
  const Answer answer = solve(problem);
  EXPECT_EQ(answer.report.solve.termination, Termination::not_found);
  for (const double r : answer.r) EXPECT_EQ(r, 0);
}

}  // namespace
}  // namespace stiction::solvers
