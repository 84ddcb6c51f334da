// Enumeration against brute force over invertible patterns, and on singular patterns by hand.
#include "stiction/solvers/lcp/enumeration.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "stiction/certify/lcp_no_solution.h"
#include "stiction/certify/lcp_residual.h"
#include "support/random_lcp.h"

namespace stiction::solvers {
namespace {

using ::stiction::testing::all_lcp_kinds;
using ::stiction::testing::all_pairs;
using ::stiction::testing::LcpKind;
using ::stiction::testing::random_mixed_lcp;
using ::stiction::testing::some_pattern_solves;

class EnumerationKinds : public ::testing::TestWithParam<LcpKind> {};

TEST_P(EnumerationKinds, EndsWithAnAnswerOrAProof) {
  std::mt19937 random(21);
  for (int trial = 0; trial < 400; ++trial) {
    const MixedLcp problem = random_mixed_lcp(GetParam(), 1 + trial % 8, random, trial % 2 == 0 ? 0.0 : 0.3);
    VectorX z, oracle;
    LcpNoSolutionProof proof;
    const SolveReport report = solve_enumeration(problem, {}, z, &proof);
    if (report.termination == Termination::solved) {
      EXPECT_LE(certify::mixed_lcp_residual(problem, z), 1e-8) << trial;
      continue;
    }
    ASSERT_EQ(report.termination, Termination::no_solution) << trial;
    EXPECT_FALSE(some_pattern_solves(problem, oracle)) << trial;
    EXPECT_TRUE(certify::check_no_solution(problem, proof).proved) << trial;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EnumerationKinds, ::testing::ValuesIn(all_lcp_kinds));

TEST(Enumeration, AgreesWithBruteForceWhereTheAnswerIsUnique) {
  std::mt19937 random(22);
  for (int trial = 0; trial < 200; ++trial) {
    const MixedLcp problem = random_mixed_lcp(LcpKind::p_matrix, 1 + trial % 7, random);
    VectorX z, oracle;
    ASSERT_TRUE(some_pattern_solves(problem, oracle));
    ASSERT_EQ(solve_enumeration(problem, {}, z, nullptr).termination, Termination::solved);
    EXPECT_LT((z - oracle).norm(), 1e-8 * (1 + oracle.norm()));  // blocks of condition below 1e6
  }
}

// All patterns with an answer are singular: M = [1 -1; -1 1], q = (-1, 1): z1 - z2 = 1 and both z basic.
TEST(Enumeration, SingularPatternsCount) {
  const MixedLcp problem = {(MatrixX(2, 2) << 1, -1, -1, 1).finished(), Vector2(-1, 1), {0, 0}};
  VectorX z;
  ASSERT_EQ(solve_enumeration(problem, {}, z, nullptr).termination, Termination::solved);
  EXPECT_NEAR(z[0] - z[1], 1, 1e-15);
}

TEST(Enumeration, LimitsAreReported) {
  std::mt19937 random(23);
  const MixedLcp hard = {(MatrixX(2, 2) << 1, 0, 1, 0).finished(), Vector2(-1, -2), {1, 0}};
  VectorX z;
  EnumerationOptions options;
  options.max_nodes = 1;
  EXPECT_EQ(solve_enumeration(hard, options, z, nullptr).termination, Termination::not_found);
  options = {};
  options.time_limit = -1;
  EXPECT_EQ(solve_enumeration(hard, options, z, nullptr).termination, Termination::time_limit);
}

TEST(Enumeration, NotFiniteIsNotFound) {
  const MixedLcp problem = all_pairs({MatrixX::Identity(2, 2), Vector2(-1, std::numeric_limits<double>::quiet_NaN())});
  VectorX z;
  EXPECT_EQ(solve_enumeration(problem, {}, z, nullptr).termination, Termination::not_found);
}

TEST(Enumeration, EmptyProblem) {
  VectorX z;
  EXPECT_EQ(solve_enumeration({MatrixX(0, 0), VectorX(0), {}}, {}, z, nullptr).termination, Termination::solved);
}

}  // namespace
}  // namespace stiction::solvers
