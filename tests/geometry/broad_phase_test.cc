// Sort and sweep against trying every pair.
#include "stiction/geometry/broad_phase.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace stiction::geometry {
namespace {

std::vector<std::pair<int, int>> every_pair(const std::vector<Aabb>& boxes) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j) {
      bool apart = false;
      for (int k = 0; k < 3; ++k) {
        apart = apart || boxes[i].upper[k] < boxes[j].lower[k] || boxes[j].upper[k] < boxes[i].lower[k];
      }
      if (!apart) pairs.emplace_back(i, j);
    }
  }
  return pairs;
}

TEST(BroadPhase, SamePairsAsBruteForce) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> position(0, 10);
  std::uniform_real_distribution<double> size(0, 1);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  BroadPhase broad_phase;
  for (int round = 0; round < 50; ++round) {
    std::vector<Aabb> boxes(round * 6);
    for (Aabb& box : boxes) {
      box.lower = Vector3(position(engine), position(engine) * 0.3, std::floor(position(engine)));
      box.upper = box.lower + Vector3(size(engine), size(engine), 1);  // whole numbers along z: many touch exactly
    }
    if (round > 2) {
      boxes[3] = {Vector3::Constant(-infinity), Vector3::Constant(infinity)};
      boxes[7] = {Vector3::Constant(-infinity), Vector3(infinity, infinity, 0)};
    }
    const auto pairs = broad_phase.pairs(boxes);
    EXPECT_EQ(std::vector(pairs.begin(), pairs.end()), every_pair(boxes));
  }
}

// Bodies over a floor: spread in two directions, of widths over four decades, on whole numbers so that many touch.
TEST(BroadPhase, SamePairsAsBruteForceForAllWidths) {
  std::mt19937 engine(6);
  std::uniform_int_distribution<int> place(-300, 300), exponent(0, 13);
  BroadPhase broad_phase;
  size_t total = 0;
  for (int round = 0; round < 40; ++round) {
    std::vector<Aabb> boxes(400);
    for (Aabb& box : boxes) {
      box.lower = Vector3(place(engine), place(engine), round % 2 == 0 ? 0 : place(engine) / 60);
      const int most = round % 4 < 2 ? 3 : exponent(engine);
      box.upper = box.lower + Vector3(1 << (exponent(engine) % (most + 1)), 1 << most, 1);
    }
    const auto pairs = broad_phase.pairs(boxes);
    const auto expected = every_pair(boxes);
    EXPECT_EQ(std::vector(pairs.begin(), pairs.end()), expected) << "round " << round;
    total += expected.size();
  }
  EXPECT_GT(total, 10000U);
}

TEST(BroadPhase, BoxesAtOnePlaceAllOverlap) {
  BroadPhase broad_phase;
  const std::vector<Aabb> boxes(20, {Vector3(3, 4, 5), Vector3(3, 4, 5)});
  EXPECT_EQ(broad_phase.pairs(boxes).size(), 190U);
}

TEST(BroadPhase, TouchingCounts) {
  BroadPhase broad_phase;
  const std::vector<Aabb> boxes = {{Vector3(0, 0, 0), Vector3(1, 1, 1)}, {Vector3(1, 1, 1), Vector3(2, 2, 2)}};
  EXPECT_EQ(broad_phase.pairs(boxes).size(), 1u);
}

}  // namespace
}  // namespace stiction::geometry
