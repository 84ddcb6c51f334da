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

TEST(BroadPhase, TouchingCounts) {
  BroadPhase broad_phase;
  const std::vector<Aabb> boxes = {{Vector3(0, 0, 0), Vector3(1, 1, 1)}, {Vector3(1, 1, 1), Vector3(2, 2, 2)}};
  EXPECT_EQ(broad_phase.pairs(boxes).size(), 1u);
}

}  // namespace
}  // namespace stiction::geometry
