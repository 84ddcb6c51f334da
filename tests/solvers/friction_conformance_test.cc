// What every friction solver owes: closed forms of one contact, every law, warm starts, time limits, the same bits
// twice. Answers are judged by certify/ alone.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/registry.h"
#include "support/friction_forms.h"
#include "support/small_friction.h"

namespace stiction::solvers {
namespace {

using stiction::testing::contact_block;
using stiction::testing::definite_matrix;
using stiction::testing::every_law;
using stiction::testing::friction_problem;
using stiction::testing::FrictionInForm;

constexpr double tolerance = 1e-8;

struct Answer {
  std::vector<double> r;
  FrictionReport report;
  double residual = 0;
};

Answer solve(const FrictionSolver& solver, const FrictionProblem& problem, const FrictionOptions& options = {}) {
  FrictionWorkspace workspace;
  Answer answer;
  answer.r.assign(problem.row_count(), 0.0);
  answer.report = FrictionInForm(solver, problem).solve(options, workspace, answer.r);
  answer.residual = certify::friction_residual(problem, answer.r).natural;
  return answer;
}

class EveryFrictionSolver : public ::testing::TestWithParam<const FrictionSolver*> {};

INSTANTIATE_TEST_SUITE_P(All, EveryFrictionSolver, ::testing::ValuesIn(friction_solvers()), [](const auto& solver) {
  std::string name(solver.param->name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
});

// A point mass m on a plane, u = r / m + q: open for q_n >= 0; sticks while |q_t| <= mu |q_n|; slides otherwise with
// r_n = -m q_n and r_t = -mu r_n q_t / |q_t|. Tolerance: the residual's, times m |q|.
TEST_P(EveryFrictionSolver, OnePointMassHasItsClosedForms) {
  const double m = 2.5, mu = 0.5;
  const MatrixX W = MatrixX::Identity(3, 3) / m;
  struct Case {
    Vector3 q, r;
  };
  const std::vector<Case> cases = {{{0.3, 1, -2}, {0, 0, 0}},
                                   {{-1, 0.3, -0.2}, {m, -0.3 * m, 0.2 * m}},
                                   {{-1, 0.6, -0.8}, {m, -mu * m * 0.6, mu * m * 0.8}},
                                   {{-1, 2, 0}, {m, -mu * m, 0}},
                                   {{-1, 0, 0}, {m, 0, 0}}};
  for (const Case& c : cases) {
    const FrictionProblem problem = friction_problem({contact_block(3, mu, mu)}, W, c.q);
    const Answer answer = solve(*GetParam(), problem);
    const bool between = GetParam()->polyhedral && answer.report.polyhedral;
    // Of 16 corners one is within pi/16 of the true direction: a chord of 2 sin(pi/32).
    const double allowed = between ? 0.197 * mu * m : 10 * tolerance * m * c.q.norm();
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(answer.r[i], c.r[i], allowed) << c.q.transpose() << " row " << i;
    if (!between) {
      EXPECT_EQ(answer.report.solve.termination, Termination::solved);
      EXPECT_LE(answer.residual, tolerance);
    }
  }
}

// Coupled rows: r_n must use W_nt. One contact with W_nt != 0 that sticks: r = -W^-1 q.
TEST_P(EveryFrictionSolver, OneCoupledContactSticks) {
  MatrixX W(3, 3);
  W << 1, 0.3, -0.2, 0.3, 2, 0.1, -0.2, 0.1, 1.5;
  const Vector3 q(-1, 0.1, -0.2), r = -W.inverse() * q;
  const Answer answer = solve(*GetParam(), friction_problem({contact_block(3, 0.9, 0.9)}, W, q));
  ASSERT_LT(r.tail<2>().norm(), 0.9 * r[0]);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(answer.r[i], r[i], 1e-7);
}

// Every law is answered and certified. Exceptions, by design: a polyhedral answer says so and is near (its residual is
// bounded by the polygon's defect); the box that stands for a ball of three bounded rows is coarse.
TEST_P(EveryFrictionSolver, AnswersEveryLaw) {
  for (const auto& [name, problem] : every_law()) {
    const Answer answer = solve(*GetParam(), problem);
    if (GetParam()->polyhedral) {
      const bool solved = answer.report.solve.termination == Termination::solved;
      EXPECT_TRUE(answer.report.polyhedral) << name;
      EXPECT_EQ(solved, answer.residual <= tolerance) << name;
      EXPECT_LE(answer.residual, 0.5) << name;
      EXPECT_EQ(answer.report.hypotheses, Hypotheses::hold) << name << ": W is definite";
      continue;
    }
    EXPECT_EQ(answer.report.solve.termination, Termination::solved) << name << ' ' << answer.residual;
    EXPECT_LE(answer.residual, tolerance * (1 + 1e-6)) << name;
    EXPECT_FALSE(answer.report.polyhedral);
    const bool made = answer.report.made_by != nullptr;
    EXPECT_EQ(made ? answer.report.made_by->name : answer.report.rung, answer.report.rung) << name;
  }
}

// An answer is a fixed point: given as a guess it is accepted without work.
TEST_P(EveryFrictionSolver, AcceptsAWarmStartThatIsTheAnswer) {
  for (const auto& [name, problem] : every_law()) {
    FrictionOptions fine;
    fine.tolerance = 1e-10;
    Answer answer = solve(auto_friction, problem, fine);
    ASSERT_EQ(answer.report.solve.termination, Termination::solved) << name;
    FrictionWorkspace workspace;
    FrictionOptions warm;
    warm.warm_start = true;
    const std::vector<double> before = answer.r;
    const FrictionReport report = FrictionInForm(*GetParam(), problem).solve(warm, workspace, answer.r);
    EXPECT_EQ(report.solve.termination, Termination::solved) << name;
    EXPECT_EQ(report.solve.iterations, 0) << name;
    EXPECT_EQ(report.made_by, nullptr) << name;
    for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(answer.r[i], before[i], 1e-12) << name;
  }
}

// No time: the report says so, and r is the best seen and finite.
TEST_P(EveryFrictionSolver, ReportsTheTimeLimit) {
  FrictionOptions options;
  options.time_limit = 0;
  options.tolerance = 1e-300;  // out of reach
  const auto problems = every_law();
  const Answer answer = solve(*GetParam(), problems.back().problem, options);
  EXPECT_EQ(answer.report.solve.termination, Termination::time_limit);
  for (const double r : answer.r) EXPECT_TRUE(std::isfinite(r));
}

TEST_P(EveryFrictionSolver, GivesTheSameBitsTwice) {
  FrictionWorkspace workspace;
  for (const auto& [name, problem] : every_law()) {
    const Answer fresh = solve(*GetParam(), problem);
    std::vector<double> r(problem.row_count(), 0.0);
    FrictionInForm(*GetParam(), problem).solve({}, workspace, r);  // a workspace that has seen other problems
    EXPECT_EQ(r, fresh.r) << name;
  }
}

// Numbers that are not finite end as not_found with r = 0, never as a NaN.
TEST_P(EveryFrictionSolver, RefusesNumbersThatAreNotFinite) {
  FrictionProblem problem = friction_problem({contact_block(3, 0.5, 0.5)}, MatrixX::Identity(3, 3), Vector3(-1, 0, 0));
  problem.value[4] = std::nan("");  // on the diagonal: it reaches every form of the problem
  const Answer answer = solve(*GetParam(), problem);
  EXPECT_EQ(answer.report.solve.termination, Termination::not_found);
  EXPECT_EQ(answer.r, std::vector<double>(3, 0.0));
}

// Nobody can reach 1e-30; the chain ends behind its cheap rungs with what the caller accepts, and goes on otherwise.
TEST(FrictionSolvers, AutoDoesNotPolishWhatIsAcceptable) {
  for (const auto& [name, problem] : every_law()) {
    const Answer accepted = solve(auto_friction, problem, {.tolerance = 1e-30, .acceptance = tolerance});
    const Answer polished = solve(auto_friction, problem, {.tolerance = 1e-30});
    EXPECT_LE(accepted.residual, tolerance) << name;
    EXPECT_LT(accepted.report.solve.iterations, 900) << name;  // those of 1500 steps of admm are not among them
    EXPECT_GE(polished.report.solve.iterations, accepted.report.solve.iterations) << name;
  }
}

// W definite and little friction: one answer (Klarbring, 1990). 1e-8 is asked of the impulses, so the residual is taken
// to 1e-11.
TEST(FrictionSolvers, AgreeWhereTheAnswerIsUnique) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    VectorX q(12);
    for (double& x : q) x = uniform(random);
    const FrictionBlock block = contact_block(3, 0.2, 0.2);
    const FrictionProblem problem = friction_problem({block, block, block, block}, definite_matrix(12, seed), q);
    FrictionOptions options;
    options.tolerance = 1e-11;
    const Answer first = solve(auto_friction, problem, options);
    for (const FrictionSolver* solver : friction_solvers()) {
      if (solver->polyhedral) continue;
      const Answer other = solve(*solver, problem, options);
      ASSERT_EQ(other.report.solve.termination, Termination::solved) << solver->name;
      for (int i = 0; i < 12; ++i) EXPECT_NEAR(other.r[i], first.r[i], 1e-8) << solver->name;
    }
  }
}

}  // namespace
}  // namespace stiction::solvers
