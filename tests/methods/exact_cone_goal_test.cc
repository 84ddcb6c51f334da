// What exact-cone is asked for: by accuracy, and by a tolerance in its place.
#include "stiction/methods/exact_cone/exact_cone_goal.h"

#include <gtest/gtest.h>

#include "stiction/base/infinity.h"
#include "stiction/methods/exact_cone/exact_cone_routes.h"

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

TEST(ExactConeGoal, FewVelocitiesAreSolvedAccuratelyAndJudgedAsStated) {
  for (const Accuracy accuracy : accuracies) {
    const ExactConeGoal goal = near_goal_of({.accuracy = accuracy}), far = goal_of({.accuracy = accuracy});
    EXPECT_EQ(goal.aimed, 1e-8);
    EXPECT_EQ(goal.asked, far.asked);
    EXPECT_EQ(goal.acceptance, far.acceptance);
    EXPECT_LE(goal.most_factorizations, std::max(far.most_factorizations, 200));
  }
  EXPECT_EQ(near_goal_of({.tolerance = 1e-3}).aimed, 1e-8);
  EXPECT_EQ(near_goal_of({.tolerance = 1e-10}).aimed, 1e-10);
}

// The rows that take an island with these facts, in their order.
std::vector<Route> way_of(const IslandFacts& facts, Accuracy accuracy) {
  const ExactConeOptions options = {.accuracy = accuracy};
  const ExactConeGoal goal = facts.few_velocities() ? near_goal_of(options) : goal_of(options);
  std::vector<Route> way;
  for (const RouteRow& row : exact_cone_routes()) {
    if (row.takes(facts, goal)) way.push_back(row.route);
  }
  return way;
}

TEST(ExactConeRoutes, AreThoseOfTheTable) {
  using enum Route;
  using Way = std::vector<Route>;
  const IslandFacts box = {.contacts = 4, .blocks = 4, .velocities = 6};
  const IslandFacts tower = {.contacts = 40, .blocks = 40, .velocities = 60};
  const IslandFacts pile = {.contacts = 320, .blocks = 320, .velocities = 600};
  IslandFacts polygon = box, named = pile;
  polygon.general_set = true;
  named.is_auto = false;
  for (const Accuracy accuracy : accuracies) {
    EXPECT_EQ(way_of(box, accuracy), (Way{quick, body_space, contact_space}));
    EXPECT_EQ(way_of(tower, accuracy), (Way{look, body_space}));
    EXPECT_EQ(way_of(polygon, accuracy), (Way{body_space}));
  }
  EXPECT_EQ(way_of(pile, Accuracy::exact), (Way{look, body_space}));
  EXPECT_EQ(way_of(pile, Accuracy::fast), (Way{lanes, look, body_space}));
  EXPECT_EQ(way_of(named, Accuracy::exact), (Way{contact_space}));
}

TEST(ExactConeGoal, NothingIsTakenThatIsWorseThanAnAcceptance) {
  const ExactConeGoal goal = goal_of({.tolerance = 1e-6, .acceptance = 1e-5});
  EXPECT_EQ(goal.acceptance, 1e-5);
  EXPECT_EQ(goal.large_acceptance, 1e-5);
  EXPECT_EQ(goal_of({.tolerance = 1e-3, .acceptance = 1e-5}).acceptance, 1e-3);  // what is solved is taken
}

}  // namespace
}  // namespace stiction::methods
