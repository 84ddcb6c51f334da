// Sparse Lemke against the tableau, warm starts, rays that refute.
#include "stiction/solvers/lcp/sparse_lemke.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "stiction/certify/lcp_no_solution.h"
#include "stiction/certify/lcp_residual.h"
#include "support/box_stack.h"
#include "support/random_lcp.h"

namespace stiction::solvers {
namespace {

using ::stiction::testing::all_pairs;
using ::stiction::testing::box_stack;
using ::stiction::testing::LcpKind;
using ::stiction::testing::polyhedral_lcp;
using ::stiction::testing::random_mixed_lcp;
using ::stiction::testing::StackOptions;

SolveReport solve(const MatrixX& M, const VectorX& q, bool warm, SparseLemkeWorkspace& workspace, VectorX& z,
                  VectorX& w) {
  SparseColumns columns;
  columns.assign_dense(static_cast<int>(q.size()), M.data());
  z.resize(q.size());
  w.resize(q.size());
  return solve_sparse_lemke(columns, q.data(), warm, {}, workspace, z.data(), w.data());
}

TEST(SparseLemke, MatchesTheTableauWhereTheAnswerIsUnique) {
  std::mt19937 random(41);
  SparseLemkeWorkspace workspace;
  for (int trial = 0; trial < 200; ++trial) {
    const MixedLcp mixed = random_mixed_lcp(LcpKind::p_matrix, 1 + trial % 40, random);
    const Lcp problem = {mixed.M, mixed.q};
    VectorX z, w, dense;
    ASSERT_EQ(solve(problem.M, problem.q, false, workspace, z, w).termination, Termination::solved) << trial;
    ASSERT_EQ(solve_lemke(problem, dense).termination, Termination::solved);
    EXPECT_LT((z - dense).norm(), 1e-8 * (1 + dense.norm()));
    EXPECT_LT(certify::lcp_residual(problem, z), 1e-10);  // condition up to 1e5
    EXPECT_LT((problem.M * z + problem.q - w).norm(), 1e-10 * (1 + problem.q.norm()));
    EXPECT_EQ(z.dot(w), 0);
  }
}

// Without the lexicographic rule degenerate stacks may fail; what is called solved must be.
TEST(SparseLemke, SolvedIsSolvedOnDegenerateStacks) {
  SparseLemkeWorkspace workspace;
  int solved = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    StackOptions options;
    options.seed = seed;
    options.boxes = 1 + seed % 4;
    options.push = seed % 3 == 0 ? 0 : 1;
    const Lcp problem = polyhedral_lcp(box_stack(options), 8).lcp;
    VectorX z, w;
    if (solve(problem.M, problem.q, false, workspace, z, w).termination != Termination::solved) continue;
    EXPECT_LT(certify::lcp_residual(problem, z), 1e-8) << seed;
    ++solved;
  }
  EXPECT_GT(solved, 80);
}

TEST(SparseLemke, WarmStartFindsTheSameAnswer) {
  std::mt19937 random(42);
  int warm = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const MixedLcp problem = random_mixed_lcp(LcpKind::p_matrix, 30, random);
    SparseLemkeWorkspace workspace;
    VectorX z, w, cold;
    ASSERT_EQ(solve(problem.M, problem.q, false, workspace, z, w).termination, Termination::solved);
    const VectorX q = problem.q + 1e-4 * VectorX::LinSpaced(30, -1, 1);
    const SolveReport report = solve(problem.M, q, true, workspace, z, w);
    ASSERT_EQ(report.termination, Termination::solved);
    warm += report.warm_started;
    SparseLemkeWorkspace fresh;
    ASSERT_EQ(solve(problem.M, q, false, fresh, cold, w).termination, Termination::solved);
    EXPECT_LT((z - cold).norm(), 1e-8 * (1 + cold.norm()));
  }
  EXPECT_GT(warm, 40);
}

// Positive semidefinite and infeasible: the ray's z is Farkas' proof.
TEST(SparseLemke, RayRefutesSemidefiniteProblems) {
  std::mt19937 random(43);
  SparseLemkeWorkspace workspace;
  int rays = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const MixedLcp problem = random_mixed_lcp(LcpKind::low_rank, 2 + trial % 20, random);
    VectorX z, w;
    if (solve(problem.M, problem.q, false, workspace, z, w).termination == Termination::solved) continue;
    if (workspace.ray.empty()) continue;
    ++rays;
    const VectorX y = Eigen::Map<const VectorX>(workspace.ray.data(), problem.q.size());
    EXPECT_TRUE(certify::check_no_solution(problem, {{-1}, {y}}).proved) << trial;
  }
  EXPECT_GT(rays, 30);
}

TEST(SparseLemke, NotFiniteIsNotFound) {
  SparseLemkeWorkspace workspace;
  VectorX z, w;
  const Vector2 q(-1, std::numeric_limits<double>::infinity());
  EXPECT_EQ(solve(MatrixX::Identity(2, 2), q, false, workspace, z, w).termination, Termination::not_found);
  EXPECT_TRUE(std::isnan(z[0]));
}

TEST(SparseLemke, TimeLimitIsReported) {
  const int n = 300;
  MatrixX M = 2 * MatrixX::Identity(n, n);
  for (int i = 1; i < n; ++i) M(i, i - 1) = M(i - 1, i) = -1;
  SparseColumns columns;
  columns.assign_dense(n, M.data());
  const VectorX q = VectorX::Constant(n, -1);
  SparseLemkeOptions options;
  options.time_limit = -1;
  SparseLemkeWorkspace workspace;
  VectorX z(n), w(n);
  const SolveReport report = solve_sparse_lemke(columns, q.data(), false, options, workspace, z.data(), w.data());
  EXPECT_EQ(report.termination, Termination::time_limit);
}

}  // namespace
}  // namespace stiction::solvers
