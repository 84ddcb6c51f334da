// What exact-cone is asked for: by accuracy, and by a tolerance in its place.
#include "stiction/methods/exact_cone_goal.h"

#include <gtest/gtest.h>

#include "stiction/base/infinity.h"

namespace stiction::methods {
namespace {

TEST(ExactConeGoal, AnAccuracyStandsForATolerance) {
  EXPECT_EQ(goal_of({}).asked, 1e-8);
  EXPECT_EQ(goal_of({.accuracy = Accuracy::balanced}).asked, 1e-4);
  EXPECT_EQ(goal_of({.accuracy = Accuracy::fast}).asked, 1e-3);
  EXPECT_EQ(goal_of({.accuracy = Accuracy::fast}).acceptance, infinity);
  for (const Accuracy accuracy : accuracies) {
    const ExactConeGoal goal = goal_of({.accuracy = accuracy});
    EXPECT_EQ(goal.aimed, goal.asked);
    EXPECT_LE(goal.polished, goal.asked);
    EXPECT_LE(goal.acceptance, goal.large_acceptance);
  }
}

// What counts as solved is what was said; what is worked towards is never looser than what pays.
TEST(ExactConeGoal, ALooseToleranceIsJudgedAsStatedAndAimedBelow) {
  EXPECT_EQ(goal_of({.tolerance = 1e-6}).aimed, 1e-6);
  EXPECT_EQ(goal_of({.tolerance = 1e-3}).asked, 1e-3);
  EXPECT_EQ(goal_of({.tolerance = 1e-3}).aimed, 1e-4);
  EXPECT_EQ(goal_of({.accuracy = Accuracy::fast, .tolerance = 1e-2}).aimed, 1e-2);  // a small budget, whatever is left
}

TEST(ExactConeGoal, NothingIsTakenThatIsWorseThanAnAcceptance) {
  const ExactConeGoal goal = goal_of({.tolerance = 1e-6, .acceptance = 1e-5});
  EXPECT_EQ(goal.acceptance, 1e-5);
  EXPECT_EQ(goal.large_acceptance, 1e-5);
  EXPECT_EQ(goal_of({.tolerance = 1e-3, .acceptance = 1e-5}).acceptance, 1e-3);  // what is solved is taken
}

}  // namespace
}  // namespace stiction::methods
