// Support maps, boxes and mass properties against definitions, closed forms and numerical integration.
#include "stiction/geometry/shapes/shape.h"

#include <gtest/gtest.h>

#include "geometry/random_pairs.h"

namespace stiction::geometry {
namespace {

using testing::RandomPairs;

TEST(Shape, Names) {
  EXPECT_EQ(shape_name(Plane{}), "plane");
  EXPECT_EQ(shape_name(Convex{}), "convex");
  EXPECT_EQ(shape_name(Ellipsoid{}), "ellipsoid");
  EXPECT_EQ(shape_name(Superellipsoid{}), "superellipsoid");
  EXPECT_EQ(shape_name(Cone{}), "cone");
  EXPECT_EQ(shape_name(RoundedBox{}), "rounded-box");
  EXPECT_EQ(shape_name(Bowl{}), "bowl");
  EXPECT_EQ(shape_name(Implicit{}), "implicit");
}

/// The support point is in the shape, and no other support point is farther.
TEST(Shape, SupportIsTheFarthestPoint) {
  RandomPairs random(11);
  for (int k = 0; k < 300; ++k) {
    const Shape shape = random.shape(1, 10);
    const Vector3 d = random.direction();
    const Vector3 x = support(shape, d);
    EXPECT_LE(testing::outside_by(shape, {}, x), 1e-12);
    EXPECT_NEAR(d.dot(x), support_height(shape, d), 1e-14);
    EXPECT_NEAR(support_height(shape, 3 * d), 3 * support_height(shape, d), 1e-13);
    for (int m = 0; m < 50; ++m) EXPECT_LE(d.dot(support(shape, random.direction())), d.dot(x) + 1e-14);
    EXPECT_LE(x.norm(), bounding_radius(shape) * (1 + 1e-15));
  }
}

TEST(Shape, BoundingBoxIsTight) {
  RandomPairs random(12);
  for (int k = 0; k < 200; ++k) {
    const Shape shape = random.shape(1, 10);
    const Pose X{random.rotation(), random.direction()};
    const Aabb box = bounding_box(shape, X);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 d = X.R.transpose() * Vector3::Unit(axis);
      EXPECT_NEAR(box.upper[axis], (X * support(shape, d))[axis], 1e-14);
      EXPECT_NEAR(box.lower[axis], (X * support(shape, -d))[axis], 1e-14);
    }
  }
  const Aabb half = bounding_box(Plane{}, {Matrix3::Identity(), Vector3(0, 0, 2)});
  EXPECT_EQ(half.upper.z(), 2);
  EXPECT_TRUE(std::isinf(half.lower.z()) && std::isinf(half.upper.x()));
}

/// Midpoint rule on a grid over the bounding box, inside decided by the shape's own inequality.
MassProperties by_counting(const Shape& shape, int cells) {
  const Aabb box = bounding_box(shape, {});
  const Vector3 step = (box.upper - box.lower) / cells;
  const double dV = step.prod();
  MassProperties m;
  Matrix3 second = Matrix3::Zero();
  for (int i = 0; i < cells; ++i) {
    for (int j = 0; j < cells; ++j) {
      for (int k = 0; k < cells; ++k) {
        const Vector3 x = box.lower + step.cwiseProduct(Vector3(i + 0.5, j + 0.5, k + 0.5));
        if (testing::outside_by(shape, {}, x) > 0) continue;
        m.volume += dV;
        m.center += dV * x;
        second += dV * x * x.transpose();
      }
    }
  }
  m.center /= m.volume;
  second -= m.volume * m.center * m.center.transpose();
  m.inertia = second.trace() * Matrix3::Identity() - second;
  return m;
}

TEST(Shape, MassPropertiesAgainstNumericalIntegration) {
  RandomPairs random(13);
  std::vector<Shape> shapes = {Sphere{0.7},
                               Box{Vector3(0.3, 0.5, 0.9)},
                               Capsule{0.4, 0.6},
                               Cylinder{0.5, 0.3},
                               Ellipsoid{Vector3(0.4, 0.7, 0.9)},
                               Superellipsoid{Vector3(0.4, 0.7, 0.9), 2.5, 6},
                               Superellipsoid{Vector3(0.4, 0.7, 0.9), 5, 2},
                               Cone{0.5, 0.4},
                               RoundedBox{Vector3(0.4, 0.5, 0.9), 0.3},
                               testing::implicit_shapes()[1],
                               testing::implicit_shapes()[3],
                               testing::implicit_shapes()[4]};
  std::vector<Vector3> points;
  for (int i = 0; i < 30; ++i) points.push_back(random.direction() + Vector3(0.3, 0, 0));
  shapes.push_back(Convex{std::make_shared<ConvexHull>(convex_hull(points).value())});
  for (const Shape& shape : shapes) {
    const MassProperties exact = mass_properties(shape);
    const MassProperties counted = by_counting(shape, 60);
    // Cells cut by the surface are wrong at random: relative error about cells^-1.5.
    EXPECT_NEAR(counted.volume, exact.volume, 6e-3 * exact.volume) << shape_name(shape);
    EXPECT_LT((counted.center - exact.center).norm(), 3e-3) << shape_name(shape);
    EXPECT_LT((counted.inertia - exact.inertia).norm(), 1e-2 * exact.inertia.norm()) << shape_name(shape);
  }
}

TEST(Shape, HullOfABoxHasTheBoxesMass) {
  const Vector3 half(0.5, 1, 1.5);
  const Vector3 shift(3, -2, 1);
  std::vector<Vector3> points;
  for (int k = 0; k < 8; ++k) {
    points.push_back(shift + half.cwiseProduct(Vector3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  }
  const MassProperties hull = mass_properties(Convex{std::make_shared<ConvexHull>(convex_hull(points).value())});
  const MassProperties box = mass_properties(Box{half});
  EXPECT_NEAR(hull.volume, box.volume, 1e-13);
  EXPECT_LT((hull.center - shift).norm(), 1e-14);
  EXPECT_LT((hull.inertia - box.inertia).norm(), 1e-12);
  EXPECT_NEAR(box.inertia(0, 0), box.volume / 3 * (1 + 2.25), 1e-14);
}

/// Exponents 2 are an ellipsoid; a box in the limit, but 16 is far from it; against integrals over z of slices.
TEST(Shape, MassOfASuperellipsoid) {
  const Vector3 radii(0.3, 0.5, 0.9);
  const MassProperties round = mass_properties(Superellipsoid{radii, 2, 2});
  const MassProperties ellipsoid = mass_properties(Ellipsoid{radii});
  EXPECT_NEAR(round.volume, ellipsoid.volume, 1e-14);
  EXPECT_LT((round.inertia - ellipsoid.inertia).norm(), 1e-14);
  const double p = 3, q = 5;
  const MassProperties m = mass_properties(Superellipsoid{radii, p, q});
  // Slices at height z are |x/a|^p + |y/b|^p <= s^p with s = (1 - |z/c|^q)^(1/q); midpoint rules with z = c sin(t),
  // which takes the root out of the end.
  const auto integral = [](int n, const auto& f) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += f((i + 0.5) / n) / n;
    return sum;
  };
  const auto power_of_cosine = [&](double exponent) {  // of s over the height, and of y over the slice alike
    return [exponent](double t, double along) {
      const double u = std::sin(t * M_PI / 2);
      return std::cos(t * M_PI / 2) * M_PI / 2 * std::pow(1 - std::pow(u, along), exponent / along);
    };
  };
  const auto area = power_of_cosine(1);
  const double quarter = integral(20000, [&](double t) { return area(t, p); });
  const double volume =
      8 * radii.prod() * quarter * integral(20000, [&](double t) { return power_of_cosine(2)(t, q); });
  EXPECT_NEAR(m.volume, volume, 1e-6 * volume);
  const double zz = 8 * radii.prod() * radii.z() * radii.z() * quarter * integral(20000, [&](double t) {
                      return std::pow(std::sin(t * M_PI / 2), 2) * power_of_cosine(2)(t, q);
                    });
  EXPECT_NEAR(0.5 * (m.inertia(0, 0) + m.inertia(1, 1) - m.inertia(2, 2)), zz, 1e-6 * zz);
}

/// Thin rounding is a box, full rounding a ball or a capsule; and the cone's centre.
TEST(Shape, MassOfRoundedBoxesAndCones) {
  const MassProperties ball = mass_properties(RoundedBox{Vector3(0.5, 0.5, 0.5), 0.5});
  EXPECT_NEAR(ball.volume, mass_properties(Sphere{0.5}).volume, 1e-15);
  EXPECT_LT((ball.inertia - mass_properties(Sphere{0.5}).inertia).norm(), 1e-15);
  const MassProperties capsule = mass_properties(RoundedBox{Vector3(0.5, 0.5, 1.5), 0.5});
  EXPECT_LT((capsule.inertia - mass_properties(Capsule{0.5, 1}).inertia).norm(), 1e-14);
  const MassProperties box = mass_properties(RoundedBox{Vector3(0.5, 1, 1.5), 1e-9});
  EXPECT_LT((box.inertia - mass_properties(Box{Vector3(0.5, 1, 1.5)}).inertia).norm(), 1e-8);
  const MassProperties cone = mass_properties(Cone{0.5, 1});
  EXPECT_NEAR(cone.volume, M_PI * 0.25 * 2 / 3, 1e-15);
  EXPECT_EQ(cone.center, Vector3(0, 0, -0.5));
}

/// The corner tetrahedron (0, e1, e2, e3): V = 1/6, centre 1/4, integral of x y = 1/120.
TEST(Shape, CornerTetrahedron) {
  const std::vector<Vector3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const MassProperties m = mass_properties(Convex{std::make_shared<ConvexHull>(convex_hull(points).value())});
  EXPECT_NEAR(m.volume, 1.0 / 6, 1e-15);
  EXPECT_LT((m.center - Vector3::Constant(0.25)).norm(), 1e-15);
  EXPECT_NEAR(m.inertia(0, 1), -(1.0 / 120 - 1.0 / 96), 1e-15);
  EXPECT_NEAR(m.inertia(0, 0), 2 * (1.0 / 60 - 1.0 / 96), 1e-15);
}

}  // namespace
}  // namespace stiction::geometry
