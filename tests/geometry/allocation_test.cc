// Nothing in a step may allocate: distance(), manifold(), time_of_impact() and a warm broad phase are counted through
// operator new and malloc. Sanitizers have a malloc of their own, so there is nothing to count under them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "geometry/random_pairs.h"
#include "stiction/geometry/closest/closest_points.h"
#include "stiction/geometry/kept_pairs.h"
#include "stiction/geometry/manifold.h"
#include "stiction/geometry/time_of_impact.h"
#include "support/allocation_counter.h"

#if STICTION_COUNTS_ALLOCATIONS
namespace stiction::geometry {
namespace {

const std::atomic<long>& allocations = ::stiction::testing::allocation_count;

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  std::free(std::malloc(16));
  delete new int(3);
  EXPECT_GE(allocations - before, 1);
}

TEST(Allocation, DistanceAndManifoldAllocateNothing) {
  testing::RandomPairs random(31);
  for (int k = 0; k < 3000; ++k) {
    const testing::Pair pair = random.pair(k);
    const long before = allocations;
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const Manifold m = manifold(pair.A, pair.X_WA, pair.B, pair.X_WB, 0.1);
    const Manifold on_plane = manifold(Plane{}, pair.X_WA, pair.B, pair.X_WB, 0.1);
    ASSERT_EQ(allocations - before, 0) << shape_name(pair.A) << "-" << shape_name(pair.B) << d.gap << m.count
                                       << on_plane.count;
  }
}

/// Hard pairs: singular systems and failed guesses must neither allocate nor give numbers that are not finite.
TEST(Allocation, ClosestPointsAllocateNothing) {
  testing::RandomPairs random(34);
  int solved = 0;
  for (int k = 0; k < 3000; ++k) {
    const testing::Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const Manifold m = manifold(pair.A, pair.X_WA, pair.B, pair.X_WB, 0.1 * size);
    const long before = allocations;
    for (int point = 0; point < m.count; ++point) {
      Piece A, B;
      contact_pieces(pair.A, pair.X_WA, pair.B, pair.X_WB, m, point, A, B);
      const PiecePair pieces{A, B, pair.X_WA, pair.X_WB};
      ClosestUnknowns u;
      guess_closest(pieces, m.points[point].point_A, m.points[point].point_B, m.normal, u);
      solved += solve_closest(pieces, size, u) == ClosestOutcome::solved;
      ClosestDerivative derivative;
      ASSERT_TRUE(closest_derivative(pieces, size, u, derivative)) << shape_name(pair.A) << "-" << shape_name(pair.B);
    }
    ASSERT_EQ(allocations - before, 0) << shape_name(pair.A) << "-" << shape_name(pair.B);
  }
  EXPECT_GT(solved, 1000);
}

TEST(Allocation, TimeOfImpactAllocatesNothing) {
  testing::RandomPairs random(33);
  const Shape plane = Plane{};
  int found = 0;
  for (int k = 0; k < 1000; ++k) {
    const testing::Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const MovingShape A{pair.A, pair.X_WA, pair.X_WA.p, {Vector3::Zero(), 5 * random.direction()}};
    const MovingShape B{pair.B, pair.X_WB, pair.X_WB.p, {size * random.direction(), 5 * random.direction()}};
    const MovingShape floor{plane, pair.X_WA, pair.X_WA.p, {}};
    const long before = allocations;
    const TimeOfImpact between = time_of_impact(A, B, 1, {.target = 1e-4 * size});
    const TimeOfImpact on_plane = time_of_impact(floor, B, 1, {.target = 1e-4 * size});
    ASSERT_EQ(allocations - before, 0) << shape_name(pair.A) << "-" << shape_name(pair.B);
    found += between.status == TimeOfImpact::Status::found && on_plane.status == TimeOfImpact::Status::found;
  }
  EXPECT_GT(found, 100);
}

TEST(Allocation, WarmBroadPhaseAllocatesNothing) {
  testing::RandomPairs random(32);
  std::vector<Aabb> boxes(200);
  BroadPhase broad_phase;
  broad_phase.reserve(200, 20000);
  for (int round = 0; round < 10; ++round) {
    for (Aabb& box : boxes) {
      box.lower = 3 * random.direction();
      box.upper = box.lower + Vector3::Ones();
    }
    const long before = allocations;
    broad_phase.pairs(boxes);
    ASSERT_EQ(allocations - before, 0);
  }
}

// However the boxes move after the first call: few leave, many, all.
TEST(Allocation, KeptPairsAllocateNothingAfterTheFirstCall) {
  testing::RandomPairs random(34);
  std::vector<Aabb> boxes(200);
  for (Aabb& box : boxes) {
    box.lower = 6 * random.direction();
    box.upper = box.lower + Vector3::Ones();
  }
  KeptPairs kept;
  const auto wanted = [](int i, int j) { return i + j > 0; };
  size_t fewest = kept.pairs(boxes, wanted).size(), most = fewest;
  for (int round = 0; round < 40; ++round) {
    for (size_t i = 0; i < boxes.size(); i += 1 + round % 5 * 10) {
      const Vector3 by = random.direction();
      boxes[i].lower += by;
      boxes[i].upper += by;
    }
    const long before = allocations;
    const size_t count = kept.pairs(boxes, wanted).size();
    ASSERT_EQ(allocations - before, 0) << "round " << round;
    fewest = std::min(fewest, count);
    most = std::max(most, count);
  }
  EXPECT_GT(most, fewest + 100);
}

}  // namespace
}  // namespace stiction::geometry
#endif
