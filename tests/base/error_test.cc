// The messages that users read, and the names suggested to them.
#include "stiction/base/error.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/base/assert.h"

namespace stiction {
namespace {

TEST(Error, MessageNamesPlaceMistakeAndRemedy) {
  const Error error{
      .what = "unknown key", .remedy = "Did you mean 'mass'?", .name = "mas", .file = "a.toml", .line = 7};
  EXPECT_EQ(error.message(), "a.toml:7: error: unknown key: 'mas'\n  remedy: Did you mean 'mass'?");
}

TEST(Error, MessageLeavesOutWhatIsNotKnown) {
  EXPECT_EQ((Error{.what = "no body"}).message(), "error: no body");
  EXPECT_EQ((Error{.what = "cannot be read", .file = "a.toml"}).message(), "a.toml: error: cannot be read");
  EXPECT_EQ((Error{.what = "no body", .name = "b"}).message(), "error: no body: 'b'");
  EXPECT_EQ((Error{.what = "no body", .remedy = "Add one."}).message(), "error: no body\n  remedy: Add one.");
  EXPECT_EQ((Error{.what = "no body", .line = 7}).message(), "error: no body") << "a line says nothing without a file";
}

Result<int> half(int n) {
  if (n % 2 != 0) return failure({.what = "odd number", .name = std::to_string(n)});
  return n / 2;
}

TEST(Result, HoldsTheValueOrTheMistake) {
  ASSERT_TRUE(half(6).has_value());
  EXPECT_EQ(*half(6), 3);
  ASSERT_FALSE(half(7).has_value());
  EXPECT_EQ(half(7).error().name, "7");
}

TEST(ClosestName, SuggestsTheNearestByEdits) {
  const std::vector<std::string> keys = {"mass", "friction", "torsional_friction", "restitution"};
  EXPECT_EQ(closest_name("mas", keys), "mass");           // a letter left out
  EXPECT_EQ(closest_name("masss", keys), "mass");         // one too many
  EXPECT_EQ(closest_name("frictoin", keys), "friction");  // two swapped: two edits
  EXPECT_EQ(closest_name("fraction", keys), "friction");  // one replaced
  EXPECT_EQ(closest_name("restitution", keys), "restitution");
}

TEST(ClosestName, PrefersFewerEditsAndThenTheFirst) {
  EXPECT_EQ(closest_name("boxy", {"bo", "box"}), "box");
  EXPECT_EQ(closest_name("body_c", {"body_a", "body_b"}), "body_a");
}

TEST(ClosestName, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(closest_name("density", {"mass", "friction"}), "");
  EXPECT_EQ(closest_name("mass", {}), "");
  EXPECT_EQ(closest_name("box", {"sphere"}), "");
}

// Letters put in cost as much as letters left out or replaced: three of each are three edits of nine letters.
TEST(ClosestName, CountsEveryEditOnce) {
  EXPECT_EQ(closest_name("abcdefghi", {"abcdefghijkl"}), "abcdefghijkl");
  EXPECT_EQ(closest_name("abcdefghi", {"abcdef"}), "abcdef");
  EXPECT_EQ(closest_name("abcdefghi", {"abcdefghijklm"}), "");
  EXPECT_EQ(closest_name("abcdefghi", {"abcde"}), "");
}

// A third of the letters may be wrong (at least two): nine letters allow three edits, not four.
TEST(ClosestName, AllowsAThirdOfTheLetters) {
  EXPECT_EQ(closest_name("abcdefghi", {"xyzdefghi"}), "xyzdefghi");
  EXPECT_EQ(closest_name("abcdefghi", {"wxyzefghi"}), "");
}

TEST(AssertDeathTest, PrintsPlaceAndMessageAndAborts) {
  EXPECT_DEATH(STICTION_ASSERT(1 + 1 == 3, "sums must hold"),
               testing::ContainsRegex("error_test\\.cc:[0-9]+: sums must hold \\(1 \\+ 1 == 3\\)"));
}

TEST(Assert, EvaluatesItsConditionOnceAndIsSilentWhenItHolds) {
  int evaluations = 0;
  STICTION_ASSERT(++evaluations == 1, "evaluated more than once");
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace stiction
