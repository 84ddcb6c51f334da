// Spheres, boxes and half-spaces from plain numbers against manifold() and bounding_box(): the same numbers.
#include "stiction/geometry/simple_pairs.h"

#include <gtest/gtest.h>

#include <random>

#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

using Kind = SimpleShape::Kind;

void expect_same(const Manifold& simple, const Manifold& expected) {
  ASSERT_EQ(simple.count, expected.count);
  if (expected.count == 0) return;
  EXPECT_EQ(simple.normal, expected.normal);
  for (int k = 0; k < expected.count; ++k) {
    EXPECT_EQ(simple.points[k].point_A, expected.points[k].point_A);
    EXPECT_EQ(simple.points[k].point_B, expected.points[k].point_B);
    EXPECT_EQ(simple.points[k].gap, expected.points[k].gap);
    EXPECT_EQ(simple.points[k].feature, expected.points[k].feature);
    EXPECT_TRUE(simple.points[k].own_normal.isZero(0));
  }
}

// Pairs near each other, tilted at random, aligned or turned by quarters, the second moved so that many just touch.
class NearPairs {
 public:
  double number(double from, double to) { return std::uniform_real_distribution<double>(from, to)(engine_); }
  Vector3 vector(double from, double to) { return {number(from, to), number(from, to), number(from, to)}; }

  Shape shape(Kind kind) {
    if (kind == Kind::plane) return Plane{vector(-1, 1).normalized()};
    if (kind == Kind::sphere) return Sphere{number(0.05, 0.5)};
    return Box{vector(0.05, 0.5)};
  }
  Pose pose(int round) {
    const Vector3 turn = round % 3 == 0 ? vector(-3, 3) : round % 3 == 1 ? Vector3(0, 0, M_PI / 2) : Vector3::Zero();
    return {exp_rotation(turn).toRotationMatrix(), vector(-2, 2)};
  }
  // B is moved along the line between the two until its gap is `gap`, or nearly.
  Pose moved_to(const Shape& A, const Pose& X_WA, const Shape& B, Pose X_WB, double gap) {
    for (int k = 0; k < 3; ++k) {
      const Distance d = distance(A, X_WA, B, X_WB);
      X_WB.p += (gap - d.gap) * d.normal;
    }
    return X_WB;
  }

 private:
  std::mt19937 engine_{12};
};

class SimplePairs : public ::testing::TestWithParam<std::pair<Kind, Kind>> {};

TEST_P(SimplePairs, HaveTheManifoldsOfTheGeneralCode) {
  NearPairs random;
  const auto [kind_A, kind_B] = GetParam();
  int touching = 0, apart = 0, left_alone = 0;
  Manifold simple;
  for (int round = 0; round < 6000; ++round) {
    const Shape A = random.shape(kind_A), B = random.shape(kind_B);
    const Pose X_WA = random.pose(round);
    const double margin = round % 5 == 0 ? 0 : 0.02;
    const bool at_margin = round % 2 == 1;  // boxes are left to the general code there
    const double gap = at_margin ? margin * (1 + random.number(-1e-7, 1e-7)) : random.number(-0.02, 0.04);
    const Pose X_WB = random.moved_to(A, X_WA, B, random.pose(round / 3), gap);
    const SimpleShape numbers_A = simple_shape(A), numbers_B = simple_shape(B);
    ASSERT_EQ(numbers_A.kind, kind_A);
    if (!simple_manifold(numbers_A, X_WA, numbers_B, X_WB, margin, simple)) {
      left_alone += !at_margin;
      continue;
    }
    const Manifold expected = manifold(A, X_WA, B, X_WB, margin);
    expect_same(simple, expected);
    if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "round " << round;
    ++(expected.count > 0 ? touching : apart);
  }
  EXPECT_GT(touching, 1000);
  EXPECT_GT(apart, 500);
  const bool boxes = kind_A == Kind::box && kind_B == Kind::box;
  // Of 3000 away from the margin; of boxes those that are apart corner to corner or corner to edge.
  EXPECT_LT(left_alone, boxes ? 1500 : 1);
}

INSTANTIATE_TEST_SUITE_P(All, SimplePairs,
                         ::testing::Values(std::pair(Kind::sphere, Kind::sphere), std::pair(Kind::sphere, Kind::box),
                                           std::pair(Kind::box, Kind::sphere), std::pair(Kind::box, Kind::box),
                                           std::pair(Kind::plane, Kind::sphere), std::pair(Kind::sphere, Kind::plane),
                                           std::pair(Kind::plane, Kind::box), std::pair(Kind::box, Kind::plane)));

TEST(SimplePairs, BoundingBoxesAreTheSame) {
  NearPairs random;
  for (int round = 0; round < 1000; ++round) {
    const Shape shape = random.shape(round % 2 == 0 ? Kind::sphere : Kind::box);
    const Pose X_WS = random.pose(round);
    Aabb box;
    ASSERT_TRUE(simple_bounding_box(simple_shape(shape), X_WS, box));
    const Aabb expected = bounding_box(shape, X_WS);
    EXPECT_EQ(box.lower, expected.lower);
    EXPECT_EQ(box.upper, expected.upper);
  }
  Aabb untouched;
  EXPECT_FALSE(simple_bounding_box(simple_shape(Plane{}), Pose{}, untouched));
}

TEST(SimplePairs, OtherShapesAreLeftToTheGeneralCode) {
  Manifold result;
  const SimpleShape ball = simple_shape(Sphere{1}), floor = simple_shape(Plane{});
  for (const Shape& shape : {Shape(Capsule{0.5, 1}), Shape(Cylinder{0.5, 1}), Shape(Box{Vector3(1, 1, 1e-10)})}) {
    const SimpleShape other = simple_shape(shape);
    EXPECT_EQ(other.kind, Kind::other);
    EXPECT_FALSE(simple_manifold(other, {}, ball, {}, 0.1, result));
    EXPECT_FALSE(simple_manifold(ball, {}, other, {}, 0.1, result));
    EXPECT_FALSE(simple_manifold(other, {}, floor, {}, 0.1, result));
  }
  EXPECT_FALSE(simple_manifold(floor, {}, floor, {}, 0.1, result));
}

}  // namespace
}  // namespace stiction::geometry
