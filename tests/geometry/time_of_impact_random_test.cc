// Times of impact of random pairs: against dense sampling with bisection, and under exchange, change of observer and
// reversal of time.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "geometry/moving_pairs.h"

namespace stiction::geometry {
namespace {

using Status = TimeOfImpact::Status;
using testing::first_sampled;
using testing::gap_at;
using testing::moved;
using testing::random_motion;
using testing::RandomMotion;

std::string name_of(const RandomMotion& m, int k) {
  return std::to_string(k) + " " + std::string(shape_name(m.pair.A)) + "-" + std::string(shape_name(m.pair.B));
}

/// What the gap may be below the target by: half of it at most, 1e-10 of the size otherwise; and rounding.
double lowest_gap(const RandomMotion& m, double target) {
  const double size = std::holds_alternative<Plane>(m.pair.A) ? shape_size(m.pair.B) : testing::pair_size(m.pair);
  return target - std::min(0.5 * target, 1e-10 * size) - 1e-14 * m.size;
}

TEST(TimeOfImpact, NeverLaterThanDenseSamplingOverRandomPairs) {
  testing::RandomPairs random(72);
  int found = 0, none = 0, grazing = 0, iterations = 0, most = 0;
  for (int k = 0; k < 2000; ++k) {
    const RandomMotion m = random_motion(random, k);
    const double target = m.size * (k % 2 ? 1e-3 : 1e-6);
    const TimeOfImpact toi = time_of_impact(m.A(), m.B(), 1, {.target = target});
    ASSERT_NE(toi.status, Status::undecided) << name_of(m, k);
    iterations += toi.iterations;
    most = std::max(most, toi.iterations);
    // Overlap, and also the first time below what is proved.
    const std::optional<double> overlap = first_sampled(m.A(), m.B(), 1, 0, 300);
    const std::optional<double> below = first_sampled(m.A(), m.B(), 1, lowest_gap(m, target), 300);
    if (toi.status == Status::none) {
      ++none;
      EXPECT_FALSE(overlap) << name_of(m, k);
      EXPECT_FALSE(below) << name_of(m, k);
      continue;
    }
    ++found;
    grazing += !overlap;
    if (overlap) {
      EXPECT_LE(toi.time, *overlap) << name_of(m, k);
    }
    if (below) {
      EXPECT_LE(toi.time, *below) << name_of(m, k);
    }
    const double gap = gap_at(m.A(), m.B(), toi.time);
    EXPECT_GE(gap, lowest_gap(m, target)) << name_of(m, k);
    EXPECT_LE(gap, target + 1e-14 * m.size) << name_of(m, k);
    EXPECT_LT(toi.gap_rate, 1e-6 * m.size) << name_of(m, k);
  }
  EXPECT_GT(found, 700);
  EXPECT_GT(none, 700);
  RecordProperty("found", found);
  RecordProperty("grazing", grazing);
  RecordProperty("iterations", iterations);
  RecordProperty("most_iterations", most);
  EXPECT_LT(iterations, 4 * 2000);
  EXPECT_LE(most, 20);
}

/// The same two bodies named the other way round, and in a world that is turned, moved and drifts.
TEST(TimeOfImpact, ExchangingTheShapesOrChangingTheObserverChangesNothing) {
  testing::RandomPairs random(73);
  int compared = 0;
  for (int k = 0; k < 1000; ++k) {
    const RandomMotion m = random_motion(random, k);
    const TimeOfImpactOptions options{.target = 1e-3 * m.size, .tolerance = 1e-11};
    const TimeOfImpact toi = time_of_impact(m.A(), m.B(), 1, options);
    const TimeOfImpact exchanged = time_of_impact(m.B(), m.A(), 1, options);
    const Matrix3 R = random.rotation();
    const Vector3 p = m.size * random.direction(), drift = m.size * random.direction();
    const auto seen = [&](const MovingShape& S) {
      return MovingShape{
          S.shape, Pose{R, p} * S.X_WS, R * S.center + p, {R * S.velocity.linear + drift, R * S.velocity.angular}};
    };
    const TimeOfImpact observed = time_of_impact(seen(m.A()), seen(m.B()), 1, options);
    ASSERT_EQ(toi.status, exchanged.status) << name_of(m, k);
    ASSERT_EQ(toi.status, observed.status) << name_of(m, k);
    // The time is known to the gap's errors, the tolerance and 1e-10 of the size from GJK, over the speed.
    if (toi.status != Status::found || toi.gap_rate > -0.5 * m.size) continue;
    ++compared;
    EXPECT_NEAR(exchanged.time, toi.time, 1e-9) << name_of(m, k);
    EXPECT_NEAR(observed.time, toi.time, 1e-9) << name_of(m, k);
    EXPECT_NEAR(exchanged.nearest.normal.dot(toi.nearest.normal), -1, 1e-6) << name_of(m, k);
    EXPECT_NEAR(observed.nearest.normal.dot(R * toi.nearest.normal), 1, 1e-6) << name_of(m, k);
  }
  EXPECT_GT(compared, 200);
}

/// Run backwards from the end, a miss is a miss; from the impact, there is no impact before with a smaller target.
TEST(TimeOfImpact, RunBackwardsTheWayIsFree) {
  testing::RandomPairs random(74);
  int moved_on = 0;
  for (int k = 0; k < 1000; ++k) {
    const RandomMotion m = random_motion(random, k);
    const double target = 1e-3 * m.size;
    const TimeOfImpact toi = time_of_impact(m.A(), m.B(), 1, {.target = target});
    if (toi.touching_at_start) continue;  // a small shape may begin within the target: there is no way back
    ++moved_on;
    const auto backwards = [&](const MovingShape& S) {
      return MovingShape{S.shape,
                         moved(S, toi.time),
                         S.center + toi.time * S.velocity.linear,
                         {-S.velocity.linear, -S.velocity.angular}};
    };
    const double smaller = lowest_gap(m, target) - 1e-9 * m.size;
    const TimeOfImpact back = time_of_impact(backwards(m.A()), backwards(m.B()), toi.time, {.target = smaller});
    EXPECT_EQ(back.status, Status::none) << name_of(m, k);
  }
  EXPECT_GT(moved_on, 990);
}

/// Flat, long, tiny and huge shapes that start touching, overlapping or apart, and turn many times.
TEST(TimeOfImpact, HardPairsAreDecidedToo) {
  testing::RandomPairs random(75);
  int found = 0;
  for (int k = 0; k < 1000; ++k) {
    const testing::Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const double spin = random.log_uniform(0.1, 100);
    const MovingShape A{pair.A, pair.X_WA, pair.X_WA.p, {Vector3::Zero(), spin * random.direction()}};
    const MovingShape B{pair.B, pair.X_WB, pair.X_WB.p, {3 * size * random.direction(), spin * random.direction()}};
    const double target = k % 3 == 0 ? 0 : 1e-4 * size;
    const TimeOfImpact toi = time_of_impact(A, B, 1, {.target = target});
    ASSERT_NE(toi.status, Status::undecided) << k;
    const Distance start = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    EXPECT_EQ(toi.touching_at_start, start.gap <= target) << k;
    if (toi.touching_at_start) continue;
    found += toi.status == Status::found;
    // 1e-13 m: far from the origin, 1e3 m, positions are rounded.
    for (int i = 0; i <= 50; ++i) {
      EXPECT_GE(gap_at(A, B, toi.time * i / 50), target - 1.01e-10 * size - 1e-12) << k;
    }
  }
  EXPECT_GT(found, 50);
}

}  // namespace
}  // namespace stiction::geometry
