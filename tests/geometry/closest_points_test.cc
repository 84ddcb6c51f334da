// Closest points by Newton against the distance by other means, closed forms and finite differences.
#include "stiction/geometry/closest_points.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "geometry/random_pairs.h"
#include "stiction/geometry/distance.h"

namespace stiction::geometry {
namespace {

using testing::RandomPairs;

double pair_size(const Shape& A, const Shape& B) {
  return std::holds_alternative<Plane>(A)   ? shape_size(B)
         : std::holds_alternative<Plane>(B) ? shape_size(A)
                                            : std::max(shape_size(A), shape_size(B));
}

/// A manifold of the one point that `nearest` gives.
Manifold one_point(const Distance& nearest) {
  Manifold manifold;
  manifold.count = 1;
  manifold.normal = nearest.normal;
  manifold.points[0] = {nearest.point_A, nearest.point_B, nearest.gap, 0};
  return manifold;
}

Pose nudged(RandomPairs& random, const Pose& X, double shift, double turn) {
  return {exp_rotation(turn * random.direction()).toRotationMatrix() * X.R, X.p + shift * random.direction()};
}

/// A smooth or cornered pair with a gap of about `gap` sizes.
testing::Pair pair_near(RandomPairs& random, double gap) {
  testing::Pair pair{random.shape(1, 3), random.shape(random.uniform(0.5, 1), 3), {}, {}};
  if (random.below(5) == 0) pair.A = Plane{random.direction()};
  if (random.below(2)) std::swap(pair.A, pair.B);
  pair.X_WA = {random.rotation(), random.direction()};
  pair.X_WB = {random.rotation(), pair.X_WA.p + 0.5 * random.direction()};
  const double size = pair_size(pair.A, pair.B);
  for (int k = 0; k < 4; ++k) {
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    pair.X_WB.p += (gap * size - d.gap) * d.normal;
  }
  return pair;
}

TEST(ClosestPoints, AgreeWithTheDistanceOfRandomPairs) {
  RandomPairs random(1);
  int solved = 0, total = 0, worse = 0;
  std::array<std::array<int, 7>, 7> fails = {}, counts = {}, bad = {};
  for (int trial = 0; trial < 24000; ++trial) {
    const double gap = trial % 3 == 0 ? random.uniform(0, 1) : trial % 3 == 1 ? 0 : -random.uniform(0, 0.05);
    const testing::Pair pair = pair_near(random, gap);
    const double size = pair_size(pair.A, pair.B);
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const Distance guess = distance(pair.A, nudged(random, pair.X_WA, 0.01 * size, 0.02), pair.B,
                                    nudged(random, pair.X_WB, 0.01 * size, 0.02));
    Piece A, B;
    contact_pieces(pair.A, pair.X_WA, pair.B, pair.X_WB, one_point(there), 0, A, B);
    const PiecePair pieces{A, B, pair.X_WA, pair.X_WB};
    ClosestUnknowns unknowns;
    guess_closest(pieces, guess.point_A, guess.point_B, guess.normal, unknowns);
    const auto outcome = solve_closest(pieces, size, unknowns);
    ++total;
    auto i = pair.A.index(), j = pair.B.index();
    counts[i][j]++;
    if (outcome != ClosestOutcome::solved) {
      fails[i][j]++;
      continue;
    }
    ++solved;
    if (std::abs(unknowns.gap() - there.gap) > 1e-10 * size) {
      ++worse;
      bad[i][j]++;
      if (bad[i][j] < 3) std::printf("%zu %zu %g: %g %g\n", i, j, gap, unknowns.gap(), there.gap);
    }
  }
  std::printf("%d of %d, %d bad\n", solved, total, worse);
  EXPECT_GT(solved, 0.9 * total);
  EXPECT_LT(worse, 12);
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) std::printf(" %4d/%3d/%4d", fails[i][j], bad[i][j], counts[i][j]);
    std::printf("\n");
  }
}

}  // namespace
}  // namespace stiction::geometry
