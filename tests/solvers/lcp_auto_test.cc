// The chain of LCP solvers: every dumped problem, random problems of every class, each ending in an answer that the
// certificate accepts or a proof that it accepts.
#include "stiction/solvers/lcp/lcp_auto.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "stiction/certify/lcp_no_solution.h"
#include "stiction/certify/lcp_residual.h"
#include "stiction/io/matrix_market.h"
#include "stiction/solvers/registry.h"
#include "support/random_lcp.h"
#include "support/stored_problems.h"

namespace stiction::solvers {
namespace {

using ::stiction::testing::all_lcp_kinds;
using ::stiction::testing::all_pairs;
using ::stiction::testing::LcpKind;
using ::stiction::testing::random_mixed_lcp;

// What the project promises of stored problems: 1e-8 by the certificate, or a proof.
int solve_folder(const std::filesystem::path& folder, bool mixed) {
  LcpWorkspace workspace;
  int count = 0;
  for (const auto& path : testing::entries_of(folder)) {
    MixedLcp problem;
    if (mixed) {
      const auto read = read_mixed_lcp(path);
      EXPECT_TRUE(read) << (read ? "" : read.error().message());
      if (read) problem = *read;
    } else {
      const auto read = read_lcp(path);
      EXPECT_TRUE(read) << (read ? "" : read.error().message());
      if (read) problem = all_pairs(*read);
    }
    VectorX z;
    const LcpReport report = solve_lcp(auto_lcp, problem, {}, workspace, z);
    EXPECT_FALSE(report.rung.empty());
    if (report.solve.termination == Termination::no_solution) {
      EXPECT_TRUE(certify::check_no_solution(problem, report.proof).proved) << path;
    } else {
      EXPECT_EQ(report.solve.termination, Termination::solved) << path;
      EXPECT_LE(certify::mixed_lcp_residual(problem, z), 1e-8) << path;
    }
    ++count;
  }
  return count;
}

TEST(LcpAuto, SolvesOurOwnProblems) {
  EXPECT_EQ(solve_folder(testing::own_problems() / "lcp", false), 6);
  EXPECT_EQ(solve_folder(testing::own_problems() / "mlcp", true), 1);
}

TEST(LcpAutoStudy, SolvesEveryDumpedLcp) {
  const auto folder = testing::shared_problems() / "lcp";
  STICTION_STUDY_ON(folder);
  EXPECT_EQ(solve_folder(folder, false), 30);
}

TEST(LcpAutoStudy, SolvesOrRefutesEveryDumpedMixedLcp) {
  const auto folder = testing::shared_problems() / "mlcp";
  STICTION_STUDY_ON(folder);
  EXPECT_EQ(solve_folder(folder, true), 10);
}

class LcpAutoKinds : public ::testing::TestWithParam<LcpKind> {};

TEST_P(LcpAutoKinds, EndsWithAnAnswerOrAProof) {
  std::mt19937 random(61);
  LcpWorkspace workspace;
  int refuted = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const MixedLcp problem = random_mixed_lcp(GetParam(), 1 + trial % 12, random, trial % 2 == 0 ? 0.0 : 0.3);
    VectorX z, oracle;
    const LcpReport report = solve_lcp(auto_lcp, problem, {}, workspace, z);
    const SolveReport enumeration = solve_enumeration(problem, {}, oracle, nullptr);
    ASSERT_EQ(report.solve.termination, enumeration.termination) << trial;
    if (report.solve.termination == Termination::solved) {
      EXPECT_LE(certify::mixed_lcp_residual(problem, z), 1e-8) << trial;
      continue;
    }
    ++refuted;
    EXPECT_TRUE(certify::check_no_solution(problem, report.proof).proved) << trial;
  }
  EXPECT_GT(refuted, GetParam() == LcpKind::arbitrary ? 50 : -1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LcpAutoKinds, ::testing::ValuesIn(all_lcp_kinds));

// Above 250 rows: the sparse method, its ray as a proof, and the tableau behind it.
TEST(LcpAuto, LargeProblemsTakeTheSparseRung) {
  const int n = 300;
  MixedLcp problem = all_pairs({2 * MatrixX::Identity(n, n), VectorX::Constant(n, -1)});
  for (int i = 1; i < n; ++i) problem.M(i, i - 1) = problem.M(i - 1, i) = -1;
  LcpWorkspace workspace;
  VectorX z;
  LcpReport report = solve_lcp(auto_lcp, problem, {}, workspace, z);
  EXPECT_EQ(report.solve.termination, Termination::solved);
  EXPECT_EQ(report.rung, "sparse-lemke");
  EXPECT_LE(certify::mixed_lcp_residual(problem, z), 1e-12);  // condition 4e4
  // One body pressed from both sides by plates that close in: w = (v, -v) - 1 on the last two rows.
  problem.M.bottomRows(2).setZero();
  problem.M.rightCols(2).setZero();
  problem.M.bottomRightCorner(2, 2) << 1, -1, -1, 1;
  report = solve_lcp(auto_lcp, problem, {}, workspace, z);
  ASSERT_EQ(report.solve.termination, Termination::no_solution);
  EXPECT_EQ(report.rung, "farkas");
  EXPECT_TRUE(certify::check_no_solution(problem, report.proof).proved);
}

TEST(LcpAuto, WarmStartTakesTheBasisOfTheGuess) {
  std::mt19937 random(62);
  LcpWorkspace workspace;
  for (int trial = 0; trial < 50; ++trial) {
    MixedLcp problem = random_mixed_lcp(LcpKind::p_matrix, 20, random, trial % 2 == 0 ? 0.0 : 0.3);
    VectorX z;
    ASSERT_EQ(solve_lcp(auto_lcp, problem, {}, workspace, z).solve.termination, Termination::solved);
    problem.q *= 1.5;
    LcpOptions options;
    options.warm_start = true;
    const LcpReport report = solve_lcp(auto_lcp, problem, options, workspace, z);
    EXPECT_EQ(report.solve.termination, Termination::solved);
    EXPECT_EQ(report.rung, "warm-basis");
    EXPECT_LE(certify::mixed_lcp_residual(problem, z), 1e-8);
    z.setConstant(-7);  // a useless guess does no harm
    EXPECT_EQ(solve_lcp(auto_lcp, problem, options, workspace, z).solve.termination, Termination::solved);
  }
}

// z of 1e16 makes w come out as anything: M has rank one and the equations contradict each other.
TEST(LcpAuto, HugeValuesThatSwallowQAreNotAnAnswer) {
  const MixedLcp problem = {(MatrixX(2, 2) << 0.560822, 0.48433, 0.48433, 0.48433 * 0.48433 / 0.560822).finished(),
                            Vector2(0.88818, 0.0316148),
                            {0, 0}};
  LcpWorkspace workspace;
  VectorX z;
  const LcpReport report = solve_lcp(auto_lcp, problem, {}, workspace, z);
  ASSERT_EQ(report.solve.termination, Termination::no_solution);
  EXPECT_TRUE(certify::check_no_solution(problem, report.proof).proved);
}

TEST(LcpAuto, EverySolverAgreesWhereTheAnswerIsUnique) {
  std::mt19937 random(63);
  LcpWorkspace workspace;
  for (int trial = 0; trial < 50; ++trial) {
    MixedLcp problem = random_mixed_lcp(LcpKind::copositive, 8, random);
    problem.M = (0.1 * problem.M).eval() + MatrixX::Identity(8, 8);  // diagonally dominant: every method converges
    VectorX z, first;
    for (const LcpSolver* solver : lcp_solvers()) {
      const LcpReport report = solve_lcp(*solver, problem, {}, workspace, z);
      ASSERT_EQ(report.solve.termination, Termination::solved) << solver->name;
      if (solver == &auto_lcp) first = z;
      EXPECT_LT((z - first).norm(), 1e-6) << solver->name;  // residual 1e-8 times a condition below 10
    }
  }
}

TEST(LcpAuto, NotFiniteIsNotFoundAndFinite) {
  MixedLcp problem = all_pairs({MatrixX::Identity(3, 3), VectorX::Constant(3, -1)});
  problem.M(1, 1) = std::numeric_limits<double>::quiet_NaN();
  LcpWorkspace workspace;
  VectorX z;
  EXPECT_EQ(solve_lcp(auto_lcp, problem, {}, workspace, z).solve.termination, Termination::not_found);
  EXPECT_EQ(z, VectorX::Zero(3));
}

}  // namespace
}  // namespace stiction::solvers
