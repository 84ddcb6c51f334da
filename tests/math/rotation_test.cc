// Rotations against their definitions, Eigen's AngleAxis as the independent oracle, and finite differences.
#include "stiction/math/rotation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace stiction {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double pi = std::numbers::pi;

class Rotation : public testing::Test {
 protected:
  Vector3 random_direction() {
    Vector3 v;
    do v = Vector3(uniform_(random_), uniform_(random_), uniform_(random_));
    while (v.norm() < 0.1 || v.norm() > 1);
    return v.normalized();
  }

  Quaternion random_orientation() { return Quaternion(Eigen::AngleAxisd(3 * uniform_(random_), random_direction())); }

 private:
  std::mt19937 random_{20030718};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

Vector4 wxyz(const Quaternion& q) {
  return {q.w(), q.x(), q.y(), q.z()};
}

TEST_F(Rotation, ExpOfAQuarterTurnAboutZTakesXToY) {
  const Vector3 turned = exp_rotation({0, 0, pi / 2}) * Vector3::UnitX();
  EXPECT_LT((turned - Vector3::UnitY()).norm(), 4 * epsilon);
}

// A few roundings on either side, in numbers of at most 1; angles on both sides of the switch to the series at 2e-4.
TEST_F(Rotation, ExpAgreesWithAngleAxis) {
  for (const double angle : {0.0, 1e-300, 1e-12, 1e-5, 1.99e-4, 2.01e-4, 1e-2, 1.0, 3.0, pi, 5.0, 2 * pi, 40.0}) {
    const Vector3 axis = random_direction();
    const Vector4 expected = wxyz(Quaternion(Eigen::AngleAxisd(angle, axis)));
    // The angle itself is rounded when it is recovered from the vector, which moves the result by angle * epsilon.
    EXPECT_LT((wxyz(exp_rotation(angle * axis)) - expected).norm(), (8 + 2 * angle) * epsilon) << angle;
  }
}

TEST_F(Rotation, LogInvertsExpUpToPi) {
  for (double angle = 1e-14; angle < pi - 1e-9; angle = angle < 0.1 ? 3 * angle : angle + 0.05) {
    const Vector3 w = angle * random_direction();
    // Relative for small angles; near pi the half angle's sine and cosine are known to epsilon, so the angle is too.
    EXPECT_LT((log_rotation(exp_rotation(w)) - w).norm(), 8 * epsilon * angle) << angle;
  }
  EXPECT_EQ(log_rotation(exp_rotation(Vector3::Zero())), Vector3::Zero());
}

// Small angles by the antisymmetric part of the matrix, large ones by the quaternion: the same on both sides of the
// switch, at a sine of 0.032.
TEST_F(Rotation, LogOfAMatrixIsThatOfItsQuaternion) {
  for (const double angle : {0.0, 1e-14, 1e-9, 1e-5, 1e-3, 0.01, 0.0316, 0.0317, 0.1, 1.0, 2.0, 3.0, 3.14}) {
    const Vector3 w = angle * random_direction();
    const Quaternion q = exp_rotation(w);
    const double conditioning = 1 / std::max(std::sin(std::min(pi - angle, 1.0)), 1e-3);
    EXPECT_LT((log_rotation(q.toRotationMatrix()) - w).norm(), 16 * epsilon * conditioning) << angle;
  }
}

TEST_F(Rotation, LogTakesTheShortWayForBothSigns) {
  for (int i = 0; i < 100; ++i) {
    const Quaternion q = random_orientation();
    const Quaternion negative(-q.w(), -q.x(), -q.y(), -q.z());
    EXPECT_LE(log_rotation(q).norm(), pi * (1 + 2 * epsilon));
    EXPECT_EQ(log_rotation(q), log_rotation(negative));
    EXPECT_LT((exp_rotation(log_rotation(q)).toRotationMatrix() - q.toRotationMatrix()).norm(), 32 * epsilon);
  }
  // 3 pi / 2 one way is pi / 2 the other way.
  EXPECT_LT((log_rotation(exp_rotation({0, 0, 1.5 * pi})) - Vector3(0, 0, -pi / 2)).norm(), 16 * epsilon);
}

TEST_F(Rotation, UpdateKeepsTheNormForAMillionSteps) {
  Quaternion q = random_orientation();
  const Vector3 omega(3, -40, 7);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    q = integrate_rotation(q, omega, 1e-3);
    worst = std::max(worst, std::abs(q.norm() - 1));
  }
  EXPECT_LE(worst, 4 * epsilon);  // normalised each step: no growth with the number of steps
}

// Constant omega is integrated exactly, however long the steps; each step adds a few roundings to the angle.
TEST_F(Rotation, UpdateTurnsAboutWorldAxesByOmegaTimesTime) {
  const Quaternion start = random_orientation();
  const Vector3 omega(0.3, -2, 1.1);
  Quaternion q = start;
  for (int i = 0; i < 1000; ++i) q = integrate_rotation(q, omega, 2e-3);
  const Matrix3 expected =
      Eigen::AngleAxisd(2 * omega.norm(), omega.normalized()).toRotationMatrix() * start.toRotationMatrix();
  EXPECT_LT((q.toRotationMatrix() - expected).norm(), 1000 * 4 * epsilon);
}

// The oracle is the definition of angular velocity, dR/dt = skew(omega) R, with R from Eigen, differenced in time.
TEST_F(Rotation, RateMapMatchesFiniteDifferences) {
  const double h = 1e-5;  // truncation |omega|^3 h^2 / 48 and rounding epsilon / h are both below 1e-10
  for (int i = 0; i < 20; ++i) {
    const Quaternion q = random_orientation();
    const Vector3 axis = random_direction();
    const double speed = 2;
    const Vector4 after = wxyz(Quaternion(Eigen::AngleAxisd(speed * h, axis)) * q);
    const Vector4 before = wxyz(Quaternion(Eigen::AngleAxisd(-speed * h, axis)) * q);
    const Vector4 rate = quaternion_rate_map(q) * (speed * axis);
    EXPECT_LT((rate - (after - before) / (2 * h)).norm(), 1e-10);
  }
}

TEST_F(Rotation, RateMapGivesTheDerivativeOfTheRotationMatrix) {
  const double h = 1e-6;
  for (int i = 0; i < 20; ++i) {
    const Quaternion q = random_orientation();
    const Vector3 omega = 2 * random_direction();
    const Vector4 after = wxyz(q) + h * (quaternion_rate_map(q) * omega);
    const Matrix3 R = load_quaternion(after.data()).normalized().toRotationMatrix();
    // One forward difference: the error is |omega|^2 h / 2 per direction.
    EXPECT_LT(((R - q.toRotationMatrix()) / h - skew(omega) * q.toRotationMatrix()).norm(), 4 * 4 * h);
  }
}

TEST_F(Rotation, RateMapHasOrthogonalColumnsOfLengthOneHalf) {
  for (int i = 0; i < 20; ++i) {
    const Quaternion q = random_orientation();
    const Eigen::Matrix<double, 4, 3> G = quaternion_rate_map(q);
    EXPECT_LT((G.transpose() * G - 0.25 * Matrix3::Identity()).norm(), 4 * epsilon);
    EXPECT_LT((G.transpose() * wxyz(q)).norm(), 4 * epsilon) << "no rate along q: the norm stays";
  }
}

TEST_F(Rotation, AnyOrthogonalIsUnitAndOrthogonalAlsoAtThePoles) {
  const auto check = [](const Vector3& n) {
    const Vector3 t = any_orthogonal(n);
    EXPECT_NEAR(t.norm(), 1, 8 * epsilon) << n.transpose();
    EXPECT_NEAR(t.dot(n), 0, 8 * epsilon) << n.transpose();
  };
  for (int i = 0; i < 1000; ++i) check(random_direction());
  for (const double sign : {-1.0, 1.0}) {
    for (int axis = 0; axis < 3; ++axis) check(sign * Vector3::Unit(axis));
    check(Vector3(1e-9, 1e-9, sign).normalized());
  }
  check({1, 0, -0.0});
}

TEST_F(Rotation, StoredQuaternionsAreScalarFirst) {
  const double stored[4] = {0.5, -0.5, 0.1, 0.7};
  const Quaternion q = load_quaternion(stored);
  EXPECT_EQ(q.w(), 0.5);
  EXPECT_EQ(q.vec(), Vector3(-0.5, 0.1, 0.7));
  double again[4] = {};
  store_quaternion(q, again);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(again[i], stored[i]);
}

TEST_F(Rotation, PosesComposeAndInvert) {
  const Pose X_AB{random_orientation().toRotationMatrix(), {1, 2, 3}};
  const Pose X_BC{random_orientation().toRotationMatrix(), {-4, 0.5, 2}};
  const Vector3 x(0.3, -1, 2);
  EXPECT_LT(((X_AB * X_BC) * x - X_AB * (X_BC * x)).norm(), 64 * epsilon);  // sums of numbers up to 10
  EXPECT_LT((X_AB.inverse() * (X_AB * x) - x).norm(), 64 * epsilon);
}

TEST_F(Rotation, TwistAtAnArmFollowsTheRightHandRule) {
  const Twist spin{.linear = {1, 0, 0}, .angular = {0, 0, 2}};
  EXPECT_EQ(spin.at({0, 3, 0}), Vector3(1 - 6, 0, 0));
  EXPECT_EQ(skew({0, 0, 2}) * Vector3(0, 3, 0), Vector3(-6, 0, 0));
}

}  // namespace
}  // namespace stiction
