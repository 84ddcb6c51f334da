// Pairs that are kept from call to call against those that a fresh search finds.
#include "stiction/geometry/kept_pairs.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace stiction::geometry {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

constexpr double infinity = std::numeric_limits<double>::infinity();

bool every_pair(int, int) {
  return true;
}

Pairs copy(std::span<const std::pair<int, int>> pairs) {
  return {pairs.begin(), pairs.end()};
}

// Boxes of unequal sizes that wander; some hardly, some by more than their own size. A floor, and a wall that moves.
class WanderingBoxes {
 public:
  explicit WanderingBoxes(int count) : boxes(count), velocity_(count) {
    std::uniform_real_distribution<double> place(0, 5), size(0.1, 1), speed(-4, 4);
    for (int i = 0; i < count; ++i) {
      boxes[i].lower = {place(engine_), place(engine_), place(engine_)};
      boxes[i].upper = boxes[i].lower + Vector3(size(engine_), size(engine_), size(engine_));
      velocity_[i] = (i % 10 == 0 ? 0.3 : 1e-3) * Vector3(speed(engine_), speed(engine_), speed(engine_));
    }
    boxes[3] = {Vector3::Constant(-infinity), Vector3(infinity, infinity, 0.5)};
    boxes[7] = {Vector3(-infinity, -infinity, -infinity), Vector3(0.5, infinity, infinity)};
    velocity_[3] = Vector3::Zero();
    velocity_[7] = Vector3(0.02, 0, 0);
  }

  void move(double factor) {
    for (size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].lower += factor * velocity_[i];
      boxes[i].upper += factor * velocity_[i];
    }
  }

  std::vector<Aabb> boxes;

 private:
  std::mt19937 engine_{9};
  std::vector<Vector3> velocity_;
};

TEST(KeptPairs, AreThoseOfAFreshSearchInItsOrder) {
  WanderingBoxes wandering(300);
  KeptPairs kept;
  Pairs last;
  int changes = 0;
  for (int call = 0; call < 200; ++call) {
    // Now and then all of them jump, back at times, and sometimes nothing moves.
    wandering.move(call % 50 == 49 ? -20 : call % 3 == 0 ? 0 : 1);
    BroadPhase fresh;
    const Pairs pairs = copy(kept.pairs(wandering.boxes, every_pair));
    ASSERT_EQ(pairs, copy(fresh.pairs(wandering.boxes))) << "call " << call;
    changes += pairs != last;
    last = pairs;
  }
  EXPECT_GT(changes, 100);
  EXPECT_GT(last.size(), 300u);
  EXPECT_LT(kept.rebuilds(), 20);
}

TEST(KeptPairs, BoxesThatStayInTheirSkinsCostNoSearch) {
  WanderingBoxes wandering(300);
  KeptPairs kept;
  int asked = 0;
  const auto count = [&](int, int) { return ++asked, true; };
  kept.pairs(wandering.boxes, count);
  EXPECT_EQ(kept.rebuilds(), 1);
  const int first = asked;
  EXPECT_GT(first, 300);
  wandering.move(1e-3);
  kept.pairs(wandering.boxes, count);
  EXPECT_EQ(asked, first);
  wandering.move(1);  // only the fast ones leave
  kept.pairs(wandering.boxes, count);
  EXPECT_EQ(kept.rebuilds(), 1);
  EXPECT_GT(asked, first);
  EXPECT_LT(asked, 2 * first);
}

TEST(KeptPairs, OnlyThoseThatAreWanted) {
  WanderingBoxes wandering(120);
  KeptPairs kept;
  const auto wanted = [](int i, int j) { return (i + j) % 3 != 0; };
  for (int call = 0; call < 30; ++call) {
    wandering.move(1);
    BroadPhase fresh;
    Pairs expected = copy(fresh.pairs(wandering.boxes));
    const size_t all = expected.size();
    std::erase_if(expected, [&](const auto& pair) { return !wanted(pair.first, pair.second); });
    EXPECT_LT(expected.size(), all);
    ASSERT_EQ(copy(kept.pairs(wandering.boxes, wanted)), expected) << "call " << call;
  }
}

TEST(KeptPairs, ForgetWhenTheNumberOfBoxesChanges) {
  KeptPairs kept;
  for (const int count : {40, 120, 9, 300}) {
    const WanderingBoxes wandering(count);
    BroadPhase fresh;
    EXPECT_EQ(copy(kept.pairs(wandering.boxes, every_pair)), copy(fresh.pairs(wandering.boxes)));
  }
  EXPECT_TRUE(kept.pairs({}, every_pair).empty());
}

// Coordinates that are not numbers overlap with nothing, before and after.
TEST(KeptPairs, BoxesWithoutNumbersHaveNoPairs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Aabb> boxes(3, {Vector3::Zero(), Vector3::Ones()});
  KeptPairs kept;
  EXPECT_EQ(kept.pairs(boxes, every_pair).size(), 3u);
  boxes[1] = {Vector3::Constant(nan), Vector3::Constant(nan)};
  EXPECT_EQ(copy(kept.pairs(boxes, every_pair)), (Pairs{{0, 2}}));
  boxes[1] = boxes[0];
  EXPECT_EQ(kept.pairs(boxes, every_pair).size(), 3u);
}

}  // namespace
}  // namespace stiction::geometry
