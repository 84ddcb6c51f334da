// Bodies in a bowl: gaps against sampled surfaces, points and normals, pieces and their derivatives, times of impact.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "geometry/closest_pairs.h"
#include "stiction/geometry/time_of_impact.h"

namespace stiction::geometry {
namespace {

using namespace testing;

/// A bowl and a shape of size about one inside it, `gap` from the wall.
Pair body_in_bowl(RandomPairs& random, const Shape& body, double gap) {
  const Bowl bowl{bounding_radius(body) * random.uniform(1.3, 4)};
  Pair pair{bowl, body, {random.rotation(), random.direction()}, {random.rotation(), {}}};
  pair.X_WB.p = pair.X_WA.p + 0.2 * bowl.radius * random.direction();
  for (int k = 0; k < 6; ++k) {
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    pair.X_WB.p += (gap - d.gap) * d.normal;
  }
  return pair;
}

/// One shape of each kind in turn, implicit ones as well.
Shape shape_of_kind(RandomPairs& random, int kind) {
  const auto& implicit = implicit_shapes();
  if (kind % 11 == 10) return implicit[(kind / 11) % implicit.size()];
  while (true) {
    const Shape shape = random.shape(1, 3, false);
    if (shape.index() == 1u + kind % 11) return shape;
    if (kind % 11 > 8) return shape;
  }
}

/// Largest distance from the bowl's centre of the farthest points along many evenly spread directions.
double sampled_reach(const Pair& pair, int count) {
  const Vector3 c = pair.X_WB.inverse() * pair.X_WA.p;
  double most = 0;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count;
    const double r = std::sqrt(1 - z * z);
    const double turn = i * M_PI * (3 - std::sqrt(5.0));
    most = std::max(most, (support(pair.B, {r * std::cos(turn), r * std::sin(turn), z}) - c).norm());
  }
  return most;
}

TEST(Bowl, GapAgainstSampledSurfaces) {
  RandomPairs random(31);
  for (int trial = 0; trial < 154; ++trial) {
    const Pair pair = body_in_bowl(random, shape_of_kind(random, trial), random.uniform(-0.1, 0.4));
    const double size = shape_size(pair.B);
    const double radius = std::get<Bowl>(pair.A).radius;
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const double sampled = radius - sampled_reach(pair, 4000);
    EXPECT_LE(d.gap, sampled + 1e-12 * size) << shape_name(pair.B);
    // Directions are 0.06 apart: of a shape of radius r at most r 0.06^2 / 2 is missed.
    EXPECT_GE(d.gap, sampled - 2e-3 * size) << shape_name(pair.B);
    EXPECT_NEAR((d.point_A - pair.X_WA.p).norm(), radius, 1e-14 * (1 + radius));
    EXPECT_LT(std::abs(outside_by(pair.B, pair.X_WB, d.point_B)), 1e-9 * size) << shape_name(pair.B);
    EXPECT_LT((d.normal - (pair.X_WA.p - d.point_A).normalized()).norm(), 1e-14);
    EXPECT_LT((d.point_B - d.point_A - d.gap * d.normal).norm(), 1e-14 * (1 + radius));
    EXPECT_TRUE(d.converged && d.lower_bound <= d.gap && d.gap <= d.upper_bound);
    const Distance e = distance(pair.B, pair.X_WB, pair.A, pair.X_WA);
    EXPECT_EQ(e.gap, d.gap);
    EXPECT_LT((e.point_A - d.point_B).norm() + (e.point_B - d.point_A).norm() + (e.normal + d.normal).norm(), 1e-13);
  }
}

TEST(Bowl, SphereHasAClosedForm) {
  RandomPairs random(32);
  for (int trial = 0; trial < 200; ++trial) {
    const double r = random.uniform(0.1, 1);
    const Pose X{random.rotation(), 1.5 * random.direction() * random.uniform(0, 1)};
    const Distance d = distance(Bowl{2}, {}, Sphere{r}, X);
    EXPECT_NEAR(d.gap, 2 - r - X.p.norm(), 1e-15);
    EXPECT_LT((d.normal + X.p.normalized()).norm(), 1e-15);
    EXPECT_LT((d.point_B - X.p * (1 + r / X.p.norm())).norm(), 1e-15);
  }
  EXPECT_EQ(distance(Bowl{2}, {}, Sphere{0.5}, {}).gap, 1.5);
}

/// Symmetric about the middle: both ends at the same gap, each with the normal towards the centre.
TEST(Bowl, LongBodiesTouchWithBothEnds) {
  const Pose lying{exp_rotation(Vector3(0, M_PI / 2, 0)).toRotationMatrix(), {0, 0, -0.3}};
  for (const Shape& shape : {Shape{Capsule{0.1, 0.8}}, Shape{Ellipsoid{Vector3(0.1, 0.2, 0.9)}}}) {
    const Manifold m = manifold(Bowl{1}, {}, shape, lying, 0.1);
    ASSERT_EQ(m.count, 2) << shape_name(shape);
    EXPECT_NEAR(m.points[0].gap, m.points[1].gap, 1e-14);
    EXPECT_NE(m.points[0].feature, m.points[1].feature);
    EXPECT_LT(m.points[0].point_B.x() * m.points[1].point_B.x(), 0);
    for (const ManifoldPoint& point : m.view()) {
      EXPECT_LT((m.normal_at(point) + point.point_A).norm(), 1e-15);
      EXPECT_LT((m.normal_at(point) + point.point_B.normalized()).norm(), 1e-15);
      EXPECT_NEAR(1 - point.point_B.norm(), point.gap, 1e-15);
    }
  }
  EXPECT_NEAR(manifold(Bowl{1}, {}, Capsule{0.1, 0.8}, lying, 0.1).points[0].gap, 0.9 - std::hypot(0.8, 0.3), 1e-15);
}

/// The point of an ellipsoid below the centre on its axis: pole while the radius of curvature there is below the
/// distance from the centre, two points when it is above.
TEST(Bowl, EllipsoidRocksOnItsPoleOrStandsOnTwoPoints) {
  const auto count = [](double a) {
    const Ellipsoid body{Vector3(a, 0.3, 0.2)};
    const Pose X{Matrix3::Identity(), {0, 0, -0.8}};
    return manifold(Bowl{1}, {}, body, X, 10.0).count;
  };
  EXPECT_EQ(count(std::sqrt(0.2) - 0.01), 1);  // a^2 / 0.2 < 1
  EXPECT_EQ(count(std::sqrt(0.2) + 0.01), 2);
}

/// Every point of a manifold is stationary: none near it on the body is farther from the centre, and each has its own
/// piece whose closest points are these.
TEST(Bowl, PiecesSolveToThePointsOfManifolds) {
  RandomPairs random(33);
  int points = 0;
  for (int trial = 0; trial < 440; ++trial) {
    Pair pair = body_in_bowl(random, shape_of_kind(random, trial), 0.01 * random.below(3) - 0.01);
    if (trial % 2) std::swap(pair.A, pair.B), std::swap(pair.X_WA, pair.X_WB);
    const double size = size_of(pair);
    const Manifold m = manifold(pair.A, pair.X_WA, pair.B, pair.X_WB, 0.1);
    ASSERT_GE(m.count, 1);
    for (int k = 0; k < m.count; ++k, ++points) {
      Pieces pieces(pair, m, k);
      ClosestUnknowns u;
      guess_closest(pieces.pair, m.points[k].point_A, m.points[k].point_B, m.normal_at(m.points[k]), u);
      ASSERT_EQ(solve_closest(pieces.pair, size, u), ClosestOutcome::solved)
          << shape_name(pair.A) << " " << shape_name(pair.B);
      EXPECT_NEAR(u.gap(), m.points[k].gap, 1e-12 * (1 + size)) << shape_name(pair.A) << " " << shape_name(pair.B);
      EXPECT_LT((u.normal() - m.normal_at(m.points[k])).norm(), 1e-6);
      for (int l = 0; l < k; ++l) EXPECT_NE(m.points[l].feature, m.points[k].feature);
    }
  }
  EXPECT_GT(points, 500);
}

/// The waist of a long ellipsoid is stationary too, but a saddle: no contact, apart or crossing.
TEST(Bowl, SaddlesAreRefused) {
  for (const double height : {-0.7, -0.85}) {
    const Pair pair{Bowl{1}, Ellipsoid{Vector3(0.7, 0.3, 0.2)}, {}, {Matrix3::Identity(), {0, 0, height}}};
    const Vector3 pole(0, 0, height - 0.2);
    Distance at_pole;
    at_pole.normal = Vector3::UnitZ();
    at_pole.point_A = -Vector3::UnitZ();
    at_pole.point_B = pole;
    Pieces pieces(pair, at_pole);
    ClosestUnknowns u;
    guess_closest(pieces.pair, at_pole.point_A, pole, Vector3::UnitZ(), u);
    EXPECT_EQ(solve_closest(pieces.pair, 1, u), ClosestOutcome::not_found);
  }
}

Pose moved(const Pose& X, int column, double h) {
  Pose Y = X;
  if (column < 3) Y.p[column] += h;
  if (column >= 3) Y.R = exp_rotation(h * Vector3::Unit(column - 3)).toRotationMatrix() * X.R;
  return Y;
}

TEST(Bowl, DerivativeOfTheClosestPointsAgainstDifferences) {
  RandomPairs random(34);
  int compared = 0;
  for (int trial = 0; trial < 220; ++trial) {
    Pair pair = body_in_bowl(random, shape_of_kind(random, trial), random.uniform(-0.02, 0.1));
    if (trial % 2) std::swap(pair.A, pair.B), std::swap(pair.X_WA, pair.X_WB);
    const double size = size_of(pair);
    const Distance there = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    Pieces pieces(pair, there);
    ClosestUnknowns u;
    guess_closest(pieces.pair, there.point_A, there.point_B, there.normal, u);
    ASSERT_EQ(solve_closest(pieces.pair, size, u), ClosestOutcome::solved) << shape_name(pair.A);
    ClosestDerivative D;
    ASSERT_TRUE(closest_derivative(pieces.pair, size, u, D));
    using Ten = Eigen::Matrix<double, 10, 1>;
    for (int column = 0; column < 12; ++column) {
      constexpr double h = 1e-6;
      bool solved = true;
      const auto at = [&](double step) -> Ten {
        PiecePair other = pieces.pair;
        (column < 6 ? other.X_WA : other.X_WB) = moved(column < 6 ? pair.X_WA : pair.X_WB, column % 6, step);
        ClosestUnknowns v = u;
        solved &= solve_closest(other, size, v) == ClosestOutcome::solved;
        return Eigen::Map<const Ten>(v.y.data());
      };
      const Ten up = at(h), down = at(-h), here = at(0);
      if (!solved || (up - 2 * here + down).norm() > 1e-3 * h) continue;  // a kink, or a point about to part in two
      const Ten expected = D.pose.col(column);
      EXPECT_LT(((up - down) / (2 * h) - expected).norm(), 2e-6 * (1 + expected.norm()))
          << shape_name(pair.A) << " " << shape_name(pair.B) << " column " << column;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2000);
}

TEST(Bowl, CanOnTheBottomStandsOnItsRim) {
  const Cylinder can{0.3, 0.2};
  const double bottom = -std::sqrt(1 - 0.09);
  const Pose X{Matrix3::Identity(), {0, 0, bottom + 0.2}};
  const Manifold m = manifold(Bowl{1}, {}, can, X, 1e-3);
  ASSERT_EQ(m.count, 4);
  for (const ManifoldPoint& point : m.view()) EXPECT_NEAR(point.gap, 0, 1e-15);
}

/// Thinning keeps the deepest point and spreads the others: all round a polygon of 40 corners.
TEST(Bowl, ManyCornersAreThinnedToSpreadOnes) {
  std::vector<Vector3> corners;
  for (int k = 0; k < 80; ++k) {
    const double angle = 2 * M_PI * (k % 40) / 40;
    corners.emplace_back(0.6 * std::cos(angle), 0.6 * std::sin(angle), k < 40 ? -0.1 : 0.1);
  }
  const Convex prism{std::make_shared<ConvexHull>(convex_hull(corners).value())};
  const Pose X{exp_rotation(Vector3(0, 0.001, 0)).toRotationMatrix(), {0, 0, -0.7}};
  const Manifold m = manifold(Bowl{1}, {}, prism, X, infinity);
  ASSERT_EQ(m.count, max_manifold_points);
  double least = 1;
  Vector3 sum = Vector3::Zero();
  for (const ManifoldPoint& point : m.view()) {
    least = std::min(least, point.gap);
    sum += point.point_B;
    EXPECT_LT(point.point_B.z(), -0.79);
  }
  EXPECT_NEAR(least, distance(Bowl{1}, {}, prism, X).gap, 1e-16);
  EXPECT_LT(sum.head<2>().norm() / m.count, 0.1);
}

TEST(Bowl, MeetsNoPlaneAndNoBowl) {
  EXPECT_EQ(manifold(Bowl{1}, {}, Plane{}, {}, infinity).count, 0);
  EXPECT_EQ(manifold(Plane{}, {}, Bowl{1}, {}, infinity).count, 0);
  EXPECT_EQ(manifold(Bowl{1}, {}, Bowl{2}, {}, infinity).count, 0);
  EXPECT_EQ(distance(Bowl{1}, {}, Plane{}, {}).gap, -infinity);
  EXPECT_EQ(mass_properties(Bowl{1}).volume, 0);
  EXPECT_TRUE(std::isinf(bounding_radius(Bowl{1})));
}

TEST(Bowl, TimeOfImpactOfAFlyingBall) {
  const Shape bowl = Bowl{1}, ball = Sphere{0.1};
  MovingShape moving{ball, {Matrix3::Identity(), {0.2, 0, 0}}, {0.2, 0, 0}};
  moving.velocity = {{0, 0, -2}, {0, 3, 0}};
  const TimeOfImpact hit = time_of_impact({bowl, {}}, moving, 1, {});
  ASSERT_EQ(hit.status, TimeOfImpact::Status::found);
  const double fall = std::sqrt(0.81 - 0.04);
  EXPECT_NEAR(hit.time, fall / 2, 1e-9);
  EXPECT_NEAR(hit.gap_rate, -2 * fall / 0.9, 1e-8);
  EXPECT_EQ(time_of_impact({bowl, {}}, moving, 0.4, {}).status, TimeOfImpact::Status::none);
}

TEST(Bowl, TimeOfImpactIsNeverLate) {
  RandomPairs random(35);
  int found = 0;
  for (int trial = 0; trial < 110; ++trial) {
    const Pair pair = body_in_bowl(random, shape_of_kind(random, trial), random.uniform(0.01, 0.3));
    const Twist of_A{0.3 * random.direction(), 0.5 * random.direction()};
    const Twist of_B{random.uniform(0, 2) * random.direction(), random.uniform(0, 5) * random.direction()};
    const MovingShape A{pair.A, pair.X_WA, pair.X_WA.p + 0.3 * random.direction(), of_A};
    const MovingShape B{pair.B, pair.X_WB, pair.X_WB.p, of_B};
    const double duration = 0.5;
    const TimeOfImpact hit = trial % 2 ? time_of_impact(A, B, duration, {}) : time_of_impact(B, A, duration, {});
    const double size = shape_size(pair.B);
    ASSERT_NE(hit.status, TimeOfImpact::Status::undecided) << shape_name(pair.B);
    const auto gap = [&](double t) { return distance(pair.A, A.pose(t), pair.B, B.pose(t)).gap; };
    for (int k = 0; k < 40; ++k) EXPECT_GT(gap(hit.time * k / 40), -1e-9 * size) << shape_name(pair.B);
    if (hit.status != TimeOfImpact::Status::found) continue;
    ++found;
    EXPECT_NEAR(gap(hit.time), 0, 1e-9 * size);
  }
  EXPECT_GT(found, 25);
}

}  // namespace
}  // namespace stiction::geometry
