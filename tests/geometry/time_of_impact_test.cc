// Times of impact of chosen pairs: closed forms, corner cases, and what the answer says of itself.
#include "stiction/geometry/time_of_impact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "geometry/moving_pairs.h"

namespace stiction::geometry {
namespace {

using Status = TimeOfImpact::Status;
using testing::first_sampled;
using testing::gap_at;

/// A shape that moves and turns about its own origin.
MovingShape flying(const Shape& shape, const Vector3& p, const Vector3& v = Vector3::Zero(),
                   const Vector3& omega = Vector3::Zero()) {
  return {shape, {Matrix3::Identity(), p}, p, {v, omega}};
}

TEST(TimeOfImpact, SpheresMeetAtTheRootOfTheQuadratic) {
  testing::RandomPairs random(71);
  const double target = 1e-3;
  int met = 0;
  for (int k = 0; k < 500; ++k) {
    const Shape a = Sphere{random.uniform(0.1, 1)}, b = Sphere{random.uniform(0.1, 1)};
    const double reach = std::get<Sphere>(a).radius + std::get<Sphere>(b).radius + target;
    const Vector3 origin = 10 * random.direction();
    const Vector3 p = random.uniform(1.1, 5) * reach * random.direction();
    const Vector3 v = random.uniform(1, 10) * (random.direction() - 1.5 * p.normalized());
    const Vector3 drift = random.direction();
    const auto A = flying(a, origin, drift, 20 * random.direction());
    const auto B = flying(b, origin + p, v + drift, 20 * random.direction());
    const TimeOfImpact toi = time_of_impact(A, B, 2, {.target = target});
    // |p + v t| = reach
    const double half = p.dot(v) / v.squaredNorm();
    const double discriminant = half * half - (p.squaredNorm() - reach * reach) / v.squaredNorm();
    const double expected = discriminant > 0 ? -half - std::sqrt(discriminant) : -1;
    if (discriminant < 0 || expected < 0 || expected > 2) {
      EXPECT_EQ(toi.status, Status::none);
      EXPECT_EQ(toi.time, 2);
      continue;
    }
    ++met;
    ASSERT_EQ(toi.status, Status::found);
    const double approach = -(p + expected * v).normalized().dot(v);
    // The gap may be below the target by the tolerance, 1e-10 of a size of at most 2 sqrt(3).
    EXPECT_NEAR(toi.time, expected, 4e-10 / approach + 1e-14) << k;
    EXPECT_NEAR(toi.gap_rate, -approach, 1e-7) << k;
    EXPECT_FALSE(toi.touching_at_start);
  }
  EXPECT_GT(met, 100);
  EXPECT_LT(met, 450);
}

TEST(TimeOfImpact, SphereMeetsAPlaneThatStandsMovesAndTurns) {
  const Shape plane = Plane{}, ball = Sphere{0.5};
  for (const bool exchanged : {false, true}) {
    const auto query = [&](const MovingShape& A, const MovingShape& B, double h) {
      return exchanged ? time_of_impact(B, A, h, {.target = 1e-4}) : time_of_impact(A, B, h, {.target = 1e-4});
    };
    // 2.5 m above the plane at 3 m/s, while the plane rises at 1 m/s.
    const auto falling = flying(ball, {1, 2, 3}, {7, 0, -3}, {1, 2, 3});
    const TimeOfImpact toi = query(flying(plane, Vector3::Zero(), {9, 9, 1}), falling, 1);
    ASSERT_EQ(toi.status, Status::found);
    EXPECT_NEAR(toi.time, (2.5 - 1e-4) / 4, 1e-9);
    EXPECT_NEAR(toi.gap_rate, -4, 1e-12);
    EXPECT_NEAR(toi.nearest.normal.z(), exchanged ? -1 : 1, 1e-15);
    // A plane through the origin turns about y at w: its normal is (sin wt, 0, cos wt); the ball rests at (-2, 0, 1).
    const double w = 0.8;
    const auto resting = flying(ball, {-2, 0, 1});
    const TimeOfImpact swept = query(flying(plane, Vector3::Zero(), Vector3::Zero(), {0, w, 0}), resting, 1);
    ASSERT_EQ(swept.status, Status::found);
    // -2 sin wt + cos wt = 0.5001, that is sqrt(5) cos(wt + atan 2) = 0.5001
    EXPECT_NEAR(swept.time, (std::acos(0.5001 / std::sqrt(5.0)) - std::atan(2.0)) / w, 1e-9);
    EXPECT_LE(swept.iterations, 4);
  }
}

TEST(TimeOfImpact, FastBoxDoesNotPassThroughAThinPlate) {
  const Shape plate = Box{Vector3(1, 1, 0.0005)}, bullet = Box{Vector3(0.005, 0.005, 0.005)};
  for (const double spin : {0.0, 30.0, 3000.0}) {
    const auto A = flying(plate, Vector3::Zero());
    const auto B = flying(bullet, {0.2, 0.1, 3}, {0, 0, -100}, {spin, 0.5 * spin, 0});
    ASSERT_GT(gap_at(A, B, 0.1), 1);  // past it at the end of the step
    const TimeOfImpact toi = time_of_impact(A, B, 0.1, {.target = 1e-5});
    ASSERT_EQ(toi.status, Status::found) << spin;
    const double gap = gap_at(A, B, toi.time);
    EXPECT_GE(gap, 0) << spin;
    EXPECT_LE(gap, 1e-5 + 1e-14) << spin;
    if (spin == 0) {
      EXPECT_NEAR(toi.time, (3 - 0.0055 - 1e-5) / 100, 1e-11);
    }
    EXPECT_LE(toi.iterations, 20) << spin;
  }
}

/// At the start the nearest points approach at full speed: a gap linearised there falls to zero within the step, yet
/// the ball passes beside the corner.
TEST(TimeOfImpact, PassingBesideAnEdgeIsNotAnImpact) {
  const Shape box = Box{Vector3(0.5, 0.5, 0.5)}, ball = Sphere{0.1};
  const auto A = flying(box, Vector3::Zero());
  const auto query = [&](double height) {
    const auto B = flying(ball, {1.5, 0, height}, {-4, 0, 0});
    const Distance start = distance(A.shape, A.X_WS, B.shape, B.X_WS);
    EXPECT_LT(start.gap + start.normal.dot(B.velocity.linear), 0);  // linearised, after 1 s
    return time_of_impact(A, B, 1, {.target = 1e-4});
  };
  EXPECT_EQ(query(0.5 + 0.1 + 1e-4 + 1e-8).status, Status::none);
  const TimeOfImpact toi = query(0.5 + 0.1 + 1e-4 - 1e-6);
  ASSERT_EQ(toi.status, Status::found);
  // The centre is 0.1001 from the edge at x = 0.5 + sqrt(2 r e) of the ball's circle.
  const double r = 0.1001, z = r - 1e-6;
  EXPECT_NEAR(toi.time, (1.0 - std::sqrt(r * r - z * z)) / 4, 1e-7);
}

TEST(TimeOfImpact, TurningRodHitsABallByRotationAlone) {
  const Shape rod = Capsule{0.02, 1}, thin = Box{Vector3(0.02, 0.03, 1)}, ball = Sphere{0.1};
  for (const Shape* stick : {&rod, &thin}) {
    for (const double speed : {0.5, 5.0, 50.0}) {
      const auto A = flying(*stick, Vector3::Zero(), Vector3::Zero(), {0, speed, 0});
      const auto B = flying(ball, {0.8, 0, 0.1});
      const double h = 3 / speed;
      const std::optional<double> expected = first_sampled(A, B, h, 1e-4, 2000);
      ASSERT_TRUE(expected);
      const TimeOfImpact toi = time_of_impact(A, B, h, {.target = 1e-4});
      ASSERT_EQ(toi.status, Status::found);
      EXPECT_NEAR(toi.time, *expected, 1e-9 / speed);
      EXPECT_LT(toi.gap_rate, 0);
      EXPECT_LE(toi.iterations, 20);
      // Standing still, or out of reach, it does not.
      EXPECT_EQ(time_of_impact(flying(*stick, Vector3::Zero()), B, h, {.target = 1e-4}).status, Status::none);
      const auto away = flying(ball, {1.3, 0, 0.1});
      EXPECT_EQ(time_of_impact(A, away, h, {.target = 1e-4}).status, Status::none);
    }
  }
}

/// A rod that hangs from one end: the centre it turns about is not the shape's origin.
TEST(TimeOfImpact, TurnsAboutTheGivenCentre) {
  const Shape rod = Capsule{0.05, 0.5}, plane = Plane{};
  const MovingShape A{rod, {Matrix3::Identity(), {0, 0, -0.5}}, Vector3::Zero(), {Vector3::Zero(), {0, 2, 0}}};
  const MovingShape B{plane, {Eigen::AngleAxisd(-M_PI / 2, Vector3::UnitY()).toRotationMatrix(), {0.6, 0, 0}}};
  // Half-space x >= 0.6: the far end is at x = -sin(2 t), so the rod turns away first and comes round.
  const TimeOfImpact toi = time_of_impact(A, B, 3, {.target = 1e-3});
  ASSERT_EQ(toi.status, Status::found);
  EXPECT_NEAR(toi.time, (M_PI + std::asin(0.549)) / 2, 1e-9);
}

/// Two balls, one on an arm of 1 m that swings straight at the other: nearly all of the arc is needed.
TEST(TimeOfImpact, SwingingArmMeetsWhatItReachesOnlyAtTheEndOfTheArc) {
  const Shape ball = Sphere{0.05};
  const MovingShape A{ball, {Matrix3::Identity(), {1, 0, 0}}, Vector3::Zero(), {Vector3::Zero(), {0, 0, 1}}};
  const double D = 0.195, c = 0.1 + 1e-6;
  const TimeOfImpact toi = time_of_impact(A, flying(ball, {1, D, 0}), 0.1, {.target = 1e-6});
  ASSERT_EQ(toi.status, Status::found);
  // |(cos t, sin t) - (1, D)| = c
  EXPECT_NEAR(toi.time, std::atan(D) - std::acos((2 + D * D - c * c) / (2 * std::sqrt(1 + D * D))), 1e-10);
  EXPECT_EQ(time_of_impact(A, flying(ball, {1, D, 0}), 0.09, {.target = 1e-6}).status, Status::none);
}

/// A rod that wobbles above a plane: the plane's own spin about its normal must not matter, although every axis then
/// turns with it.
TEST(TimeOfImpact, PlaneThatSpinsAboutItsNormalIsAPlaneAtRest) {
  const Shape plane = Plane{}, rod = Box{Vector3(1, 0.01, 0.01)};
  testing::RandomPairs random(76);
  int found = 0;
  for (int k = 0; k < 100; ++k) {
    const Vector3 wobble = 20 * Vector3::UnitZ() + Vector3(random.uniform(-2, 2), random.uniform(-2, 2), 0);
    const auto B = flying(rod, {0, 0, random.uniform(0.05, 0.2)}, Vector3::Zero(), wobble);
    const TimeOfImpact rest = time_of_impact(flying(plane, Vector3::Zero()), B, 1, {.target = 1e-5});
    const auto spinning = flying(plane, {1, 2, 0}, Vector3::Zero(), {0, 0, 20});
    const TimeOfImpact spin = time_of_impact(spinning, B, 1, {.target = 1e-5});
    const std::optional<double> expected = first_sampled(flying(plane, Vector3::Zero()), B, 1, 1e-5, 1000);
    ASSERT_EQ(rest.status, expected ? Status::found : Status::none) << k;
    ASSERT_EQ(spin.status, rest.status) << k;
    if (!expected) continue;
    ++found;
    EXPECT_NEAR(rest.time, *expected, 1e-7) << k;  // some only graze
    EXPECT_NEAR(spin.time, *expected, 1e-7) << k;
  }
  EXPECT_GT(found, 20);
  EXPECT_LT(found, 80);
}

TEST(TimeOfImpact, NoMotionAndNoDuration) {
  const Shape box = Box{Vector3(0.5, 0.5, 0.5)};
  const auto A = flying(box, Vector3::Zero());
  const auto near = flying(box, {1.01, 0, 0});
  const TimeOfImpact still = time_of_impact(A, near, 5, {.target = 1e-3});
  EXPECT_EQ(still.status, Status::none);
  EXPECT_EQ(still.time, 5);
  EXPECT_EQ(still.iterations, 1);
  const auto fast = flying(box, {1.01, 0, 0}, {-100, 0, 0}, {1, 2, 3});
  EXPECT_EQ(time_of_impact(A, fast, 0, {.target = 1e-3}).status, Status::none);
  EXPECT_EQ(time_of_impact(A, fast, 0, {.target = 1e-3}).time, 0);
  EXPECT_EQ(time_of_impact(A, fast, 0, {.target = 0.02}).status, Status::found);
  EXPECT_EQ(time_of_impact(A, fast, 1e-5, {.target = 1e-3}).status, Status::none);
}

TEST(TimeOfImpact, TheEndOfTheMotionBelongsToIt) {
  const Shape ball = Sphere{0.5};
  const auto A = flying(ball, Vector3::Zero());
  const auto B = flying(ball, {3, 0, 0}, {-1, 0, 0});
  EXPECT_EQ(time_of_impact(A, B, 1.75, {.target = 0.25}).status, Status::found);  // 3 - 1.75 = 1.25 in binary, too
  EXPECT_EQ(time_of_impact(A, B, 1.75 - 1e-9, {.target = 0.25}).status, Status::none);
}

TEST(TimeOfImpact, TouchingAtTheStartSaysWhetherTheyApproach) {
  const Shape box = Box{Vector3(0.5, 0.5, 0.5)}, floor = Plane{};
  const Vector3 zero = Vector3::Zero();
  const auto A = flying(floor, Vector3::Zero());
  const auto start = [&](double height, const Vector3& v, const Vector3& omega) {
    const TimeOfImpact toi = time_of_impact(A, flying(box, {0, 0, 0.5 + height}, v, omega), 1, {.target = 1e-4});
    EXPECT_EQ(toi.status, Status::found);
    EXPECT_EQ(toi.time, 0);
    EXPECT_TRUE(toi.touching_at_start);
    EXPECT_NEAR(toi.nearest.gap, height, 1e-15);
    return toi.gap_rate;
  };
  for (const double height : {1e-4 - 1e-12, 0.0, -0.1}) {
    EXPECT_NEAR(start(height, {0, 0, -2}, zero), -2, 1e-14);
    EXPECT_NEAR(start(height, {3, 0, 2}, zero), 2, 1e-14);
    EXPECT_NEAR(start(height, {5, 0, 0}, {0, 0, 1}), 0, 1e-14);
    // Rocking: one corner goes up, another down at 0.5 m/s, whichever of them is the witness.
    for (const double sign : {1.0, -1.0}) EXPECT_NEAR(start(height, zero, {0, sign, 0}), -0.5, 1e-14);
    EXPECT_NEAR(start(height, {0, 0, 0.75}, {0, 1, 0}), 0.25, 1e-14);
  }
}

TEST(TimeOfImpact, OutOfIterationsIsSaidAndTheTimeUntilThenIsProved) {
  const Shape a = Ellipsoid{Vector3(0.5, 0.3, 0.2)}, b = Box{Vector3(0.3, 0.2, 0.1)};
  const auto A = flying(a, Vector3::Zero(), Vector3::Zero(), {9, -8, 7});
  const auto B = flying(b, {2, 0.1, 0}, {-2, 0, 0}, {5, 6, 7});
  const TimeOfImpact whole = time_of_impact(A, B, 2, {.target = 1e-6});
  ASSERT_EQ(whole.status, Status::found);
  ASSERT_GT(whole.iterations, 2);
  const TimeOfImpact cut = time_of_impact(A, B, 2, {.target = 1e-6, .max_iterations = 2});
  EXPECT_EQ(cut.status, Status::undecided);
  EXPECT_GT(cut.time, 0);
  EXPECT_LT(cut.time, whole.time);
}

TEST(TimeOfImpact, HalfSpacesFacingEachOther) {
  const Shape up = Plane{}, down = Plane{Vector3(0, 0, -1)};
  const auto A = flying(up, Vector3::Zero());
  const TimeOfImpact toi = time_of_impact(A, flying(down, {0, 0, 1}, {0, 0, -2}), 1, {.target = 0.25});
  ASSERT_EQ(toi.status, Status::found);
  EXPECT_NEAR(toi.time, 0.375, 1e-9);
  EXPECT_EQ(time_of_impact(A, flying(down, {0, 0, 1}, {3, 0, 2}), 1, {.target = 0.25}).status, Status::none);
  const auto turning = flying(down, {0, 0, 1}, Vector3::Zero(), {1, 0, 0});
  EXPECT_EQ(time_of_impact(A, turning, 1, {.target = 0.25}).status, Status::undecided);
}

}  // namespace
}  // namespace stiction::geometry
