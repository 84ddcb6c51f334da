// The closed-form impulse of one contact: what it leaves of the velocity, and where it lies in its friction set.
#include "stiction/methods/impulse/contact_impulse.h"

#include <random>

#include <gtest/gtest.h>

namespace stiction::methods {
namespace {

Matrix4 random_response(std::mt19937& random, int rows) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Matrix4 A = Matrix4::Zero(), K = Matrix4::Zero();
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) A(i, j) = unit(random);
    K(i, i) = 0.5;
  }
  return K + A * A.transpose();
}

// Whatever friction does, the normal leaves with -e u_n; the slip is stopped, or friction is at its bound against it.
TEST(ContactImpulse, StopsTheSlipOrOpposesIt) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  int stuck = 0, slid = 0, frictionless = 0;
  for (int i = 0; i < 1000; ++i) {
    const Matrix4 K = random_response(random, 4);
    const PointLaw law{.count = 4, .axes = {0.5 + 0.4 * unit(random), 0.5 + 0.4 * unit(random), 0.1}};
    const Vector4 u(-1, unit(random), unit(random), unit(random));
    const double e = unit(random);
    const Vector4 p = closed_form_impulse(law, K, u, e), after = u + K * p;
    EXPECT_NEAR(after[0], e, 1e-12);
    Vector3 axes(law.axes[0], law.axes[1], law.axes[2]), p_t = p.tail<3>(), u_t = u.tail<3>();
    const double size = p_t.cwiseQuotient(axes).norm();
    EXPECT_LE(size, p[0] * (1 + 1e-12));
    if (after.tail<3>().norm() < 1e-12) {
      ++stuck;
    } else if (p_t.norm() > 0) {  // the point of the ellipsoid that opposes u_t most: p_t . u_t = -p_n |A u_t|
      ++slid;
      EXPECT_NEAR(p_t.dot(u_t), -p[0] * axes.cwiseProduct(u_t).norm(), 1e-12);
    } else {
      ++frictionless;  // wedged
    }
  }
  EXPECT_GT(stuck, 5);
  EXPECT_GT(slid, 300);
  EXPECT_LT(frictionless, 300);
}

// A square whose corners lie on the axes: sliding friction is a corner, sticking friction inside.
TEST(ContactImpulse, FrictionSetsThatAreNotEllipses) {
  const std::array<Vector2, 4> corners = {Vector2(0.5, 0), Vector2(0, 0.5), Vector2(-0.5, 0), Vector2(0, -0.5)};
  const FrictionCone cone = make_polygon_cone(corners).value();
  const PointLaw law{.count = 3, .axes = {1, 1, 1}, .cone = &cone};
  const Matrix4 K = Vector4(1, 3.5, 3.5, 0).asDiagonal();
  const Vector4 slides = closed_form_impulse(law, K, Vector4(-1, 9, 2, 0), 0);
  EXPECT_LT((slides - Vector4(1, -0.5, 0, 0)).norm(), 1e-14);
  const Vector4 sticks = closed_form_impulse(law, K, Vector4(-1, 0.8, -0.7, 0), 0);
  EXPECT_LT((sticks - Vector4(1, -0.8 / 3.5, 0.2, 0)).norm(), 1e-14);
  const Vector4 outside = closed_form_impulse(law, K, Vector4(-1, 1, -0.9, 0), 0);  // 1/3.5 + 0.9/3.5 > 0.5
  EXPECT_LT((outside - Vector4(1, -0.5, 0, 0)).norm(), 1e-14);
}

// Across the plane of a plane mechanism nothing moves: that row takes no part.
TEST(ContactImpulse, RowsThatCannotMoveAreLeftAlone) {
  const Matrix4 K = Vector4(2, 3, 0, 0).asDiagonal();
  const Vector4 p = closed_form_impulse({.count = 3, .axes = {0.9, 0.9, 1}}, K, Vector4(-1, 0.3, 0, 0), 0.5);
  EXPECT_LT((p - Vector4(0.75, -0.1, 0, 0)).norm(), 1e-14);
}

// Sliding into a wedge: friction at its bound would pull the contact in. It acts without friction, and still stops.
TEST(ContactImpulse, AWedgedContactActsWithoutFriction) {
  Matrix4 K = Matrix4::Zero();
  K.topLeftCorner<2, 2>() << 1, 2, 2, 5;
  const Vector4 p = closed_form_impulse({.count = 2, .axes = {0.478, 1, 1}}, K, Vector4(-1, 9, 0, 0), 0);
  EXPECT_LT((p - Vector4(1, 0, 0, 0)).norm(), 1e-14);
}

}  // namespace
}  // namespace stiction::methods
