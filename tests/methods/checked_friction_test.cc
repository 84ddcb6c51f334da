// A solver's word that no answer exists is taken only where certify/ accepts its multipliers.
#include "stiction/methods/checked_friction.h"

#include <gtest/gtest.h>

#include "support/small_friction.h"

namespace stiction::methods {
namespace {

using solvers::Termination;
using testing::contact_block;
using testing::friction_problem;

// A unit mass between two walls; `parting` is the speed at which the second one gives way.
FrictionProblem between_walls(double parting) {
  MatrixX J(6, 3);
  J << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 1, 0, 0, 0, -1;
  VectorX q(6);
  q << -1, 0.2, 0, parting, 0.1, 0;
  const FrictionBlock block = contact_block(3, 0.5, 0.5);
  return friction_problem({block, block}, J * J.transpose(), q);
}

TEST(CheckedFriction, AProofThatHoldsIsPassedOn) {
  solvers::FrictionWorkspace workspace;
  std::vector<double> r(6);
  const auto report = solve_friction_checked(solvers::auto_friction, between_walls(-0.5), {}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::no_solution);
}

// The multipliers that refute walls that close prove nothing of walls that part: the same claim is not believed there.
TEST(CheckedFriction, AClaimWithoutAProofIsNotFound) {
  const std::vector<double> y = {1, 0, 0, 1, 0, 0};
  const auto checked = [&](const FrictionProblem& problem, std::span<const double> multipliers) {
    return checked_termination(problem, multipliers, {}, Termination::no_solution);
  };
  EXPECT_EQ(checked(between_walls(-0.5), y), Termination::no_solution);
  EXPECT_EQ(checked(between_walls(1.5), y), Termination::not_found);
  EXPECT_EQ(checked(between_walls(-0.5), {}), Termination::not_found);
  const std::vector<double> pulls = {1, 0, 0, -1, 0, 0};
  EXPECT_EQ(checked(between_walls(-0.5), pulls), Termination::not_found);
}

// Walls that close by less than an answer of the accepted residual would allow are not refuted.
TEST(CheckedFriction, TheProofCoversWhatWouldBeAccepted) {
  const std::vector<double> y = {1, 0, 0, 1, 0, 0};
  const FrictionProblem problem = between_walls(1 - 1e-6);
  const auto checked = [&](double acceptance) {
    return checked_termination(problem, y, {.tolerance = 1e-10, .acceptance = acceptance}, Termination::no_solution);
  };
  EXPECT_EQ(checked(1e-9), Termination::no_solution);
  EXPECT_EQ(checked(1e-4), Termination::not_found);
}

TEST(CheckedFriction, OtherOutcomesStayAsTheyAre) {
  for (const Termination outcome : {Termination::solved, Termination::not_found, Termination::time_limit}) {
    EXPECT_EQ(checked_termination(between_walls(1.5), {}, {}, outcome), outcome);
  }
}

}  // namespace
}  // namespace stiction::methods
