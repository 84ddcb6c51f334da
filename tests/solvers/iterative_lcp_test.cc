// Newton and projected Gauss-Seidel on LCPs: closed forms, Lemke as oracle, the best iterate on failure.
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "stiction/certify/lcp_residual.h"
#include "stiction/solvers/lcp/lemke.h"
#include "stiction/solvers/lcp/newton_lcp.h"
#include "stiction/solvers/lcp/pgs_lcp.h"
#include "support/random_lcp.h"

namespace stiction::solvers {
namespace {

using ::stiction::testing::LcpKind;
using ::stiction::testing::random_mixed_lcp;

SparseColumns sparse(const MatrixX& M) {
  SparseColumns columns;
  columns.assign_dense(static_cast<int>(M.cols()), M.data());
  return columns;
}

// A string pressed on a floor: -z'' + f >= 0, z >= 0. Symmetric positive definite.
Lcp obstacle(int n) {
  MatrixX M = 2 * MatrixX::Identity(n, n);
  for (int i = 1; i < n; ++i) M(i, i - 1) = M(i - 1, i) = -1;
  return {M, VectorX::NullaryExpr(n, [&](Eigen::Index i) { return i < n / 2 ? -0.1 : 0.3; })};
}

TEST(NewtonLcp, MatchesLemkeOnPMatrices) {
  std::mt19937 random(51);
  NewtonLcpWorkspace workspace;
  int solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const MixedLcp mixed = random_mixed_lcp(LcpKind::p_matrix, 1 + trial % 25, random);
    const Lcp problem = {mixed.M, mixed.q};
    VectorX z(problem.q.size()), lemke;
    const SolveReport report = solve_newton_lcp(sparse(problem.M), problem.q.data(), nullptr, {}, workspace, z.data());
    EXPECT_TRUE(z.allFinite());
    if (report.termination != Termination::solved) continue;
    ++solved;
    ASSERT_EQ(solve_lemke(problem, lemke).termination, Termination::solved);
    EXPECT_LE(certify::lcp_residual(problem, z), 1.001e-8);
    EXPECT_LT((z - lemke).norm(), 1e-3 * (1 + lemke.norm()));  // a residual of 1e-8 times a condition of 1e5
  }
  EXPECT_GE(solved, 198);
}

TEST(NewtonLcp, MixedProblemsWithEquations) {
  std::mt19937 random(52);
  NewtonLcpWorkspace workspace;
  for (int trial = 0; trial < 100; ++trial) {
    const MixedLcp problem = random_mixed_lcp(LcpKind::p_matrix, 2 + trial % 20, random, 0.4);
    VectorX z(problem.q.size());
    const SolveReport report = solve_newton_lcp(sparse(problem.M), problem.q.data(), problem.is_complementarity.data(),
                                                {}, workspace, z.data());
    EXPECT_EQ(report.termination, Termination::solved) << trial;
    EXPECT_LE(certify::mixed_lcp_residual(problem, z), 1.001e-8);
  }
}

// The Jacobian at z = 0 is singular: M = 0 on the rows of the pair. Regularised, it still ends.
TEST(NewtonLcp, SingularJacobianIsRegularised) {
  const Lcp problem = {MatrixX::Ones(6, 6), VectorX::Constant(6, -1)};
  NewtonLcpWorkspace workspace;
  VectorX z(6);
  EXPECT_EQ(solve_newton_lcp(sparse(problem.M), problem.q.data(), nullptr, {}, workspace, z.data()).termination,
            Termination::solved);
  EXPECT_LE(certify::lcp_residual(problem, z), 1e-8);
}

TEST(NewtonLcp, NoAnswerIsNotFoundAndFinite) {
  const Lcp problem = {MatrixX::Constant(1, 1, -1), VectorX::Constant(1, -1)};
  NewtonLcpWorkspace workspace;
  VectorX z(1);
  EXPECT_EQ(solve_newton_lcp(sparse(problem.M), problem.q.data(), nullptr, {}, workspace, z.data()).termination,
            Termination::not_found);
  EXPECT_TRUE(z.allFinite());
}

TEST(PgsLcp, SolvesTheObstacleProblem) {
  const Lcp problem = obstacle(30);
  PgsLcpWorkspace workspace;
  VectorX z(30), lemke;
  ASSERT_EQ(solve_pgs_lcp(sparse(problem.M), problem.q.data(), nullptr, {}, workspace, z.data()).termination,
            Termination::solved);
  ASSERT_EQ(solve_lemke(problem, lemke).termination, Termination::solved);
  EXPECT_LE(certify::lcp_residual(problem, z), 1e-8);
  EXPECT_LT((z - lemke).norm(), 1e-5);  // residual 1e-8 |q| times 1 / smallest eigenvalue, about 100
}

TEST(PgsLcp, WarmStartFromTheAnswerNeedsNoSweep) {
  const Lcp problem = obstacle(30);
  PgsLcpWorkspace workspace;
  PgsLcpOptions options;
  VectorX z(30);
  solve_pgs_lcp(sparse(problem.M), problem.q.data(), nullptr, options, workspace, z.data());
  options.warm_start = true;
  EXPECT_EQ(solve_pgs_lcp(sparse(problem.M), problem.q.data(), nullptr, options, workspace, z.data()).iterations, 0);
}

TEST(PgsLcp, EquationsMayTakeEitherSign) {
  const MixedLcp problem = {(MatrixX(2, 2) << 2, 1, 1, 2).finished(), Vector2(3, -3), {0, 1}};
  PgsLcpWorkspace workspace;
  VectorX z(2);
  ASSERT_EQ(
      solve_pgs_lcp(sparse(problem.M), problem.q.data(), problem.is_complementarity.data(), {}, workspace, z.data())
          .termination,
      Termination::solved);
  EXPECT_LT((z - Vector2(-3, 3)).norm(), 1e-7);
}

// Divergence (a rotation) must leave the best sweep, finite.
TEST(PgsLcp, DivergenceIsNotFoundAndFinite) {
  const Lcp problem = {(MatrixX(2, 2) << 1, 9, -9, 1).finished(), Vector2(-1, 1)};
  const std::vector<std::uint8_t> equations = {0, 0};
  PgsLcpWorkspace workspace;
  VectorX z(2);
  const SolveReport report =
      solve_pgs_lcp(sparse(problem.M), problem.q.data(), equations.data(), {}, workspace, z.data());
  EXPECT_EQ(report.termination, Termination::not_found);
  EXPECT_TRUE(z.allFinite());
}

TEST(IterativeLcp, TimeLimitIsReported) {
  const Lcp problem = obstacle(30);
  VectorX z(30);
  PgsLcpOptions pgs;
  pgs.time_limit = -1;
  PgsLcpWorkspace pgs_workspace;
  EXPECT_EQ(solve_pgs_lcp(sparse(problem.M), problem.q.data(), nullptr, pgs, pgs_workspace, z.data()).termination,
            Termination::time_limit);
  NewtonLcpOptions newton;
  newton.time_limit = -1;
  NewtonLcpWorkspace workspace;
  EXPECT_EQ(solve_newton_lcp(sparse(problem.M), problem.q.data(), nullptr, newton, workspace, z.data()).termination,
            Termination::time_limit);
}

}  // namespace
}  // namespace stiction::solvers
