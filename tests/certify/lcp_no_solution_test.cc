// Proofs of non-existence: right ones pass, tampered ones do not, and what has an answer can never be refuted.
#include "stiction/certify/lcp_no_solution.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "stiction/certify/lcp_residual.h"
#include "stiction/solvers/lcp/enumeration.h"
#include "support/random_lcp.h"

namespace stiction::certify {
namespace {

using ::stiction::solvers::solve_enumeration;
using ::stiction::solvers::Termination;
using ::stiction::testing::all_lcp_kinds;
using ::stiction::testing::all_pairs;
using ::stiction::testing::LcpKind;
using ::stiction::testing::random_mixed_lcp;

MixedLcp one_row(double M, double q) {
  return all_pairs({MatrixX::Constant(1, 1, M), VectorX::Constant(1, q)});
}

// w = -z - 1 >= 0 with z >= 0: y = 1 by hand.
TEST(LcpNoSolution, FarkasByHand) {
  const NoSolutionCheck check = check_no_solution(one_row(-1, -1), {{-1}, {VectorX::Ones(1)}});
  EXPECT_TRUE(check.proved) << check.reason;
  EXPECT_EQ(check.leaves, 1);
  EXPECT_GT(check.radius, 1e6);
}

TEST(LcpNoSolution, EnumerationByHand) {
  // w1 = z1 - 1 >= 0 wants z1 >= 1, and then w1 = 0, z1 = 1; the equation z1 = 2 contradicts it. The relaxation
  // z1 = 2, w1 = 1 is feasible: only cases refute it.
  const MixedLcp problem = {(MatrixX(2, 2) << 1, 0, 1, 0).finished(), Vector2(-1, -2), {1, 0}};
  const LcpNoSolutionProof lone_leaf = {{-1}, {Vector2(1, -1)}};
  EXPECT_FALSE(check_no_solution(problem, lone_leaf).proved);
  // z1 = 0: the equation says -2 = 0, y = (0, 1). w1 = 0: y = (-1, 1): M^T y = 0 and y . q = -1.
  const LcpNoSolutionProof cases = {{0, -1, -1}, {Vector2(0, 1), Vector2(-1, 1)}};
  const NoSolutionCheck check = check_no_solution(problem, cases);
  EXPECT_TRUE(check.proved) << check.reason;
  EXPECT_EQ(check.leaves, 2);
}

TEST(LcpNoSolution, TamperedProofsAreRejected) {
  const MixedLcp problem = {(MatrixX(2, 2) << 1, 0, 1, 0).finished(), Vector2(-1, -2), {1, 0}};
  const VectorX first = Vector2(0, 1), second = Vector2(-1, 1);
  ASSERT_TRUE(check_no_solution(problem, {{0, -1, -1}, {first, second}}).proved);
  const std::vector<LcpNoSolutionProof> tampered = {
      {{}, {}},                                                                        // empty
      {{0, -1}, {first}},                                                              // a case is missing
      {{0, -1, -1}, {first}},                                                          // multipliers are missing
      {{0, -1, -1, -1}, {first, second, second}},                                      // goes on
      {{1, -1, -1}, {first, second}},                                                  // splits on an equation
      {{7, -1, -1}, {first, second}},                                                  // splits on nothing
      {{0, 0, -1, -1, -1}, {first, first, second}},                                    // splits twice on a pair
      {{0, -1, -1}, {second, first}},                                                  // the wrong cases
      {{0, -1, -1}, {-first, second}},                                                 // flipped
      {{0, -1, -1}, {first, -second}},                                                 // flipped
      {{0, -1, -1}, {first, Vector2(-1, 1 + 1e-6)}},                                   // (M^T y)_1 > 0
      {{0, -1, -1}, {first, Vector2(0, 0)}},                                           // says nothing
      {{0, -1, -1}, {first, VectorX::Ones(3)}},                                        // wrong size
      {{0, -1, -1}, {first, Vector2(-1, std::numeric_limits<double>::quiet_NaN())}}};  // not a number
  for (const LcpNoSolutionProof& proof : tampered) {
    const NoSolutionCheck check = check_no_solution(problem, proof);
    EXPECT_FALSE(check.proved);
    EXPECT_FALSE(check.reason.empty());
    EXPECT_EQ(check.radius, 0);
  }
}

// Refuted only by less than what answers within 1e-8 may be off: no proof at that tolerance, but one at a smaller.
TEST(LcpNoSolution, NearlySolvableIsNotRefuted) {
  const MixedLcp problem = {(MatrixX(2, 2) << 1, 0, 1, 0).finished(), Vector2(-1, -1 - 1e-9), {0, 0}};
  const LcpNoSolutionProof proof = {{-1}, {Vector2(-1, 1)}};
  EXPECT_FALSE(check_no_solution(problem, proof).proved);
  EXPECT_TRUE(check_no_solution(problem, proof, {1e-12, 1e3}).proved);
}

// M^T y of rounding size: the ball without answers is finite, and its radius is what the arithmetic says.
TEST(LcpNoSolution, RadiusIsThatOfTheWrongPart) {
  const double wrong = 1e-4;  // w = wrong z - 1 has the answer z = 1e4 = u
  const NoSolutionOptions options = {0, 0.5};
  const NoSolutionCheck check = check_no_solution(one_row(wrong, -1), {{-1}, {VectorX::Ones(1)}}, options);
  EXPECT_TRUE(check.proved);
  EXPECT_NEAR(check.radius, 1, 1e-12);
  EXPECT_LT(check.radius, 1);
  EXPECT_FALSE(check_no_solution(one_row(wrong, -1), {{-1}, {VectorX::Ones(1)}}, {0, 1}).proved);
}

// Random multipliers on problems that have an answer: by the theorem none can pass.
TEST(LcpNoSolution, NoMultipliersRefuteWhatHasAnAnswer) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 1 + trial % 5;
    MixedLcp problem = random_mixed_lcp(all_lcp_kinds[trial % 5], n, random, 0.3);
    // Choose z and w of a random case; q follows.
    VectorX z(n), w(n);
    for (int i = 0; i < n; ++i) {
      const bool basic = problem.is_complementarity[i] == 0 || uniform(random) > 0;
      z[i] = problem.is_complementarity[i] == 0 ? uniform(random) : basic ? std::abs(uniform(random)) : 0.0;
      w[i] = basic ? 0.0 : std::abs(uniform(random));
    }
    problem.q = w - problem.M * z;
    LcpNoSolutionProof proof;
    EXPECT_NE(solve_enumeration(problem, {}, z, &proof).termination, Termination::no_solution);
    const VectorX y = VectorX::NullaryExpr(n, [&] { return uniform(random); });
    EXPECT_FALSE(check_no_solution(problem, {{-1}, {y.cwiseAbs()}}).proved);
    EXPECT_FALSE(check_no_solution(problem, {{-1}, {y}}).proved);
  }
}

// Proofs of enumeration pass; moved to a problem that has an answer they do not.
TEST(LcpNoSolution, ProofsOfEnumerationHoldForTheirProblemOnly) {
  std::mt19937 random(12);
  int proved = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const int n = 1 + trial % 8;
    const LcpKind kind = trial % 2 == 0 ? LcpKind::arbitrary : LcpKind::integer;
    MixedLcp problem = random_mixed_lcp(kind, n, random, trial % 3 == 0 ? 0.3 : 0.0);
    VectorX z;
    LcpNoSolutionProof proof;
    if (solve_enumeration(problem, {}, z, &proof).termination != Termination::no_solution) continue;
    const NoSolutionCheck check = check_no_solution(problem, proof);
    EXPECT_TRUE(check.proved) << check.reason << " trial " << trial;
    ++proved;
    const VectorX q = problem.q;
    problem.q = VectorX::Zero(n);  // z = 0 is an answer
    EXPECT_FALSE(check_no_solution(problem, proof).proved);
    problem.q = -q;
    if (solve_enumeration(problem, {}, z, nullptr).termination == Termination::solved) {
      EXPECT_FALSE(check_no_solution(problem, proof).proved);
    }
  }
  EXPECT_GT(proved, 200);
}

}  // namespace
}  // namespace stiction::certify
