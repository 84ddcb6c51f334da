// Representations of orientation against their definitions, Eigen's AngleAxis and SVD as independent oracles, closed
// forms of a step, and finite differences.
#include "stiction/math/representation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "stiction/math/rotation.h"

namespace stiction {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double pi = std::numbers::pi;
constexpr Representation with_coordinates[] = {Representation::quaternion, Representation::matrix,
                                               Representation::euler, Representation::rodrigues};

Quaternion turn_about(const Vector3& axis, double angle) {
  return Quaternion(Eigen::AngleAxisd(angle, axis));
}

Quaternion from_euler(double yaw, double pitch, double roll) {
  return turn_about(Vector3::UnitZ(), yaw) * turn_about(Vector3::UnitY(), pitch) * turn_about(Vector3::UnitX(), roll);
}

double distance(const Quaternion& a, const Quaternion& b) {
  return log_rotation(a * b.conjugate()).norm();
}

class RepresentationTest : public testing::Test {
 protected:
  double uniform(double size) { return size * uniform_(random_); }
  Vector3 direction() {
    Vector3 v;
    do v = Vector3(uniform(1), uniform(1), uniform(1));
    while (v.norm() < 0.1 || v.norm() > 1);
    return v.normalized();
  }
  Quaternion any_orientation() { return turn_about(direction(), uniform(2 * pi)); }
  // Away from the poles of Euler angles, |cos pitch| > 0.16.
  Quaternion regular_orientation() { return from_euler(uniform(pi), uniform(1.4), uniform(pi)); }

 private:
  std::mt19937 random_{19981105};
  std::uniform_real_distribution<double> uniform_{-1, 1};
};

TEST_F(RepresentationTest, CoordinatesLeadBackToTheOrientation) {
  for (const Representation r : with_coordinates) {
    double worst = 0;
    for (int i = 0; i < 10000; ++i) {
      const Quaternion q = any_orientation();
      worst = std::max(worst, distance(orientation_of(r, orientation_coordinates(r, q)), q));
    }
    EXPECT_LT(worst, 16 * epsilon) << representation_name(r);  // about ten roundings in numbers up to pi
  }
}

// The angles lose digits there one by one, but not together.
TEST_F(RepresentationTest, EulerAnglesLeadBackAlsoAtThePole) {
  for (const double sign : {-1.0, 1.0}) {
    for (const double c : {1e-4, 1e-6, 1e-9, 1e-12, 0.0}) {
      const Quaternion q = from_euler(uniform(pi), sign * (pi / 2 - c), uniform(pi));
      const Quaternion back = orientation_of(Representation::euler, orientation_coordinates(Representation::euler, q));
      EXPECT_LT(distance(back, q), 16 * epsilon) << "c = " << c;
    }
  }
}

TEST_F(RepresentationTest, EulerAnglesAreYawPitchRoll) {
  for (int i = 0; i < 1000; ++i) {
    const Vector3 angles(uniform(3.1), uniform(1.5), uniform(3.1));
    const Quaternion q = from_euler(angles[0], angles[1], angles[2]);
    const double error = (orientation_coordinates(Representation::euler, q) - angles).norm();
    EXPECT_LT(error, 16 * epsilon / std::cos(angles[1])) << angles.transpose();
  }
}

TEST_F(RepresentationTest, RodriguesVectorsAreTheTangentOfAQuarterOfTheAngleOrTheirShadow) {
  for (double angle = 0; angle < 4 * pi; angle += 0.01) {
    const Vector3 axis = direction();
    const Vector3 x = orientation_coordinates(Representation::rodrigues, turn_about(axis, angle));
    const double short_way = std::remainder(angle, 2 * pi);  // the shadow of tan(a / 4) is tan(a / 4 - pi / 2)
    EXPECT_LT((x - std::tan(short_way / 4) * axis).norm(), 32 * epsilon) << angle;
    EXPECT_LE(x.norm(), 1 + 2 * epsilon);
    if (x.norm() < 0.01) continue;
    const Quaternion shadow = orientation_of(Representation::rodrigues, Vector3(-x / x.squaredNorm()));
    EXPECT_LT(distance(shadow, turn_about(axis, angle)), 32 * epsilon) << angle;
  }
}

// (29): the coordinates of exp(+-d omega) R, differenced. The third derivative is at most 6 / c^3 |omega|^3 (Euler, c >
// 0.16): truncation 250 d^2, rounding 16 epsilon / (c d).
TEST_F(RepresentationTest, RateMapsMatchFiniteDifferences) {
  const double d = 1e-6;
  for (const Representation r : with_coordinates) {
    double worst = 0;
    for (int i = 0; i < 200; ++i) {
      const Quaternion q = regular_orientation();
      const Vector3 axis = direction();
      OrientationCoordinates after = orientation_coordinates(r, turn_about(axis, d) * q);
      OrientationCoordinates before = orientation_coordinates(r, turn_about(axis, -d) * q);
      if ((after - before).norm() > 1) continue;  // yaw or roll wrapped, or the shadow was taken, in between
      const OrientationCoordinates rate = orientation_rate_map(r, orientation_coordinates(r, q)) * axis;
      worst = std::max(worst, (rate - (after - before) / (2 * d)).norm());
    }
    EXPECT_LT(worst, 2e-8) << representation_name(r);
  }
}

// (31): full column rank, so that the pseudo-inverse is a left inverse; with the singular values stated in the header.
TEST_F(RepresentationTest, RateMapsHaveFullRankAndALeftInverse) {
  for (const Representation r : with_coordinates) {
    for (int i = 0; i < 200; ++i) {
      const Quaternion q = r == Representation::euler ? regular_orientation() : any_orientation();
      const OrientationCoordinates x = orientation_coordinates(r, q);
      const MatrixX G = orientation_rate_map(r, x);
      ASSERT_EQ(G.rows(), x.size());
      const MatrixX inverse = G.completeOrthogonalDecomposition().pseudoInverse();
      EXPECT_LT((inverse * G - Matrix3::Identity()).norm(), 1e-13);
      const Vector3 values = G.jacobiSvd().singularValues();
      if (r == Representation::quaternion) {
        EXPECT_LT((values.array() - 0.5).abs().maxCoeff(), 1e-14);
      }
      if (r == Representation::matrix) {
        EXPECT_LT((values.array() - std::sqrt(2)).abs().maxCoeff(), 1e-14);
      }
      if (r != Representation::rodrigues) continue;
      EXPECT_LT((values.array() - 0.25 * (1 + x.squaredNorm())).abs().maxCoeff(), 1e-14);
      EXPECT_LE(values.maxCoeff(), 0.5 + 1e-14);
      EXPECT_GE(values.minCoeff(), 0.25 - 1e-14);
    }
  }
}

TEST_F(RepresentationTest, AStepTurnsAboutOmegaByTheStatedAngle) {
  for (const double t : {1e-6, 1e-3, 0.1, 1.0, 3.0, 50.0}) {
    const Quaternion q = any_orientation();
    const Vector3 axis = direction();
    const auto error = [&](Representation r, double angle) {
      return distance(step_orientation(r, q, (t / 0.01) * axis, 0.01), turn_about(axis, angle) * q);
    };
    const double rounding = 16 * epsilon * (1 + t);
    EXPECT_LT(error(Representation::exponential, t), rounding) << t;
    EXPECT_LT(error(Representation::quaternion, 2 * std::atan(t / 2)), rounding) << t;
    EXPECT_LT(error(Representation::matrix, std::atan(t)), rounding) << t;
  }
}

TEST_F(RepresentationTest, ExponentialIsIntegrateRotationToTheBit) {
  for (int i = 0; i < 100; ++i) {
    const Quaternion q = any_orientation();
    const Vector3 omega = 5 * direction();
    EXPECT_EQ(step_orientation(Representation::exponential, q, omega, 0.01).coeffs(),
              integrate_rotation(q, omega, 0.01).coeffs());
  }
}

// From pitch 0.4 about an axis near z: Euler angles stay regular (|cos pitch| > 0.6).
double miss_at_constant_omega(Representation r, double h) {
  const Vector3 omega(0.3, -0.2, 2);
  const Quaternion start = from_euler(0.5, 0.4, -0.3);
  Quaternion q = start;
  const int steps = static_cast<int>(std::lround(2 / h));
  for (int i = 0; i < steps; ++i) {
    EXPECT_GT(std::cos(orientation_coordinates(Representation::euler, q)[1]), 0.6);
    q = step_orientation(r, q, omega, h);
  }
  return distance(q, turn_about(omega.normalized(), 2 * omega.norm()) * start);
}

// The angle of a quaternion's or a matrix's step errs by t^3 / 12 or t^3 / 3 only (see the test above), so that a
// constant omega shows their second order; the others show the first.
TEST_F(RepresentationTest, ConstantOmegaConvergesWithTheOrderOfTheStep) {
  const struct {
    Representation representation;
    int order;
  } cases[] = {{Representation::quaternion, 2},
               {Representation::matrix, 2},
               {Representation::euler, 1},
               {Representation::rodrigues, 1}};
  for (const auto& [r, order] : cases) {
    std::vector<double> errors;
    for (const double h : {4e-3, 2e-3, 1e-3}) errors.push_back(miss_at_constant_omega(r, h));
    const std::string text = std::string(representation_name(r)) + " " + testing::PrintToString(errors);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), order, 0.02) << text;
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), order, 0.02) << text;
    EXPECT_LT(errors[2], 2e-3) << text;
    RecordProperty(std::string(representation_name(r)), text);
  }
  EXPECT_LT(miss_at_constant_omega(Representation::exponential, 4e-3), 500 * 4 * epsilon);
}

TEST_F(RepresentationTest, NormAndOrthogonalityStayForAHundredThousandSteps) {
  for (const Representation r : all_representations) {
    Quaternion q = from_euler(0.5, 0.4, -0.3);
    double norm = 0, orthogonality = 0;
    for (int i = 0; i < 100'000; ++i) {
      q = step_orientation(r, q, Vector3(0.3, -0.2, 7), 1e-3);
      norm = std::max(norm, std::abs(q.norm() - 1));
      const Matrix3 R = q.toRotationMatrix();
      orthogonality = std::max(orthogonality, (R.transpose() * R - Matrix3::Identity()).cwiseAbs().maxCoeff());
    }
    // No growth with the number of steps. R^T R errs by four times the norm (1.5 epsilon) and by the sums of products
    // that make R and R^T R, which no representation avoids.
    EXPECT_LE(norm, 1e-15) << representation_name(r);
    EXPECT_LE(orthogonality, 12 * epsilon) << representation_name(r);
    RecordProperty(std::string(representation_name(r)), testing::PrintToString(std::vector{norm, orthogonality}));
  }
}

// Three turns about an axis, hence past six switches at half a turn and three full turns, where the vector that is not
// switched is infinite. One step errs by |d2x/dt2| h^2 / 2, at most t^2 / 4 in angle along the axis.
TEST_F(RepresentationTest, RodriguesVectorsPassFullTurnsWithoutLoss) {
  const Vector3 axis = direction();
  const double t = 2 * pi / 1000;
  Quaternion q = Quaternion::Identity();
  Vector3 last = Vector3::Zero();
  int switches = 0;
  for (int i = 1; i <= 3000; ++i) {
    const Quaternion next = step_orientation(Representation::rodrigues, q, axis, t);
    EXPECT_LT(distance(next, turn_about(axis, t) * q), 0.25 * t * t * (1 + t)) << "step " << i;
    EXPECT_GT(next.dot(q), std::cos(t)) << "the stored quaternion does not jump";
    q = next;
    const Vector3 x = orientation_coordinates(Representation::rodrigues, q);
    if (x.dot(last) < 0 && x.norm() > 0.5) ++switches;
    last = x;
  }
  EXPECT_EQ(switches, 3);
  // Before half a turn the steps fall short by t^2 |x| / 4, after it they exceed by as much: what is left is of the
  // third order per step, t^3 times 3000 steps.
  EXPECT_LT(distance(q, Quaternion::Identity()), 3000 * t * t * t);
}

TEST_F(RepresentationTest, RodriguesVectorsStepAlikeFromEitherSideOfTheSwitch) {
  const double t = 1e-3;
  for (int i = 0; i < 100; ++i) {
    const Quaternion q = turn_about(direction(), pi);
    const Vector3 omega = direction();
    const Vector3 x = orientation_coordinates(Representation::rodrigues, q), shadow = -x / x.squaredNorm();
    const auto stepped = [&](const Vector3& y) {
      return orientation_of(Representation::rodrigues,
                            Vector3(y + t * orientation_rate_map(Representation::rodrigues, y) * omega));
    };
    EXPECT_LT(distance(stepped(x), stepped(shadow)), t * t);
  }
}

TEST_F(RepresentationTest, OnlyEulerAnglesAreSingularAndOnlyAtThePole) {
  for (const double sign : {-1.0, 1.0}) {
    for (const double c : {0.0, 1e-9, 0.99e-6, 1.01e-6, 1e-5, 1e-2, 1.0}) {
      const Quaternion q = from_euler(uniform(pi), sign * (pi / 2 - c), uniform(pi));
      for (const Representation r : all_representations) {
        EXPECT_EQ(is_singular(r, q), r == Representation::euler && c < singular_cos_pitch)
            << representation_name(r) << ", c = " << c;
      }
    }
  }
  for (int i = 0; i < 10000; ++i) EXPECT_FALSE(is_singular(Representation::euler, any_orientation()));
}

// What the bound on |cos pitch| rests on; see the header.
TEST_F(RepresentationTest, NearThePoleAStepOfEulerAnglesErrsByNoMoreThanItsTurnAndTheDistance) {
  double far = 0, near = 0;  // in units of the two bounds
  for (int i = 0; i < 20000; ++i) {
    const double c = std::pow(10, -3 - 2.9 * std::abs(uniform(1))), t = std::pow(10, -2 - 4 * std::abs(uniform(1)));
    const Quaternion q = from_euler(uniform(pi), (i % 2 ? -1 : 1) * (pi / 2 - c), uniform(pi));
    const Vector3 omega = direction();
    const double error = distance(step_orientation(Representation::euler, q, omega, t), turn_about(omega, t) * q);
    if (t < 0.1 * c) far = std::max(far, error / (t * t / (2 * c) + 16 * epsilon));
    near = std::max(near, error / (t + c));
  }
  EXPECT_LT(far, 1.2);
  EXPECT_LT(near, 3);
  RecordProperty("far_from_the_pole", testing::PrintToString(far));
  RecordProperty("near_the_pole", testing::PrintToString(near));
}

// Half a turn whose middle is `miss` from the pole, at |omega| = 1: first order whatever the miss, if not evenly so.
TEST_F(RepresentationTest, EulerAnglesPassThePoleWithAnErrorOfFirstOrder) {
  double worst = 0;
  for (const double miss : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    for (const double h : {1e-2, 1e-3, 1e-4}) {
      const Vector3 omega = direction();
      const Quaternion middle = from_euler(uniform(pi), pi / 2 - miss, uniform(pi));
      const Quaternion start = turn_about(omega, -1.57) * middle;
      Quaternion q = start;
      const int steps = static_cast<int>(std::lround(3.14 / h));
      for (int i = 0; i < steps; ++i) {
        ASSERT_FALSE(is_singular(Representation::euler, q));
        q = step_orientation(Representation::euler, q, omega, h);
      }
      worst = std::max(worst, distance(q, turn_about(omega, 3.14) * start) / h);
    }
  }
  EXPECT_LT(worst, 8);  // 4 seen; the axis is wrong by about t + c at the pole, a few times
  RecordProperty("pass", testing::PrintToString(worst));
}

// The relative error epsilon / c of the rates: a turn so short that its truncation does not show.
TEST_F(RepresentationTest, AtTheBoundEulerAnglesKeepTenDigitsOfTheTurn) {
  for (int i = 0; i < 1000; ++i) {
    const Quaternion q = from_euler(uniform(pi), pi / 2 - 1.01e-6, uniform(pi));
    const OrientationCoordinates x = orientation_coordinates(Representation::euler, q);
    const Matrix3 G = orientation_rate_map(Representation::euler, x);
    // Back to omega by the definition of the angles, from the orientation itself: roll turns about the body's x axis.
    Matrix3 axes;
    axes << Vector3::UnitZ(), Vector3(-std::sin(x[0]), std::cos(x[0]), 0), q * Vector3::UnitX();
    EXPECT_LT((axes * G - Matrix3::Identity()).norm(), 8 * epsilon / 1e-6);
  }
}

TEST_F(RepresentationTest, NearestRotationIsThatOfTheSvd) {
  for (int i = 0; i < 1000; ++i) {
    const double size = std::pow(10, uniform(3));
    const Matrix3 A = (Matrix3::Identity() + skew(size * direction())) * any_orientation().toRotationMatrix();
    const Eigen::JacobiSVD<Matrix3> svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
    const Matrix3 expected = svd.matrixU() * svd.matrixV().transpose();
    EXPECT_LT((nearest_rotation(A) - expected).norm(), 64 * epsilon * (1 + size));
  }
}

TEST_F(RepresentationTest, HugeTurnsEndInAUnitQuaternionOrInNumbersThatAreNotFinite) {
  for (const Representation r : all_representations) {
    for (const double speed :
         {1e3, 1e10, 1e100, 1e200, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      const Quaternion q = step_orientation(r, from_euler(0.5, 0.4, -0.3), Vector3(speed, -speed, 0.5 * speed), 0.1);
      if (std::isfinite(speed) && speed < 1e11) {
        EXPECT_TRUE(q.coeffs().allFinite()) << representation_name(r);
      }
      if (!std::isfinite(speed)) {
        EXPECT_FALSE(q.coeffs().allFinite()) << representation_name(r);
      }
      if (q.coeffs().allFinite()) {
        EXPECT_NEAR(q.norm(), 1, 4 * epsilon) << representation_name(r) << speed;
      }
    }
  }
}

}  // namespace
}  // namespace stiction
