// Counts, gaps, numbers and exactness of contact manifolds.
#include "stiction/geometry/manifold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "geometry/random_pairs.h"

namespace stiction::geometry {
namespace {

using testing::RandomPairs;

Pose at(double x, double y, double z) {
  return {Matrix3::Identity(), {x, y, z}};
}
Pose turned(const Vector3& w, const Vector3& p) {
  return {exp_rotation(w).toRotationMatrix(), p};
}

std::set<std::uint32_t> features(const Manifold& m) {
  std::set<std::uint32_t> set;
  for (const ManifoldPoint& point : m.view()) set.insert(point.feature);
  return set;
}

/// Each point's gap is the distance of its two ends along the normal; the ends differ along the normal only; numbers
/// differ.
void expect_consistent(const Manifold& m, double margin, double rounding) {
  EXPECT_NEAR(m.normal.norm(), 1, 1e-14);
  for (const ManifoldPoint& point : m.view()) {
    EXPECT_NEAR((point.point_B - point.point_A).dot(m.normal), point.gap, rounding);
    EXPECT_LT(point.gap, margin);
  }
  EXPECT_EQ(static_cast<int>(features(m).size()), m.count);
}

double area(const Manifold&
                m) {  // of the polygon spanned, for points in order or not: the largest triangle fan about the middle
  Vector3 middle = Vector3::Zero();
  for (const auto& point : m.view()) middle += point.point_A / m.count;
  std::vector<std::pair<double, Vector3>> ring;
  const Vector3 t1 = any_orthogonal(m.normal);
  for (const auto& point : m.view()) {
    const Vector3 x = point.point_A - middle;
    ring.emplace_back(std::atan2(m.normal.cross(t1).dot(x), t1.dot(x)), x);
  }
  std::sort(ring.begin(), ring.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double sum = 0;
  for (size_t k = 0; k < ring.size(); ++k)
    sum += m.normal.dot(ring[k].second.cross(ring[(k + 1) % ring.size()].second)) / 2;
  return sum;
}

TEST(Manifold, BoxOnPlaneHasFourCornersWithExactGaps) {
  const Manifold m = manifold(Plane{}, at(0, 0, 0), Box{Vector3(1, 2, 0.5)}, at(0.1, 0.2, 0.5), 0.01);
  ASSERT_EQ(m.count, 4);
  EXPECT_EQ(m.normal, Vector3::UnitZ());
  for (const auto& point : m.view()) EXPECT_EQ(point.gap, 0);
  EXPECT_NEAR(area(m), 8, 1e-13);
  const Manifold reversed = manifold(Box{Vector3(1, 2, 0.5)}, at(0.1, 0.2, 0.5), Plane{}, at(0, 0, 0), 0.01);
  EXPECT_EQ(reversed.normal, -Vector3::UnitZ());
  EXPECT_EQ(features(reversed), features(m));
  expect_consistent(reversed, 0.01, 1e-15);
}

TEST(Manifold, TiltedBoxOnPlaneTouchesWithAnEdgeOrACorner) {
  const Box box{Vector3(1, 1, 1)};
  EXPECT_EQ(manifold(Plane{}, at(0, 0, 0), box, turned({M_PI / 4, 0, 0}, {0, 0, std::sqrt(2)}), 1e-3).count, 2);
  const Vector3 axis = Vector3(1, -1, 0).normalized() * std::acos(1 / std::sqrt(3));
  EXPECT_EQ(manifold(Plane{}, at(0, 0, 0), box, turned(axis, {0, 0, std::sqrt(3)}), 1e-3).count, 1);
  EXPECT_EQ(manifold(Plane{}, at(0, 0, 0), box, at(0, 0, 1.1), 1e-3).count, 0);
}

TEST(Manifold, BoxesFaceToFaceAreTheClippedPolygon) {
  const Box unit{Vector3(1, 1, 1)};
  const Manifold shifted = manifold(unit, at(0, 0, 0), unit, at(0.5, 0.25, 2), 0.01);
  EXPECT_EQ(shifted.count, 4);
  EXPECT_NEAR(area(shifted), 1.5 * 1.75, 1e-13);
  // Turned by 45 degrees two squares meet in an octagon: side 2(sqrt2-1), area 8(sqrt2-1).
  const Manifold octagon = manifold(unit, at(0, 0, 0), unit, turned({0, 0, M_PI / 4}, {0, 0, 2}), 0.01);
  EXPECT_EQ(octagon.count, 8);
  EXPECT_NEAR(area(octagon), 8 * (std::sqrt(2) - 1), 1e-13);
  for (const auto& point : octagon.view()) EXPECT_NEAR(point.gap, 0, 1e-15);
  const Manifold small = manifold(unit, at(0, 0, 0), Box{Vector3(0.2, 0.3, 0.4)}, at(0.1, 0, 1.4), 0.01);
  EXPECT_EQ(small.count, 4);
  EXPECT_NEAR(area(small), 0.24, 1e-14);
}

// Bricks side by side: their faces agree to rounding, and borders that cross along the edges are not contacts.
TEST(Manifold, EqualFacesTouchAtTheirCornersWhateverRoundingTurnsThem) {
  const Box box{Vector3(0.1, 0.05, 0.05)};
  for (const double angle : {0.0, 1e-14, -3e-12, 2e-10, 5e-9, -1e-7, 3e-7}) {
    const Manifold m = manifold(box, at(0, 0, 0), box, turned({angle, 0.3 * angle, 0}, {0.2 - 1e-9, 0, 0}), 0.01);
    ASSERT_EQ(m.count, 4) << angle;
    for (const auto& point : m.view()) {
      EXPECT_NEAR(std::abs(point.point_A.y()), 0.05, 1e-7) << angle;
      EXPECT_NEAR(std::abs(point.point_A.z()), 0.05, 1e-7) << angle;
      EXPECT_LE(std::abs(point.point_A.y()), 0.05 + 1e-10) << angle;  // inside both
      EXPECT_NEAR(point.gap, -1e-9, 2 * 0.05 * std::abs(angle) + 1e-15) << angle;
    }
  }
  EXPECT_EQ(manifold(box, at(0, 0, 0), box, turned({1e-3, 0, 0}, {0.2 - 1e-9, 0, 0}), 0.01).count, 8);
}

TEST(Manifold, TowerIsExact) {
  const Box box{Vector3(0.5, 0.5, 0.5)};
  const std::set<std::uint32_t> first = features(manifold(box, at(1000, -2000, 0.5), box, at(1000, -2000, 1.5), 0.02));
  for (int k = 0; k < 10; ++k) {
    const Manifold m = manifold(box, at(1000, -2000, k + 0.5), box, at(1000, -2000, k + 1.5), 0.02);
    ASSERT_EQ(m.count, 4);
    EXPECT_EQ(m.normal, Vector3::UnitZ());
    EXPECT_EQ(features(m), first);
    for (const auto& point : m.view()) EXPECT_EQ(point.gap, 0);
    EXPECT_NEAR(area(m), 1, 1e-12);
  }
}

/// Boxes and the same boxes as hulls resting on each other, disturbed by rounding and by small motions: the same
/// points.
TEST(Manifold, NumbersAreStableUnderSmallMotion) {
  RandomPairs random(21);
  std::vector<Vector3> corners;
  for (int k = 0; k < 8; ++k) corners.emplace_back(k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k & 4 ? 0.5 : -0.5);
  const Shape hull = Convex{std::make_shared<ConvexHull>(convex_hull(corners).value())};
  const Shape box = Box{Vector3(0.5, 0.5, 0.5)};
  for (const Shape& shape : {box, hull}) {
    for (const Vector3& p : {Vector3(0, 0, 1), Vector3(0.3, 0.1, 1)}) {
      const std::set<std::uint32_t> numbers =
          features(manifold(shape, at(0, 0, 0), shape, {Matrix3::Identity(), p}, 0.02));
      EXPECT_EQ(numbers.size(), 4u);
      for (int k = 0; k < 500; ++k) {
        const double amount = random.log_uniform(1e-16, p.x() > 0 ? 1e-3 : 1e-10);
        const Pose X = turned(amount * random.direction(), p + amount * random.direction());
        const Manifold m = manifold(shape, at(0, 0, 0), shape, X, 0.02);
        ASSERT_EQ(features(m), numbers) << shape_name(shape) << " moved by " << amount;
        ASSERT_LT((m.normal - Vector3::UnitZ()).norm(), 2 * amount + 1e-12);
        expect_consistent(m, 0.02, 1e-14);
      }
    }
  }
}

TEST(Manifold, CornerAgainstCornerHasTheTrueNormal) {
  const Box unit{Vector3(1, 1, 1)};
  const Manifold m = manifold(unit, at(0, 0, 0), unit, at(2.1, 2.1, 2.1), 0.5);
  EXPECT_LT((m.normal - Vector3::Constant(1 / std::sqrt(3))).norm(), 1e-9);
  ASSERT_GE(m.count, 1);
  double least = 1;
  for (const auto& point : m.view()) least = std::min(least, point.gap);
  EXPECT_NEAR(least, 0.1 * std::sqrt(3), 1e-12);
}

TEST(Manifold, CrossedEdgesTouchInOnePoint) {
  const Box unit{Vector3(1, 1, 1)};
  const Matrix3 R = exp_rotation(Vector3(0, 0, M_PI / 2)).toRotationMatrix() *
                    exp_rotation(Vector3(0, M_PI / 4, 0)).toRotationMatrix();
  const Manifold m = manifold(unit, turned({0, M_PI / 4, 0}, {0, 0, 0}), unit, {R, {0.1, 0.2, 2 * std::sqrt(2)}}, 1e-3);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, 0, 1e-14);
  EXPECT_LT((m.points[0].point_A - Vector3(0, 0.2, std::sqrt(2))).cwiseProduct(Vector3(1, 0, 1)).norm(), 0.11);
}

TEST(Manifold, CylinderStandingLyingAndTilted) {
  const Cylinder c{0.5, 1};
  const Manifold standing = manifold(Plane{}, at(0, 0, 0), c, at(0, 0, 1), 0.01);
  EXPECT_EQ(standing.count, 4);
  for (const auto& point : standing.view()) EXPECT_EQ(point.gap, 0);
  EXPECT_NEAR(area(standing), 0.5, 1e-14);
  const Manifold lying = manifold(Plane{}, at(0, 0, 0), c, turned({M_PI / 2, 0, 0}, {0, 0, 0.5}), 0.01);
  ASSERT_EQ(lying.count, 2);
  EXPECT_NEAR((lying.points[0].point_B - lying.points[1].point_B).norm(), 2, 1e-14);
  // Tilted, the deepest rim point is there whichever way it leans.
  for (int k = 0; k < 16; ++k) {
    const double lean = 2 * M_PI * k / 16 + 0.1;
    const double t = 0.02;
    const Pose X = turned(t * Vector3(std::cos(lean), std::sin(lean), 0), {0, 0, 1});
    const Manifold m = manifold(Plane{}, at(0, 0, 0), c, X, 0.05);
    double least = 1;
    for (const auto& point : m.view()) least = std::min(least, point.gap);
    EXPECT_NEAR(least, 1 - 0.5 * std::sin(t) - std::cos(t), 1e-14);
    expect_consistent(m, 0.05, 1e-14);
  }
}

TEST(Manifold, CylinderOnBoxAndOnCylinder) {
  const Cylinder c{0.5, 1};
  const Box table{Vector3(2, 2, 0.5)};
  EXPECT_EQ(manifold(table, at(0, 0, 0), c, at(0.3, 0, 1.5), 0.01).count, 4);
  EXPECT_EQ(manifold(table, at(0, 0, 0), c, turned({M_PI / 2, 0, 0}, {0, 0, 1}), 0.01).count, 2);
  // Hanging over the edge at x = 2 by 0.2: the support ends where the rim crosses the edge.
  const Manifold over = manifold(table, at(0, 0, 0), c, at(1.7, 0, 1.5), 0.01);
  double reach = 0;
  for (const auto& point : over.view()) reach = std::max(reach, point.point_A.x());
  EXPECT_NEAR(reach, 2, 1e-12);
  EXPECT_GE(over.count, 4);
  const Manifold stacked = manifold(c, at(0, 0, 0), c, at(0.1, 0, 2), 0.01);
  EXPECT_GE(stacked.count, 4);
  expect_consistent(stacked, 0.01, 1e-14);
  for (const auto& point : stacked.view()) EXPECT_NEAR(point.gap, 0, 1e-15);
}

TEST(Manifold, CapsulesLying) {
  const Capsule c{0.25, 1};
  const Pose lying = turned({M_PI / 2, 0, 0}, {0, 0, 0.25});
  const Manifold ground = manifold(Plane{}, at(0, 0, 0), c, lying, 0.01);
  ASSERT_EQ(ground.count, 2);
  for (const auto& point : ground.view()) EXPECT_NEAR(point.gap, 0, 1e-15);
  EXPECT_EQ(manifold(Box{Vector3(3, 3, 1)}, at(0, 0, -1), c, lying, 0.01).count, 2);
  // Two logs side by side touch along the stretch they share.
  const Manifold logs = manifold(c, at(0, 0, 0), c, at(0.5, 0, 0.4), 0.01);
  ASSERT_EQ(logs.count, 2);
  EXPECT_NEAR(std::abs(logs.points[0].point_A.z() - logs.points[1].point_A.z()), 1.6, 1e-14);
  EXPECT_EQ(manifold(c, at(0, 0, 0), c, turned({M_PI / 2, 0, 0}, {0.5, 0, 0}), 0.01).count, 1);
}

TEST(Manifold, RoundShapesTouchInOnePoint) {
  EXPECT_EQ(manifold(Sphere{1}, at(0, 0, 0), Sphere{1}, at(0, 0, 2), 0.01).count, 1);
  const Manifold m = manifold(Ellipsoid{Vector3(1, 1, 2)}, at(0, 0, 0), Box{Vector3(3, 3, 1)}, at(0, 0, -3), 0.01);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].gap, 0, 1e-9);
  EXPECT_LT((m.normal + Vector3::UnitZ()).norm(), 1e-12);
}

TEST(Manifold, ManySidedFacesKeepEightCornersThatSpanAlmostAsMuch) {
  std::vector<Vector3> points;
  for (int i = 0; i < 48; ++i) {
    const double angle = 2 * M_PI * (i / 2) / 24;
    points.emplace_back(std::cos(angle), std::sin(angle), i % 2 ? 1 : -1);
  }
  const Shape prism = Convex{std::make_shared<ConvexHull>(convex_hull(points).value())};
  for (const Manifold& m : {manifold(Plane{}, at(0, 0, 0), prism, at(0, 0, 1), 0.01),
                            manifold(Box{Vector3(2, 2, 1)}, at(0, 0, -1), prism, at(0, 0, 1), 0.01)}) {
    EXPECT_EQ(m.count, 8);
    // The best eight of these 24 corners, a regular octagon, span 0.91 of the area; dropping one by one comes near
    // that.
    EXPECT_GT(area(m), 0.87 * 12 * std::sin(M_PI / 12));
  }
}

/// Over random pairs: the manifold's deepest gap is the distance, every point is consistent and near both shapes.
TEST(Manifold, AgreesWithTheDistanceOnRandomPairs) {
  RandomPairs random(22);
  int with_points = 0;
  for (int k = 0; k < 6000; ++k) {
    const testing::Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const double margin = 0.01 * size;
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    const Manifold m = manifold(pair.A, pair.X_WA, pair.B, pair.X_WB, margin);
    const double rounding = 1e-13 * size + 1e-15 * pair.X_WA.p.norm();
    if (std::abs(d.gap - margin) < 1e-8 * size) continue;
    ASSERT_EQ(m.count > 0, d.gap < margin) << k << " " << shape_name(pair.A) << "-" << shape_name(pair.B);
    if (m.count == 0) continue;
    ++with_points;
    double least = 1e300;
    for (const auto& point : m.view()) {
      least = std::min(least, point.gap);
      ASSERT_NEAR((point.point_B - point.point_A).dot(m.normal), point.gap, rounding) << k;
    }
    ASSERT_NEAR(least, d.gap, 2e-9 * size) << k << " " << shape_name(pair.A) << "-" << shape_name(pair.B);
    ASSERT_EQ(static_cast<int>(features(m).size()), m.count)
        << k << " " << shape_name(pair.A) << "-" << shape_name(pair.B);
  }
  EXPECT_GT(with_points, 2000);
}

/// A rim touches a cap in one point, found twice: as the lowest rim point and as the nearest points.
TEST(Manifold, OnePlaceIsOnePointWithTheFeaturesNumber) {
  const Cylinder c{0.5, 0.5};
  for (const double t : {0.01, 0.1, 0.3, 0.6}) {
    const double reach = 0.5 * std::sin(t) + 0.5 * std::cos(t);
    for (const double gap : {1e-3, 1e-6, 0.0, -1e-6, -1e-3}) {
      // Lower the tilted cylinder so that its lowest rim point is inside the standing one's cap.
      const Manifold m = manifold(c, at(0, 0, 0), c, turned({t, 0.3 * t, 0}, {0.1, 0.2, 0.5 + reach + gap}), 0.01);
      for (int i = 0; i < m.count; ++i) {
        EXPECT_NE(m.points[i].feature, 0u) << t << " " << gap;
        for (int j = 0; j < i; ++j) EXPECT_GT((m.points[i].point_A - m.points[j].point_A).norm(), 1e-6) << t;
      }
    }
  }
}

TEST(Manifold, NoTwoPointsOfRandomPairsCoincide) {
  RandomPairs random(24);
  for (int k = 0; k < 3000; ++k) {
    const testing::Pair pair = random.pair(k);
    const double size = testing::pair_size(pair);
    const Manifold m = manifold(pair.A, pair.X_WA, pair.B, pair.X_WB, 0.01 * size);
    const double far = std::max(pair.X_WA.p.norm(), pair.X_WB.p.norm()) * 1e-15;
    for (int i = 0; i < m.count; ++i) {
      for (int j = 0; j < i; ++j) {
        EXPECT_GT((m.points[i].point_A - m.points[j].point_A).norm() + far, 0.9e-6 * size) << k;
      }
    }
  }
}

/// The overlap of two regular 64-gons, one turned by half a corner, has 128 corners: the clip holds them all.
TEST(Manifold, LargestFacesClipWithoutLoss) {
  const auto prism = [](double turn) {
    std::vector<Vector3> points;
    for (int k = 0; k < 128; ++k) {
      const double angle = 2 * M_PI * (k / 2 + turn) / 64;
      points.emplace_back(std::cos(angle), std::sin(angle), k % 2 ? 0.5 : -0.5);
    }
    return Convex{std::make_shared<ConvexHull>(convex_hull(points).value())};
  };
  const Manifold m = manifold(prism(0), at(0, 0, 0), prism(0.5), at(0, 0, 0.9999), 0.01);
  ASSERT_EQ(m.count, 8);
  // Eight points of a circle span 2 sqrt(2) at best; of 128 candidates nearly even ones are left.
  EXPECT_GT(area(m), 0.9 * 2 * std::sqrt(2));
}

}  // namespace
}  // namespace stiction::geometry
