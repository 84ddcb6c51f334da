// Normals and gaps of curved pairs to rounding: closed forms, rotation of the world, and shapes given in two ways.
#include "stiction/geometry/polish/polish.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/random_pairs.h"

namespace stiction::geometry {
namespace {

constexpr double tight = 1e-14;  // a few roundings of numbers near one

Pose turned(const Vector3& w, const Vector3& p) {
  return {exp_rotation(w).toRotationMatrix(), p};
}

/// Distance seen in a world turned by `X`, and turned back.
void expect_distance(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, double gap,
                     const Vector3& normal) {
  for (const Vector3& w : {Vector3(0, 0, 0), Vector3(0.3, -1.1, 0.7), Vector3(2, 0.1, -0.4)}) {
    const Pose X = turned(w, Vector3::Zero());
    const Distance d = distance(A, X * X_WA, B, X * X_WB);
    EXPECT_NEAR(d.gap, gap, tight) << shape_name(A) << "-" << shape_name(B);
    EXPECT_LT((X.R.transpose() * d.normal - normal).norm(), 1e-12) << shape_name(A) << "-" << shape_name(B);
    const Distance back = distance(B, X * X_WB, A, X * X_WA);
    EXPECT_NEAR(back.gap, gap, tight);
    EXPECT_LT((X.R.transpose() * back.normal + normal).norm(), 1e-12);
  }
}

/// The support function of the ellipsoid is sqrt(n'E^2 n), as against a plane; from above the face and under it.
TEST(Polish, EllipsoidOverABoxFace) {
  const Box box{Vector3(2, 2, 0.5)};
  const Ellipsoid ellipsoid{Vector3(0.5, 0.4, 0.3)};
  const Pose X = turned({0.4, 0.3, 0.2}, {0.3, 0.2, 1.5});
  const double reach = ellipsoid.radii.cwiseProduct(X.R.transpose() * Vector3::UnitZ()).norm();
  for (const double gap : {0.2, 1e-6, -1e-6, -0.05}) {
    const Pose X_WE{X.R, Vector3(0.3, 0.2, 0.5 + reach + gap)};
    expect_distance(box, {}, ellipsoid, X_WE, gap, Vector3::UnitZ());
  }
}

TEST(Polish, EllipsoidsThatAreSpheres) {
  const Vector3 p(0.5, -0.7, 0.9);
  for (const double scale : {1.0, 2.5}) {
    expect_distance(Ellipsoid{Vector3(0.5, 0.5, 0.5)}, turned({1, 2, 0}, {0, 0, 0}), Ellipsoid{Vector3(1, 1, 1)},
                    turned({0, 1, 1}, scale * p), scale * p.norm() - 1.5, p.normalized());
  }
}

TEST(Polish, CapsuleOverAnEllipsoid) {
  // The capsule's line runs parallel to the ellipsoid's x axis above its top.
  expect_distance(Ellipsoid{Vector3(0.5, 0.4, 0.3)}, {}, Capsule{0.1, 0.6}, turned({0, M_PI / 2, 0}, {0.2, 0, 0.6}),
                  0.2, Vector3::UnitZ());
}

TEST(Polish, CylinderRimOverABoxFace) {
  const double t = 0.3;
  const double reach = 0.5 * std::sin(t) + 0.4 * std::cos(t);
  for (const double gap : {0.3, 1e-5, -1e-5}) {
    expect_distance(Box{Vector3(2, 2, 0.5)}, {}, Cylinder{0.5, 0.4}, turned({t, 0, 0}, {0.1, 0.2, 0.5 + reach + gap}),
                    gap, Vector3::UnitZ());
  }
}

TEST(Polish, CylindersCrossedParallelAndCoaxial) {
  const Cylinder c{0.5, 1};
  for (const double gap : {0.25, 1e-5, -1e-5}) {
    expect_distance(c, {}, c, turned({M_PI / 2 - 0.4, 0, 0}, {1 + gap, 0.1, 0.2}), gap, Vector3::UnitX());
    const Vector3 n = Vector3(1, 2, 0).normalized();
    expect_distance(c, {}, c, turned({0, 0, 0.7}, (1 + gap) * n + Vector3(0, 0, 0.3)), gap, n);
    expect_distance(c, {}, Cylinder{0.3, 0.7}, turned({0, 0, 0.7}, {0, 0, 1.7 + gap}), gap, Vector3::UnitZ());
  }
}

/// The rim of a standing cylinder beside the edge of a box, both cut by the same plane: a distance in that plane.
TEST(Polish, CylinderRimBesideABoxEdge) {
  const Vector3 n = Vector3(3, 0, 4) / 5;
  expect_distance(Box{Vector3(1, 1, 1)}, {}, Cylinder{0.5, 0.4}, {Matrix3::Identity(), {1.8, 0.2, 1.8}}, 0.5, n);
}

/// Moderate shapes anywhere: the same answer to 1e-10 in any world, the gap to rounding.
TEST(Polish, WorldRotationTurnsTheNormalOnly) {
  testing::RandomPairs random(51);
  double worst = 0;
  for (int k = 0; k < 4000; ++k) {
    const auto length = [&] { return random.uniform(0.4, 1); };
    const auto shape = [&](int kind) -> Shape {
      if (kind == 0) return Cylinder{length(), length()};
      if (kind == 1) return Capsule{length(), length()};
      if (kind == 2) return Box{Vector3(length(), length(), length())};
      return Ellipsoid{Vector3(length(), length(), length())};
    };
    const Shape A = k % 2 ? shape(0) : shape(3);
    const Shape B = shape(random.below(4));
    const Pose X_WA{random.rotation(), Vector3::Zero()};
    Pose X_WB{random.rotation(), 4 * random.direction()};
    const Distance far = distance(A, X_WA, B, X_WB);
    X_WB.p -= far.gap * far.normal * (k % 3 == 0 ? 1.01 : k % 3 == 1 ? 0.999 : 0.7);
    const Distance d = distance(A, X_WA, B, X_WB);
    const Pose X{random.rotation(), Vector3::Zero()};
    const Distance moved = distance(A, X * X_WA, B, X * X_WB);
    EXPECT_NEAR(moved.gap, d.gap, 1e-13) << k;
    const double turn = (X.R.transpose() * moved.normal - d.normal).norm();
    worst = std::max(worst, turn);
    EXPECT_LT(turn, 1e-10) << k << " " << shape_name(A) << "-" << shape_name(B) << " gap " << d.gap;
    if (d.gap > 0) {
      EXPECT_LT(d.upper_bound - d.lower_bound, 3e-14) << k;
    }
  }
  std::printf("largest turn of a normal: %.1e rad\n", worst);
}

/// A wrong start, or a start at another minimum, must not be passed off as proved.
TEST(Polish, RefusesWhatItCannotProve) {
  CoreDifference difference;
  difference.A = core_shape(Cylinder{0.5, 1});
  difference.B = core_shape(Ellipsoid{Vector3(0.5, 0.4, 0.3)});
  difference.X_AB = turned({0.1, 0.2, 0.3}, {2, 0.3, 0.2});
  difference.size = 3;
  CoreAnswer answer;
  answer.normal = Vector3(0.5, 0.5, -0.5).normalized();
  answer.lower = -answer.normal.dot(difference.support(answer.normal).w);
  answer.upper = 10;
  const CoreAnswer before = answer;
  if (polish(difference, &answer)) {
    EXPECT_NEAR(answer.upper, answer.lower, tight);
  } else {
    EXPECT_EQ(answer.normal, before.normal);
    EXPECT_EQ(answer.lower, before.lower);
  }
  EXPECT_GE(answer.lower, before.lower);
}

}  // namespace
}  // namespace stiction::geometry
