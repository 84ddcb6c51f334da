// Lemke against closed forms, brute-force enumeration and thousands of friction problems with redundant contacts.
#include "stiction/solvers/lcp/lemke.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "stiction/certify/lcp_residual.h"
#include "support/box_stack.h"

namespace stiction::solvers {
namespace {

using ::stiction::testing::box_stack;
using ::stiction::testing::polyhedral_lcp;
using ::stiction::testing::PolyhedralLcp;
using ::stiction::testing::StackOptions;
using ::stiction::testing::step_answer;

// What rounding alone leaves of the residual: some fifty units in the last place of the terms of w. (With masses of 1
// and 1e6 kg the terms are much larger than q.)
double rounding(const Lcp& problem, const VectorX& z) {
  return 1e-14 * (problem.M.cwiseAbs() * z.cwiseAbs() + problem.q.cwiseAbs()).norm() / problem.q.norm();
}

Lcp random_lcp(int n, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const MatrixX A = MatrixX::NullaryExpr(n, n, [&] { return uniform(random); });
  const MatrixX S = MatrixX::NullaryExpr(n, n, [&] { return uniform(random); });
  return {A * A.transpose() + (S - S.transpose()), VectorX::NullaryExpr(n, [&] { return uniform(random); })};
}

// Every complementary basis in turn: the first that is feasible, or nothing.
bool enumerate(const Lcp& problem, VectorX& z) {
  const int n = static_cast<int>(problem.q.size());
  for (int mask = 0; mask < (1 << n); ++mask) {
    MatrixX B = MatrixX::Identity(n, n);
    for (int i = 0; i < n; ++i) {
      if (mask >> i & 1) B.col(i) = -problem.M.col(i);
    }
    const Eigen::FullPivLU<MatrixX> lu(B);
    if (!lu.isInvertible()) continue;
    const VectorX x = lu.solve(problem.q);
    if (x.minCoeff() < -1e-12) continue;
    z = VectorX::Zero(n);
    for (int i = 0; i < n; ++i) z[i] = (mask >> i & 1) ? x[i] : 0.0;
    return true;
  }
  return false;
}

TEST(Lemke, MatchesEnumerationWhereTheAnswerIsUnique) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const Lcp problem = random_lcp(1 + trial % 7, random);  // a P matrix: exactly one answer
    VectorX z, oracle;
    ASSERT_TRUE(enumerate(problem, oracle));
    ASSERT_EQ(solve_lemke(problem, z).termination, Termination::solved);
    // Both solve a block of condition below 1e6 in these draws.
    EXPECT_LT((z - oracle).norm(), 1e-8 * (1 + oracle.norm()));
  }
}

// trinkle2003 (48), with the row and the signs that ERRATA restores, over the five steps of figure 8.
TEST(Lemke, SphereOfTrinkle2003) {
  const double h = 0.12, g = 9.81, mu = 0.2;
  Lcp problem;
  problem.M.resize(6, 6);
  problem.M << 1, 0, 0, 0, 0, 0,  //
      0, 3.5, -3.5, 0, 0, 1,      //
      0, -3.5, 3.5, 0, 0, 1,      //
      0, 0, 0, 3.5, -3.5, 1,      //
      0, 0, 0, -3.5, 3.5, 1,      //
      mu, -1, -1, -1, -1, 0;
  double v = 2, omega = 0;
  for (int step = 1; step <= 5; ++step) {
    problem.q.resize(6);
    problem.q << -g * h, v - omega, omega - v, 0, 0, 0;
    VectorX z;
    ASSERT_EQ(solve_lemke(problem, z).termination, Termination::solved);
    EXPECT_NEAR(z[0], g * h, 1e-14);
    v += z[1] - z[2];
    omega -= 2.5 * (z[1] - z[2]);
    const double slide = 2 - mu * g * h * step;  // closed form while sliding, 5/7 v0 once rolling
    const bool sliding = step * h < 2 * 2 / (7 * mu * g);
    EXPECT_NEAR(v, sliding ? slide : 10.0 / 7, 1e-14) << step;
    EXPECT_NEAR(omega, sliding ? 2.5 * (2 - slide) : 10.0 / 7, 1e-14) << step;
    EXPECT_NEAR(z[3] - z[4], 0, 1e-15);
  }
}

TEST(Lemke, TiesOnEveryRow) {
  for (const int n : {1, 2, 5, 20, 60}) {
    Lcp problem = {MatrixX::Ones(n, n), VectorX::Constant(n, -1)};  // rank one: sum of z = 1
    VectorX z;
    ASSERT_EQ(solve_lemke(problem, z).termination, Termination::solved) << n;
    EXPECT_NEAR(z.sum(), 1, 1e-15);
    EXPECT_GE(z.minCoeff(), 0);
    problem.q.setZero();
    ASSERT_EQ(solve_lemke(problem, z).termination, Termination::solved);
    EXPECT_EQ(z.norm(), 0);
  }
}

TEST(Lemke, NoSolutionIsNotFoundRatherThanWrong) {
  const Lcp problem = {MatrixX::Constant(1, 1, -1), VectorX::Constant(1, -1)};
  VectorX z;
  EXPECT_EQ(solve_lemke(problem, z).termination, Termination::not_found);
  const Lcp skew = {(MatrixX(2, 2) << 0, 1, -1, 0).finished(), VectorX::Constant(2, -1)};
  EXPECT_EQ(solve_lemke(skew, z).termination, Termination::not_found);
}

TEST(Lemke, NotFiniteIsNotFound) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Lcp problem = {MatrixX::Identity(9, 9), VectorX::Constant(9, -1)};
    VectorX z;
    problem.q[7] = bad;
    EXPECT_EQ(solve_lemke(problem, z).termination, Termination::not_found);
    EXPECT_TRUE(std::isnan(z[0]));
    problem.q[7] = -1;
    problem.M(3, 4) = bad;
    EXPECT_EQ(solve_lemke(problem, z).termination, Termination::not_found);
  }
}

TEST(Lemke, EmptyProblem) {
  VectorX z;
  EXPECT_EQ(solve_lemke(Lcp{MatrixX(0, 0), VectorX(0)}, z).termination, Termination::solved);
}

// Redundant contacts, polyhedral cones, zero blocks: the LCPs that the time stepper meets.
class LemkeFriction : public ::testing::TestWithParam<int> {};

TEST_P(LemkeFriction, SolvesStacksOfEveryKind) {
  const int directions = GetParam();
  std::mt19937 random(directions);
  int count = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    StackOptions options;
    options.seed = seed;
    options.boxes = 1 + seed % 3;
    options.tower = seed % 5 != 0;
    options.friction = std::vector<double>{0, 0.1, 0.5, 1.5}[seed % 4];
    options.push = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0.1 : 3;
    options.jitter = seed % 7 == 0 ? 0.01 : 0;
    options.mass_ratio = seed % 11 == 0 ? 1000 : 1;
    const PolyhedralLcp problem = polyhedral_lcp(box_stack(options), directions);
    VectorX z;
    const SolveReport report = solve_lemke(problem.lcp, z);
    EXPECT_EQ(report.termination, Termination::solved) << "seed " << seed;
    EXPECT_LT(certify::lcp_residual(problem.lcp, z), rounding(problem.lcp, z)) << "seed " << seed;
    count += report.termination == Termination::solved;
  }
  EXPECT_EQ(count, 500);
}

INSTANTIATE_TEST_SUITE_P(Directions, LemkeFriction, ::testing::Values(4, 6, 8, 16));

TEST(Lemke, TowerOfTenBoxesStandsStill) {
  StackOptions options;
  options.boxes = 10;
  const StepProblem step = box_stack(options);
  const PolyhedralLcp problem = polyhedral_lcp(step, 4);
  VectorX z;
  ASSERT_EQ(solve_lemke(problem.lcp, z).termination, Termination::solved);
  // Rounding of J, M^-1 and z: 1e-16 times g h times the number of contacts.
  EXPECT_LT(step_answer(step, problem, z).v_end.lpNorm<Eigen::Infinity>(), 1e-13);
}

// A heavy box on a light one: contacts are degenerate and the basic block is nearly singular.
TEST(Lemke, HeavyOnLightStandsStill) {
  for (const int directions : {4, 8}) {
    StackOptions options;
    options.boxes = 2;
    options.mass_ratio = 1000;
    const StepProblem step = box_stack(options);
    const PolyhedralLcp problem = polyhedral_lcp(step, directions);
    VectorX z;
    ASSERT_EQ(solve_lemke(problem.lcp, z).termination, Termination::solved);
    // Rounding of impulses of 160 N s on a mass of 1 kg.
    EXPECT_LT(step_answer(step, problem, z).v_end.lpNorm<Eigen::Infinity>(), 1e-12);
  }
}

// A warm start must find the same velocities as a cold one, from the basis of a neighbouring problem.
TEST(Lemke, WarmStartAgreesWithCold) {
  int warm_count = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    StackOptions options;
    options.boxes = 1 + seed % 3;
    options.push = 0.3;
    options.seed = seed;
    StepProblem step = box_stack(options);
    PolyhedralLcp problem = polyhedral_lcp(step, 8);
    const int n = static_cast<int>(problem.lcp.q.size());
    LemkeWorkspace workspace;
    VectorX z(n), w(n), cold;
    solve_lemke({n, problem.lcp.M.data(), problem.lcp.q.data()}, false, {}, workspace, z.data(), w.data());
    for (int repeat = 0; repeat < 5; ++repeat) {
      step.v_free.array() += 1e-3 * (1 + repeat);
      problem = polyhedral_lcp(step, 8);
      const SolveReport report =
          solve_lemke({n, problem.lcp.M.data(), problem.lcp.q.data()}, true, {}, workspace, z.data(), w.data());
      ASSERT_EQ(report.termination, Termination::solved);
      warm_count += report.warm_started;
      EXPECT_LT(certify::lcp_residual(problem.lcp, z), rounding(problem.lcp, z));
      ASSERT_EQ(solve_lemke(problem.lcp, cold).termination, Termination::solved);
      const VectorX difference = step_answer(step, problem, z).v_end - step_answer(step, problem, cold).v_end;
      EXPECT_LT(difference.norm(), 1e-9) << seed << " " << repeat;
      EXPECT_LT((problem.lcp.M * z + problem.lcp.q - w).lpNorm<Eigen::Infinity>(), 1e-12);
    }
  }
  EXPECT_GT(warm_count, 150);
}

TEST(Lemke, WrongGuessesDoNoHarm) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    StackOptions options;
    options.boxes = 1 + trial % 2;
    options.push = 1;
    options.seed = trial;
    const PolyhedralLcp problem = polyhedral_lcp(box_stack(options), 4);
    const int n = static_cast<int>(problem.lcp.q.size());
    LemkeWorkspace workspace;
    workspace.basis.resize(n);
    for (auto& bit : workspace.basis) bit = random() % 2;
    VectorX z(n), w(n);
    const SolveReport report =
        solve_lemke({n, problem.lcp.M.data(), problem.lcp.q.data()}, true, {}, workspace, z.data(), w.data());
    EXPECT_EQ(report.termination, Termination::solved);
    EXPECT_LT(certify::lcp_residual(problem.lcp, z), rounding(problem.lcp, z));
  }
}

TEST(Lemke, SameBitsEveryTime) {
  StackOptions options;
  options.boxes = 3;
  options.push = 1;
  const PolyhedralLcp problem = polyhedral_lcp(box_stack(options), 8);
  VectorX first, second;
  solve_lemke(problem.lcp, first);
  solve_lemke(problem.lcp, second);
  EXPECT_EQ(first, second);
}

// One contact of a plane mechanism: across its plane W is rounding squared. Taken for a scale, it would hide the bound
// on friction, mu p_n - sum of beta >= 0, behind a factor of 1e16.
TEST(Lemke, RoundingOnTheDiagonalDoesNotHideTheFrictionBound) {
  const double mu = 0.3, tiny = 4e-33;
  Lcp lcp;
  lcp.M = MatrixX::Zero(6, 6);  // p_n, beta along +t, +o, -t, -o, sigma
  lcp.M(0, 0) = 2.5, lcp.M(1, 1) = lcp.M(3, 3) = 1.5, lcp.M(1, 3) = lcp.M(3, 1) = -1.5;
  lcp.M(0, 1) = lcp.M(1, 0) = 0.7, lcp.M(0, 3) = lcp.M(3, 0) = -0.7;
  lcp.M(2, 2) = lcp.M(4, 4) = tiny, lcp.M(2, 4) = lcp.M(4, 2) = -tiny;
  lcp.M(5, 0) = mu;
  for (int j = 1; j <= 4; ++j) lcp.M(j, 5) = 1, lcp.M(5, j) = -1;
  lcp.q = VectorX::Zero(6);
  lcp.q << -1, 0.8, 1e-17, -0.8, -1e-17, 0;
  VectorX z;
  ASSERT_EQ(solve_lemke(lcp, z).termination, Termination::solved);
  const VectorX w = lcp.M * z + lcp.q;
  EXPECT_GE(w.minCoeff(), -1e-12);
  EXPECT_GE(z.minCoeff(), 0);
  EXPECT_NEAR(z.dot(w), 0, 1e-12);
}

}  // namespace
}  // namespace stiction::solvers
