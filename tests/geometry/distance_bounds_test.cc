// 10^5 random pairs, hard ones on purpose: every answer carries its own proof to 1e-9 of the size, checked here from
// support points and membership alone; and the answers agree under exchange and rigid motion.
#include <gtest/gtest.h>

#include <cstdio>

#include "geometry/random_pairs.h"

namespace stiction::geometry {
namespace {

using testing::Pair;
using testing::RandomPairs;

constexpr double promised = 1e-9;  // of the larger shape's size: the number

struct Worst {
  double value = 0;
  int index = -1;
  void offer(double v, int k) {
    if (!(v <= value)) value = v, index = k;
  }
};

TEST(DistanceBounds, HundredThousandPairsWithoutException) {
  RandomPairs random(1);
  Worst difference, lower, outside, witness, tangential;
  int failures = 0;
  for (int k = 0; k < 100000; ++k) {
    const Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const double gap = (d.upper_bound - d.lower_bound) / size;
    difference.offer(gap, k);
    // The plane's bound, from support points.
    lower.offer(std::abs(testing::separation(pair, d.normal) - d.lower_bound) / size, k);
    // The witness points are in the shapes and as far apart as the upper bound says.
    const double far = std::max(pair.X_WA.p.norm(), pair.X_WB.p.norm()) * 1e-15;
    outside.offer((testing::outside_by(pair.A, pair.X_WA, d.point_A) - far) / size, k);
    outside.offer((testing::outside_by(pair.B, pair.X_WB, d.point_B) - far) / size, k);
    const Vector3 between = d.point_B - d.point_A;
    if (d.gap > 0) witness.offer((between.norm() - d.upper_bound - far) / size, k);
    tangential.offer(((between - d.gap * d.normal).norm() - far) / std::sqrt(size * (size + std::abs(d.gap))), k);
    const bool good = gap < promised && d.converged && d.gap >= d.lower_bound && d.gap <= d.upper_bound &&
                      std::abs(d.normal.norm() - 1) < 1e-14;
    if (!good && ++failures < 10) {
      ADD_FAILURE() << "pair " << k << " " << shape_name(pair.A) << "-" << shape_name(pair.B) << " bounds "
                    << d.lower_bound << " " << d.upper_bound << " size " << size;
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_LT(lower.value, 1e-14);  // rounding of two dot products
  EXPECT_LT(outside.value, promised);
  EXPECT_LT(witness.value, promised);
  // v with |v| - v.n <= e has a part across n of sqrt(2 e |v|) at most; e is up to 4e-10 of the size, and n is off by
  // as much as v.
  EXPECT_LT(tangential.value, 6e-5);
  std::printf("worst of 100000: bounds differ by %.2e (pair %d), witness outside by %.2e, lower bound off by %.2e\n",
              difference.value, difference.index, outside.value, lower.value);
}

/// No direction may show a larger separation than the upper bound allows: in particular not one near the answer's
/// normal.
TEST(DistanceBounds, NoDirectionBeatsTheUpperBound) {
  RandomPairs random(2);
  for (int k = 0; k < 3000; ++k) {
    const Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    for (int m = 0; m < 200; ++m) {
      const double spread = m % 2 ? 1 : random.log_uniform(1e-6, 1);
      const Vector3 n = m % 2 ? random.direction() : (d.normal + spread * random.direction()).normalized();
      ASSERT_LE(testing::separation(pair, n), d.upper_bound + 1e-13 * size)
          << "pair " << k << " " << shape_name(pair.A) << "-" << shape_name(pair.B);
    }
  }
}

/// Exchange, and a common rigid motion: the bounds must overlap.
TEST(DistanceBounds, SymmetricAndInvariant) {
  RandomPairs random(3);
  for (int k = 0; k < 3000; ++k) {
    const Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const Distance swapped = distance(pair.B, pair.X_WB, pair.A, pair.X_WA);
    EXPECT_NEAR(swapped.gap, d.gap, promised * size) << k;
    const Pose X{random.rotation(), random.direction() * size};
    const Distance moved = distance(pair.A, X * pair.X_WA, pair.B, X * pair.X_WB);
    // Moving shifts the poses themselves by the rounding of their coordinates.
    const double rounding = 4e-15 * (pair.X_WA.p.norm() + pair.X_WB.p.norm() + size);
    EXPECT_NEAR(moved.gap, d.gap, promised * size + rounding) << k;
  }
}

/// Where the nearest points are unique the normal turns round under exchange.
TEST(DistanceBounds, NormalPointsFromAToB) {
  RandomPairs random(4);
  int checked = 0;
  for (int k = 0; k < 3000; ++k) {
    const Pair pair = random.pair(k);
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const double size = testing::pair_size(pair);
    if (d.gap < 0.01 * size) continue;
    const Distance swapped = distance(pair.B, pair.X_WB, pair.A, pair.X_WA);
    EXPECT_LT((d.normal + swapped.normal).norm(), 2e-3) << k;  // sqrt(2 * 1e-9 / 0.01) and a margin
    EXPECT_GT(d.normal.dot(d.point_B - d.point_A), 0) << k;
    ++checked;
  }
  EXPECT_GT(checked, 200);
}

TEST(DistanceBounds, GeneralAlgorithmAgreesWithClosedForms) {
  RandomPairs random(5);
  for (int k = 0; k < 600; ++k) {
    const Pair pair = random.pair(k);
    const bool flat_cores = (std::holds_alternative<Sphere>(pair.A) || std::holds_alternative<Capsule>(pair.A)) &&
                            (std::holds_alternative<Sphere>(pair.B) || std::holds_alternative<Capsule>(pair.B));
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const double size = testing::pair_size(pair);
    if (flat_cores && d.gap < 0) continue;  // their difference has no inside: closed forms only
    const Distance general = distance_gjk_epa(pair.A, pair.X_WA, pair.B, pair.X_WB);
    EXPECT_NEAR(general.gap, d.gap, promised * size) << k << " " << shape_name(pair.A) << "-" << shape_name(pair.B);
  }
}

}  // namespace
}  // namespace stiction::geometry
