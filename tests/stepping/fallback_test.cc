// The one table of fallbacks: in the order of its enumerators, every name once, and which of them leave an island
// unsolved.
#include "stiction/stepping/fallback.h"

#include <set>

#include <gtest/gtest.h>

namespace stiction {
namespace {

TEST(Fallbacks, TheTableStandsInTheOrderOfTheEnumerators) {
  ASSERT_EQ(fallback_traits.size(), static_cast<size_t>(Fallback::joint_left_open) + 1);
  for (size_t i = 0; i < fallback_traits.size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(fallback_traits[i].fallback), i) << fallback_traits[i].word;
  }
}

TEST(Fallbacks, EveryOneHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const FallbackTraits& traits : fallback_traits) {
    if (traits.fallback == Fallback::none) continue;
    const FallbackOf fallback = {traits.fallback, "it"};
    EXPECT_FALSE(fallback.name().empty());
    EXPECT_TRUE(names.insert(fallback.name()).second) << fallback.name();
  }
  EXPECT_EQ((FallbackOf{Fallback::rung, "newton"}).name(), "newton");
  EXPECT_EQ((FallbackOf{Fallback::joint_left_open, "hinge"}).name(), "joint 'hinge' left open");
  EXPECT_EQ((FallbackOf{Fallback::tolerance_missed}).name(), "tolerance-missed");
}

// The others give the answer that was asked for, by other means.
TEST(Fallbacks, AnswersThatAreNotTheOnesAskedForAreLeftUnsolved) {
  const std::set<Fallback> unsolved = {Fallback::tolerance_missed, Fallback::budget,
                                       Fallback::impulses_ended,   Fallback::overlap_not_recovered,
                                       Fallback::impacts_ended,    Fallback::joint_left_open};
  for (const FallbackTraits& traits : fallback_traits) {
    EXPECT_EQ(left_unsolved(traits.fallback), unsolved.contains(traits.fallback)) << traits.word;
  }
}

}  // namespace
}  // namespace stiction
