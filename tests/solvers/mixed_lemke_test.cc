// Mixed LCPs: against Lemke on the Schur complement, with singular equations, and on the dumped circuits.
#include "stiction/solvers/lcp/mixed_lemke.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "stiction/certify/lcp_residual.h"
#include "stiction/io/matrix_market.h"
#include "support/stored_problems.h"

namespace stiction::solvers {
namespace {

// A joint on a particle over the ground, in the unknowns (v, p_joint, p_n): the mixed LCP of trinkle2003 before
// elimination.
MixedLcp particle_with_joint(int copies) {
  // Velocities (vx, vz) of mass 2; `copies` of the joint vx = 1; contact vz >= 0. v_free = (0, -1).
  const int n = 2 + copies + 1;
  MixedLcp problem = {MatrixX::Zero(n, n), VectorX::Zero(n), std::vector<std::uint8_t>(n, 0)};
  problem.M(0, 0) = problem.M(1, 1) = 2;
  problem.q[1] = 2;
  for (int k = 0; k < copies; ++k) {
    problem.M(0, 2 + k) = -1;
    problem.M(2 + k, 0) = 1;
    problem.q[2 + k] = -1;
  }
  problem.M(1, n - 1) = -1;
  problem.M(n - 1, 1) = 1;
  problem.is_complementarity[n - 1] = 1;
  return problem;
}

TEST(MixedLemke, ParticleWithJointAndContact) {
  VectorX z;
  ASSERT_EQ(solve_mixed_lemke(particle_with_joint(1), z).termination, Termination::solved);
  EXPECT_LT((z - Vector4(1, 0, 2, 2)).norm(), 1e-14);
}

// The same joint twice: the equations are singular but consistent, and only the sum of the joint impulses is
// determined.
TEST(MixedLemke, RedundantEquations) {
  const MixedLcp problem = particle_with_joint(2);
  VectorX z;
  ASSERT_EQ(solve_mixed_lemke(problem, z).termination, Termination::solved);
  EXPECT_LT(certify::mixed_lcp_residual(problem, z), 1e-14);
  EXPECT_NEAR(z[0], 1, 1e-14);
  EXPECT_NEAR(z[2] + z[3], 2, 1e-14);
}

TEST(MixedLemke, ContradictingEquationsAreNotSolved) {
  MixedLcp problem = particle_with_joint(2);
  problem.q[3] = -2;
  VectorX z;
  EXPECT_EQ(solve_mixed_lemke(problem, z).termination, Termination::not_found);
}

// Equations without a block of their own: z_0 free appears only in w_1, the equation determines z_1.
TEST(MixedLemke, EquationsThatNeedAPair) {
  const MixedLcp problem = {(MatrixX(2, 2) << 0, 1, 1, 1).finished(), Vector2(-3, 4), {0, 1}};
  VectorX z;
  ASSERT_EQ(solve_mixed_lemke(problem, z).termination, Termination::solved);
  EXPECT_NEAR(z[1], 3, 1e-14);
  EXPECT_NEAR(z[0] + z[1] + 4, 0, 1e-14);  // z_1 > 0, so w_1 = 0
}

TEST(MixedLemke, MatchesTheSchurComplement) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    const int equations = 1 + trial % 5;
    const int n = equations + 1 + trial % 7;
    const MatrixX A = MatrixX::NullaryExpr(n, n, [&] { return uniform(random); });
    MixedLcp problem = {A * A.transpose() + 0.1 * MatrixX::Identity(n, n),
                        VectorX::NullaryExpr(n, [&] { return uniform(random); }),
                        {}};
    for (int i = 0; i < n; ++i) problem.is_complementarity.push_back(i >= equations);
    const int rest = n - equations;
    const auto E = problem.M.topLeftCorner(equations, equations).partialPivLu();
    const MatrixX C = problem.M.bottomLeftCorner(rest, equations);
    const Lcp schur = {problem.M.bottomRightCorner(rest, rest) - C * E.solve(problem.M.topRightCorner(equations, rest)),
                       problem.q.tail(rest) - C * E.solve(problem.q.head(equations))};
    VectorX z, x;
    ASSERT_EQ(solve_lemke(schur, x).termination, Termination::solved);
    ASSERT_EQ(solve_mixed_lemke(problem, z).termination, Termination::solved);
    EXPECT_LT((z.tail(rest) - x).norm(), 1e-10 * (1 + x.norm()));  // condition up to about 1e4
    EXPECT_LT(certify::mixed_lcp_residual(problem, z), 1e-11);
  }
}

TEST(MixedLemke, OnlyEquations) {
  const MixedLcp problem = {2 * MatrixX::Identity(3, 3), VectorX::Constant(3, 1), {0, 0, 0}};
  VectorX z;
  ASSERT_EQ(solve_mixed_lemke(problem, z).termination, Termination::solved);
  EXPECT_LT((z - VectorX::Constant(3, -0.5)).norm(), 1e-15);
}

TEST(MixedLemke, NotFiniteIsNotFound) {
  MixedLcp problem = particle_with_joint(1);
  problem.q[0] = std::numeric_limits<double>::quiet_NaN();
  VectorX z;
  EXPECT_EQ(solve_mixed_lemke(problem, z).termination, Termination::not_found);
}

// What is called solved must be; how many were.
int solve_folder(const std::filesystem::path& folder) {
  int solved = 0;
  for (const auto& path : testing::entries_of(folder)) {
    const auto problem = read_mixed_lcp(path);
    EXPECT_TRUE(problem) << (problem ? "" : problem.error().message());
    if (!problem) continue;
    VectorX z;
    const SolveReport report = solve_mixed_lemke(*problem, z);
    if (report.termination != Termination::solved) continue;
    EXPECT_LE(certify::mixed_lcp_residual(*problem, z), 1e-8) << path;
    ++solved;
  }
  return solved;
}

TEST(MixedLemke, SolvesOurOwnProblem) {
  EXPECT_EQ(solve_folder(testing::own_problems() / "mlcp"), 1);
}

TEST(MixedLemkeStudy, DumpedProblems) {
  const auto folder = testing::shared_problems() / "mlcp";
  STICTION_STUDY_ON(folder);
  EXPECT_EQ(solve_folder(folder), 10);  // all that there are
}

}  // namespace
}  // namespace stiction::solvers
