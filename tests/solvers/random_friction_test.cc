// A short version of bench/random_bench.cc: random problems, a third degenerate, none without a verdict.
#include "support/random_friction.h"

#include <gtest/gtest.h>

namespace stiction::solvers {
namespace {

using stiction::testing::Verdict;

TEST(RandomFriction, EveryProblemIsAnsweredOrRefuted) {
  stiction::testing::RandomFrictionMaker maker;
  FrictionWorkspace workspace;
  std::vector<double> r;
  int refuted = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const stiction::testing::RandomFriction random = maker.make(seed);
    r.assign(random.problem.row_count(), 0.0);
    const FrictionReport report = solve_friction(auto_friction, random.problem, {}, workspace, r);
    const Verdict verdict = stiction::testing::judge(random.problem, report, r, friction_refutation(workspace), 1e-8);
    ASSERT_TRUE(verdict == Verdict::answered || verdict == Verdict::refuted)
        << "seed " << seed << " residual " << report.solve.residual << " verdict " << static_cast<int>(verdict);
    EXPECT_EQ(verdict == Verdict::refuted, random.pinched) << "seed " << seed;
    refuted += verdict == Verdict::refuted ? 1 : 0;
  }
  EXPECT_GT(refuted, 100);
}

// Light bodies between heavy ones, which doubles alone do not solve.
TEST(RandomFriction, AnswersThatHangOnTheLastDigitsAreFound) {
  stiction::testing::RandomFrictionMaker maker;
  FrictionWorkspace workspace;
  for (const std::uint64_t seed : {269069, 637627, 555824, 956456, 857714, 547431, 35274, 766529}) {
    const stiction::testing::RandomFriction random = maker.make(seed);
    std::vector<double> r(random.problem.row_count(), 0.0);
    const FrictionReport report = solve_friction(auto_friction, random.problem, {}, workspace, r);
    EXPECT_EQ(report.rung, "enumeration") << seed;
    EXPECT_EQ(stiction::testing::judge(random.problem, report, r, {}, 1e-8), Verdict::answered) << seed;
  }
}

// The same, where impulses of the right modes are within 1e-8 beyond doubt only when their last digits are chosen
// together.
TEST(RandomFriction, AnswersThatHangOnTheRoundingOfImpulsesAreFound) {
  stiction::testing::RandomFrictionMaker maker;
  FrictionWorkspace workspace;
  for (const std::uint64_t seed : {226761, 399721, 785465}) {
    const stiction::testing::RandomFriction random = maker.make(seed);
    std::vector<double> r(random.problem.row_count(), 0.0);
    const FrictionReport report = solve_friction(auto_friction, random.problem, {}, workspace, r);
    EXPECT_EQ(report.solve.termination, Termination::solved) << seed;
    EXPECT_LE(certify::friction_residual(random.problem, r).natural, 1e-8) << seed;
  }
}

}  // namespace
}  // namespace stiction::solvers
