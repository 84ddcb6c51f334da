// Pairs whose distance is known on paper.
#include "stiction/geometry/distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "stiction/geometry/shapes/solids/convex_hull.h"
#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

constexpr double tight = 1e-14;  // closed forms: a few roundings of numbers near one

Pose at(double x, double y, double z) {
  return {Matrix3::Identity(), {x, y, z}};
}
Pose turned(const Vector3& w, const Vector3& p) {
  return {exp_rotation(w).toRotationMatrix(), p};
}

Shape cube_hull(double half) {
  std::vector<Vector3> points;
  for (int k = 0; k < 8; ++k) points.emplace_back(k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half);
  return Convex{std::make_shared<ConvexHull>(convex_hull(points).value())};
}

TEST(Distance, SpheresApartAndOverlapping) {
  const Distance d = distance(Sphere{1}, at(0, 0, 0), Sphere{2}, at(0, 5, 0));
  EXPECT_NEAR(d.gap, 2, tight);
  EXPECT_LT((d.normal - Vector3::UnitY()).norm(), tight);
  EXPECT_LT((d.point_A - Vector3(0, 1, 0)).norm(), tight);
  EXPECT_LT((d.point_B - Vector3(0, 3, 0)).norm(), tight);
  EXPECT_NEAR(distance(Sphere{1}, at(0, 0, 0), Sphere{2}, at(0, 2, 0)).gap, -1, tight);
  EXPECT_NEAR(distance(Sphere{1}, at(3, 3, 3), Sphere{2}, at(3, 3, 3)).gap, -3, tight);
}

TEST(Distance, PlaneWithEverything) {
  const Plane ground;
  EXPECT_NEAR(distance(ground, at(0, 0, 0), Sphere{0.5}, at(7, 0, 2)).gap, 1.5, tight);
  EXPECT_NEAR(distance(ground, at(0, 0, 1), Box{Vector3(1, 2, 3)}, at(0, 0, 3.5)).gap, -0.5, tight);
  EXPECT_NEAR(distance(ground, at(0, 0, 0), Capsule{0.25, 1}, at(0, 0, 2)).gap, 0.75, tight);
  EXPECT_NEAR(distance(ground, at(0, 0, 0), Ellipsoid{Vector3(1, 2, 3)}, at(0, 0, 4)).gap, 1, tight);
  // A cylinder tilted by t about x reaches r sin t + l cos t below its centre.
  const double t = 0.3;
  EXPECT_NEAR(distance(ground, at(0, 0, 0), Cylinder{0.5, 1}, turned({t, 0, 0}, {0, 0, 2})).gap,
              2 - 0.5 * std::sin(t) - std::cos(t), tight);
  const Distance below = distance(Box{Vector3(1, 1, 1)}, at(0, 0, 3), ground, at(0, 0, 0));
  EXPECT_NEAR(below.gap, 2, tight);
  EXPECT_LT((below.normal + Vector3::UnitZ()).norm(), tight);
  EXPECT_NEAR(below.point_B.z(), 0, tight);
}

TEST(Distance, PlaneIsOneSided) {
  const Plane wall{Vector3::UnitX()};
  EXPECT_NEAR(distance(wall, at(0, 0, 0), Sphere{1}, at(-4, 0, 0)).gap, -5, tight);
}

TEST(Distance, SphereAgainstBoxInsideAndOut) {
  const Box box{Vector3(1, 2, 3)};
  EXPECT_NEAR(distance(Sphere{0.5}, at(2, 3, 0), box, at(0, 0, 0)).gap, std::sqrt(2) - 0.5, tight);
  const Distance inside = distance(Sphere{0.1}, at(0.8, 0, 0), box, at(0, 0, 0));
  EXPECT_NEAR(inside.gap, -0.2 - 0.1, tight);
  EXPECT_LT((inside.normal + Vector3::UnitX()).norm(), tight);  // the sphere leaves along +x, so B is at -x
}

TEST(Distance, SphereAgainstEllipsoidOnItsAxes) {
  const Ellipsoid e{Vector3(3, 2, 1)};
  EXPECT_NEAR(distance(Sphere{1}, at(5, 0, 0), e, at(0, 0, 0)).gap, 1, tight);
  EXPECT_NEAR(distance(Sphere{1}, at(0, 0, 5), e, at(0, 0, 0)).gap, 3, tight);
  EXPECT_NEAR(distance(Sphere{0.5}, at(0, 0, 0), e, at(0, 0, 0)).gap, -1.5, tight);
  // On the long axis inside the focal region the nearest points leave the axis: x = a^2 q/(a^2-c^2), depth^2 = c^2 (1 -
  // q^2/(a^2-c^2)).
  const double q = 1.5;
  EXPECT_NEAR(distance(Sphere{0.5}, at(q, 0, 0), e, at(0, 0, 0)).gap, -std::sqrt(1 - q * q / 8) - 0.5, tight);
}

TEST(Distance, CapsulesCrossedParallelAndCollinear) {
  const Capsule c{0.1, 1};
  EXPECT_NEAR(distance(c, at(0, 0, 0), c, turned({M_PI / 2, 0, 0}, {0.5, 0, 0})).gap, 0.3, tight);
  EXPECT_NEAR(distance(c, at(0, 0, 0), c, at(0.5, 0, 0.7)).gap, 0.3, tight);
  EXPECT_NEAR(distance(c, at(0, 0, 0), c, at(0, 0, 3)).gap, 0.8, tight);
  EXPECT_NEAR(distance(c, at(0, 0, 0), c, turned({M_PI / 2, 0, 0}, {0, 0, 0})).gap, -0.2, tight);
  EXPECT_NEAR(distance(c, at(0, 0, 0), c, at(0, 0, 0.5)).gap, -0.2, tight);
}

TEST(Distance, BoxesByFaceEdgeAndCorner) {
  const Box unit{Vector3(1, 1, 1)};
  const Distance face = distance(unit, at(0, 0, 0), unit, at(0.3, 0.2, 3));
  EXPECT_EQ(face.gap, 1);
  EXPECT_EQ(face.normal, Vector3::UnitZ());
  const Distance corner = distance(unit, at(0, 0, 0), unit, at(3, 4, 4));
  EXPECT_NEAR(corner.gap, 3, 1e-12);
  EXPECT_LT((corner.normal - Vector3(1, 2, 2) / 3).norm(), 1e-9);
  const Distance edge = distance(unit, at(0, 0, 0), unit, at(5, 6, 0));
  EXPECT_NEAR(edge.gap, 5, 1e-12);
  // Edges crossing: A's edge along y at (1, ., 1), B turned so that its lowest edge runs across.
  const Matrix3 R = exp_rotation(Vector3(0, 0, M_PI / 2)).toRotationMatrix() *
                    exp_rotation(Vector3(0, M_PI / 4, 0)).toRotationMatrix();
  const Pose tilted_A = turned({0, M_PI / 4, 0}, {0, 0, 0});
  const Distance crossed = distance(unit, tilted_A, unit, {R, {0, 0, 2 * std::sqrt(2) + 0.5}});
  EXPECT_NEAR(crossed.gap, 0.5, 1e-14);
  EXPECT_LT((crossed.normal - Vector3::UnitZ()).norm(), 1e-14);
}

TEST(Distance, BoxDepthIsTheSmallestWayOut) {
  const Distance d = distance(Box{Vector3(1, 1, 1)}, at(0, 0, 0), Box{Vector3(1, 1, 1)}, at(0.1, 1.7, 0.2));
  EXPECT_NEAR(d.gap, -0.3, tight);
  EXPECT_EQ(d.normal, Vector3::UnitY());
}

TEST(Distance, HullOfACubeIsABox) {
  for (const Vector3& p : {Vector3(3, 4, 4), Vector3(0.1, 1.7, 0.2), Vector3(2, 0, 0), Vector3(0, 0, 0)}) {
    const Pose X = turned({0.2, 0.4, -0.3}, p);
    const Distance box = distance(Box{Vector3(1, 1, 1)}, at(0, 0, 0), Box{Vector3(1, 1, 1)}, X);
    const Distance hull = distance(cube_hull(1), at(0, 0, 0), cube_hull(1), X);
    EXPECT_NEAR(hull.gap, box.gap, 1e-9 * 2 * std::sqrt(3));
  }
}

TEST(Distance, CylindersNestedOnOneAxis) {
  const Cylinder inner{0.5, 3};
  const Cylinder outer{1, 4};
  const Distance d = distance(inner, at(0, 0, 0.1), outer, at(0, 0, 0));
  EXPECT_NEAR(d.gap, -1.5, 1e-8);  // sideways: both radii
  EXPECT_NEAR(d.normal.z(), 0, 1e-6);
  EXPECT_TRUE(d.converged);
}

TEST(Distance, EllipsoidsOnOneAxis) {
  EXPECT_NEAR(distance(Ellipsoid{Vector3(1, 2, 3)}, at(0, 0, 0), Ellipsoid{Vector3(3, 2, 1)}, at(0, 0, 5)).gap, 1,
              1e-9);
  EXPECT_NEAR(distance(Ellipsoid{Vector3(1, 1, 1)}, at(0, 0, 0), Ellipsoid{Vector3(2, 2, 2)}, at(0.5, 0, 0)).gap, -2.5,
              1e-9);
}

TEST(Distance, FarFromTheOriginLosesNothingInTheDifference) {
  const Box unit{Vector3(0.5, 0.5, 0.5)};
  const Distance d = distance(unit, at(1024, -2048, 512), unit, at(1024.25, -2048, 513));
  EXPECT_EQ(d.gap, 0);
  EXPECT_EQ(d.normal, Vector3::UnitZ());
}

}  // namespace
}  // namespace stiction::geometry
