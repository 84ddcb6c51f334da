// Superellipsoids, cones, rounded boxes and implicit solids in pairs: gaps, normals and points against closed forms and
// shapes given in two ways; their manifolds on a plane.
#include <gtest/gtest.h>

#include <cmath>

#include "geometry/random_pairs.h"
#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/manifold.h"
#include "stiction/geometry/shapes/superellipsoid.h"

namespace stiction::geometry {
namespace {

using testing::RandomPairs;

Pose turned(const Vector3& w, const Vector3& p) {
  return {exp_rotation(w).toRotationMatrix(), p};
}

TEST(Superellipsoid, DerivativesMatchFiniteDifferences) {
  const Vector3 radii(0.5, 0.8, 1.2);
  RandomPairs random(81);
  for (int k = 0; k < 200; ++k) {
    const double p = random.uniform(2, 8), q = random.uniform(2, 8), h = 1e-6;
    const Vector3 x = 0.5 * random.direction();
    const ImplicitValue f = superellipsoid_value(radii, p, q, x);
    for (int axis = 0; axis < 3; ++axis) {
      const ImplicitValue above = superellipsoid_value(radii, p, q, x + h * Vector3::Unit(axis));
      const ImplicitValue below = superellipsoid_value(radii, p, q, x - h * Vector3::Unit(axis));
      // Truncation h^2 times third derivatives, which are large but not where rounding, 1e-16 / h, is.
      EXPECT_NEAR(f.gradient[axis], (above.value - below.value) / (2 * h), 1e-8);
      EXPECT_LT((f.hessian.col(axis) - (above.gradient - below.gradient) / (2 * h)).norm(), 1e-5);
    }
  }
  // On an axis, with every exponent: finite, and the pole's own gradient.
  for (const double p : {2.0, 3.0, 16.0}) {
    const ImplicitValue pole = superellipsoid_value(radii, p, p, Vector3(0, 0, 1.2));
    EXPECT_LT((pole.gradient - Vector3(0, 0, 1 / 1.2)).norm(), 1e-15);
    EXPECT_TRUE(pole.hessian.allFinite());
  }
}

/// Points of the surface from its own equation; none is farther than the support point.
TEST(Superellipsoid, SupportAgainstSampledSurface) {
  RandomPairs random(82);
  for (const auto& [p, q] : {std::pair{2.0, 2.0}, {4.0, 2.0}, {2.0, 8.0}, {16.0, 16.0}, {2.5, 3.5}}) {
    const Superellipsoid shape{Vector3(0.5, 0.8, 1.2), p, q};
    for (int k = 0; k < 100; ++k) {
      const Vector3 d = k % 4 == 0 ? Vector3(Vector3::Unit(k % 3)) : random.direction();
      const double height = support_height(shape, d);
      EXPECT_NEAR(support(shape, d).dot(d), height, 1e-15);
      double most = 0;
      for (int m = 0; m < 3000; ++m) {
        const Vector3 w = random.direction();
        most = std::max(most, d.dot(w) / (superellipsoid_value(shape.radii, p, q, w).value + 1));
      }
      EXPECT_LE(most, height + 1e-15);
      EXPECT_GE(most, 0.9 * height);  // 3000 directions are 0.06 apart; corners of exponent 16 are sharp
    }
  }
}

/// The same solid as three kinds of shape against everything else: gap to rounding, points and normals to 1e-10.
TEST(SmoothShapes, GivenInTwoWaysTheyAreOne) {
  const Vector3 radii(0.5, 1, 0.2);
  const std::vector<std::pair<Shape, Shape>> same = {
      {Superellipsoid{radii, 2, 2}, Ellipsoid{radii}},
      {testing::implicit_shapes()[2], Ellipsoid{radii}},
      {testing::implicit_shapes()[0], Superellipsoid{Vector3::Constant(0.1), 4, 4}},
      {testing::implicit_shapes()[5], Sphere{0.3}},
      {RoundedBox{Vector3::Constant(0.3), 0.3}, Sphere{0.3}},
      {RoundedBox{Vector3(0.3, 0.3, 0.8), 0.3}, Capsule{0.3, 0.5}}};
  RandomPairs random(83);
  double worst_gap = 0, worst_normal = 0, worst_point = 0;
  for (int k = 0; k < 3000; ++k) {
    const auto& [A, A_too] = same[k % same.size()];
    const Shape B = random.shape(random.uniform(0.3, 1), 3);
    const Pose X_WA{random.rotation(), random.direction()};
    Pose X_WB{random.rotation(), X_WA.p + 6 * random.direction()};
    const Distance far = distance(A_too, X_WA, B, X_WB);
    X_WB.p -= far.gap * far.normal * (k % 2 ? 0.9 : 1.02);
    const Distance one = distance(A, X_WA, B, X_WB);
    const Distance two = distance(A_too, X_WA, B, X_WB);
    const std::string name = std::to_string(k) + " " + std::string(shape_name(A)) + "-" + std::string(shape_name(B));
    worst_gap = std::max(worst_gap, std::abs(one.gap - two.gap));
    EXPECT_NEAR(one.gap, two.gap, 1e-13) << name;
    // Points and normals where they are unique: of a vertex or a curved part, not of a face.
    Manifold m = manifold(A_too, X_WA, B, X_WB, two.gap + 1e-6);
    if (m.count != 1) continue;
    worst_normal = std::max(worst_normal, (one.normal - two.normal).norm());
    worst_point = std::max(worst_point, (one.point_A - two.point_A).norm());
    EXPECT_LT((one.normal - two.normal).norm(), 1e-9) << name << " gap " << two.gap;
    EXPECT_LT((one.point_A - two.point_A).norm(), 1e-9) << name << " gap " << two.gap;
  }
  std::printf("largest difference: gap %.1e, normal %.1e, point %.1e\n", worst_gap, worst_normal, worst_point);
}

/// A rounded box is its core box in every direction, less the radius.
TEST(RoundedBox, IsTheCoreBoxAndARadius) {
  const RoundedBox rounded{Vector3(0.5, 0.7, 0.9), 0.2};
  const Box core{Vector3(0.3, 0.5, 0.7)};
  RandomPairs random(84);
  int apart = 0;
  for (int k = 0; k < 1000; ++k) {
    const Shape B = random.shape(1, 3, false);
    const Pose X_WA{random.rotation(), Vector3::Zero()};
    const Pose X_WB{random.rotation(), random.uniform(0.5, 4) * random.direction()};
    const Distance d = distance(core, X_WA, B, X_WB);
    EXPECT_NEAR(distance(rounded, X_WA, B, X_WB).gap, d.gap - 0.2, 1e-9 * testing::pair_size({core, B, {}, {}}));
    apart += d.gap > 0;
  }
  EXPECT_GT(apart, 300);
}

/// Nearest points of a cone by its formula against those of the polytope that holds it, and the general algorithm.
TEST(Cone, NearestPointsByFormula) {
  const Cone cone{0.5, 0.8};
  RandomPairs random(85);
  for (int k = 0; k < 2000; ++k) {
    const Vector3 q = random.uniform(0, 2) * random.direction();
    const SurfacePoint s = nearest_on_cone(cone, q);
    EXPECT_NEAR(s.normal.norm(), 1, 1e-14);
    EXPECT_LT((q - s.point - s.distance * s.normal).norm(), 1e-14);
    // The support plane proves the distance.
    EXPECT_NEAR(s.normal.dot(q) - support_height(cone, s.normal), s.distance, 1e-14) << k;
    EXPECT_LT(testing::outside_by(cone, {}, s.point), 1e-14);
  }
}

/// Lying on its side a cone touches a box or another cone along lines; gap, normal and points to rounding.
TEST(Cone, SideAgainstFacesAndCurvedShapes) {
  const Cone cone{0.5, 0.8};
  const double slope = std::atan2(0.5, 1.6);  // of the side against the axis
  const double height = 0.8 * std::sin(slope);
  const Box box{Vector3(3, 3, 0.5)};
  // Turned about y by 90 degrees + slope the lowest side line is level: apex and rim at height `below`.
  const Pose X = turned(Vector3(0, M_PI / 2 + slope, 0), Vector3::Zero());
  const double below = support_height(cone, X.R.transpose() * -Vector3::UnitZ());
  EXPECT_NEAR(below, height, 1e-14);
  for (const double gap : {0.2, 1e-6, -1e-6}) {
    const Pose X_WC{X.R, Vector3(0.1, 0.2, 0.5 + below + gap)};
    const Distance d = distance(box, {}, cone, X_WC);
    EXPECT_NEAR(d.gap, gap, 1e-14);
    EXPECT_LT((d.normal - Vector3::UnitZ()).norm(), 1e-14);
    EXPECT_EQ(manifold(box, {}, cone, X_WC, gap + 1e-6).count, 2);
    const Manifold on_plane = manifold(Plane{}, turned(Vector3::Zero(), Vector3(0, 0, 0.5)), cone, X_WC, gap + 1e-6);
    ASSERT_EQ(on_plane.count, 2);
    EXPECT_NEAR((on_plane.points[0].point_B - on_plane.points[1].point_B).norm(), std::hypot(0.5, 1.6), 1e-14);
  }
  // A ball as an ellipsoid takes the general way; the formula is the oracle.
  RandomPairs random(86);
  for (int k = 0; k < 500; ++k) {
    const Pose X_WC{random.rotation(), Vector3::Zero()};
    const Vector3 q = random.uniform(1.2, 2) * random.direction();
    const SurfacePoint s = nearest_on_cone(cone, X_WC.R.transpose() * q);
    const Distance d = distance(cone, X_WC, Ellipsoid{Vector3::Constant(0.3)}, {Matrix3::Identity(), q});
    EXPECT_NEAR(d.gap, s.distance - 0.3, 1e-13) << k;
    EXPECT_LT((d.normal - X_WC.R * s.normal).norm(), 1e-12) << k;
    EXPECT_LT((d.point_A - X_WC.R * s.point).norm(), 1e-12) << k;
  }
}

TEST(SmoothShapes, OnAPlane) {
  const Pose lifted{Matrix3::Identity(), Vector3(0, 0, 0.501)};
  const Manifold cone = manifold(Plane{}, {}, Cone{0.4, 0.5}, lifted, 0.01);
  EXPECT_EQ(cone.count, 4);
  for (const ManifoldPoint& point : cone.view()) EXPECT_NEAR(point.gap, 0.001, 1e-15);
  const Manifold apex = manifold(Plane{}, {}, Cone{0.4, 0.5}, turned(Vector3(M_PI, 0, 0), lifted.p), 0.01);
  ASSERT_EQ(apex.count, 1);
  EXPECT_LT((apex.points[0].point_B - Vector3(0, 0, 0.001)).norm(), 1e-15);

  const RoundedBox box{Vector3(0.3, 0.4, 0.5), 0.1};
  const Manifold face = manifold(Plane{}, {}, box, lifted, 0.01);
  ASSERT_EQ(face.count, 4);
  for (const ManifoldPoint& point : face.view()) {
    EXPECT_NEAR(point.gap, 0.001, 1e-15);
    EXPECT_LT((point.point_B.cwiseAbs() - Vector3(0.2, 0.3, 0.001)).norm(), 1e-15);
  }
  // Tilted by 30 degrees about x: an edge, whose lowest points are the core edge's less the radius.
  const Pose tilted = turned(Vector3(M_PI / 6, 0, 0), Vector3(0, 0, 0.3 * 0.5 + 0.4 * std::sqrt(0.75) + 0.1));
  const Manifold edge = manifold(Plane{}, {}, box, tilted, 0.01);
  ASSERT_EQ(edge.count, 2);
  EXPECT_NEAR(edge.points[0].gap, 0, 1e-15);
  const Manifold stacked = manifold(Box{Vector3(1, 1, 1)}, {}, box, {Matrix3::Identity(), Vector3(0, 0, 1.5)}, 0.01);
  ASSERT_EQ(stacked.count, 4);
  for (const ManifoldPoint& point : stacked.view()) {
    EXPECT_LT((point.point_B.cwiseAbs() - Vector3(0.2, 0.3, 1)).norm(), 1e-14);
  }

  const Superellipsoid pillow{Vector3(0.3, 0.4, 0.5), 4, 6};
  EXPECT_EQ(manifold(Plane{}, {}, pillow, lifted, 0.01).count, 1);
  EXPECT_NEAR(manifold(Plane{}, {}, pillow, lifted, 0.01).points[0].gap, 0.001, 1e-15);
}

/// Plane and shape: the lowest point by the support of the shape's own inequality.
TEST(SmoothShapes, GapsToAPlane) {
  RandomPairs random(87);
  for (int k = 0; k < 500; ++k) {
    const Shape shape = random.shape(1, 5);
    const Pose X{random.rotation(), random.direction()};
    const Vector3 n = random.direction();
    const Plane plane{n};
    const Distance d = distance(plane, {}, shape, X);
    EXPECT_NEAR(d.gap, n.dot(d.point_B), 1e-14);
    EXPECT_LT(testing::outside_by(shape, X, d.point_B), 1e-13);
    for (int m = 0; m < 20; ++m) {
      EXPECT_LE(d.gap, n.dot(X * support(shape, random.direction())) + 1e-14);
    }
  }
}

/// No start is so bad that Newton passes off another point as the nearest one: random pairs prove their bounds; here
/// the flat spots, where two pillows face each other.
TEST(SmoothShapes, FlatSpotsFaceEachOther) {
  const Shape implicit = testing::implicit_shapes()[0];
  const Shape super = Superellipsoid{Vector3::Constant(0.1), 4, 4};
  const Shape sharp = Superellipsoid{Vector3::Constant(0.1), 16, 16};
  for (const Shape& A : {implicit, super, sharp}) {
    for (const Shape& B : {implicit, super, sharp}) {
      for (const double gap : {0.05, 1e-7, -1e-7, -0.02}) {
        const Distance d = distance(A, {}, B, {Matrix3::Identity(), Vector3(0.01, 0.005, 0.2 + gap)});
        // Moved across, they meet at equal heights: the gap is a little more; bounds prove it to 1e-9 of the size.
        EXPECT_TRUE(d.converged) << shape_name(A) << "-" << shape_name(B) << " " << gap;
        EXPECT_NEAR(d.gap, gap, 1e-6);
        EXPECT_GE(d.gap, gap - 1e-10);
      }
    }
  }
}

}  // namespace
}  // namespace stiction::geometry
