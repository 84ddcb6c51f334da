#include "stiction/certify/friction_no_solution.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/small_friction.h"

namespace stiction::certify {
namespace {

using namespace stiction::testing;

// A unit mass between two walls; q_n of the second wall is the argument.
FrictionProblem walls(double second) {
  MatrixX J(6, 3);
  J << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, -1;
  VectorX q(6);
  q << -1, 0.2, 0, second, 0.1, 0;
  const FrictionBlock block = contact_block(3, 0.5, 0.5);
  return friction_problem({block, block}, J * J.transpose(), q);
}

using Values = std::vector<double>;

TEST(FrictionNoSolution, AcceptsTheProofOfAPinchedMass) {
  const FrictionNoSolutionCheck check = check_friction_no_solution(walls(0.5), Values{1, 0, 0, 1, 0, 0});
  EXPECT_TRUE(check.proved) << check.reason;
  EXPECT_GT(check.radius, 1e12);  // W^T y = 0 up to the rounding that the check allows for
}

// Walls that part leave room: the same multipliers prove nothing.
TEST(FrictionNoSolution, RejectsWhereAnAnswerExists) {
  EXPECT_FALSE(check_friction_no_solution(walls(1.5), Values{1, 0, 0, 1, 0, 0}).proved);
  EXPECT_FALSE(check_friction_no_solution(walls(1.0), Values{1, 0, 0, 1, 0, 0}).proved);
}

TEST(FrictionNoSolution, RejectsMultipliersThatAreWrong) {
  const FrictionProblem problem = walls(0.5);
  const auto proved = [&](const Values& y) { return check_friction_no_solution(problem, y).proved; };
  EXPECT_FALSE(proved({1, 0, 0, 0.999, 0, 0})) << "W^T y is not zero";
  EXPECT_FALSE(proved({-1, 0, 0, -1, 0, 0})) << "negative";
  EXPECT_FALSE(proved({1, 0.1, 0, 1, -0.1, 0})) << "on friction rows, where u may have any sign";
  EXPECT_FALSE(proved({0, 0, 0, 0, 0, 0})) << "nothing";
  EXPECT_FALSE(proved({1, 0, 0})) << "too few";
  EXPECT_FALSE(proved({std::nan(""), 0, 0, 1, 0, 0}));
}

// An error of 1e-9 in y refutes small impulses only, and the radius says how small.
TEST(FrictionNoSolution, MeasuresHowFarAProofReaches) {
  FrictionNoSolutionOptions options;
  options.radius = 1e3;
  const Values y = {1, 0, 0, 1 - 1e-6, 0, 0};
  const FrictionNoSolutionCheck check = check_friction_no_solution(walls(0.5), y, options);
  EXPECT_TRUE(check.proved) << check.reason;
  EXPECT_GT(check.radius, 1e4);
  EXPECT_LT(check.radius, 1e7);
  EXPECT_FALSE(check_friction_no_solution(walls(0.5), y).proved);
}

// Bilateral rows may have multipliers of any sign; bounded blocks of constant radius weigh against the proof.
TEST(FrictionNoSolution, KnowsBilateralAndBoundedBlocks) {
  MatrixX J(3, 1);
  J << 1, 1, 1;  // one coordinate: held at u = 1 by a joint, pushed to u >= -2 ... and braked
  VectorX q(3);
  q << -3, 1, 0;
  const auto problem = [&](double normal, double bound) {
    q[0] = normal;
    return friction_problem({contact_block(1), bilateral_block(1), bounded_block(1, bound)}, J * J.transpose(), q);
  };
  // u_n = v + q_n and 0 = v + 1: u_n = q_n - 1 < 0, whatever the brake does.
  EXPECT_TRUE(check_friction_no_solution(problem(-3, 5), Values{1, -1, 0}).proved);
  EXPECT_FALSE(check_friction_no_solution(problem(3, 5), Values{1, -1, 0}).proved) << "u_n = 2";
  EXPECT_FALSE(check_friction_no_solution(problem(-3, 5), Values{1, -1, 1}).proved) << "acts on the brake";
}

}  // namespace
}  // namespace stiction::certify
