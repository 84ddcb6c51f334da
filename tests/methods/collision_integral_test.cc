// Collisions in impulse space against closed forms, against Stronge's theorem, and against two integrations that share
// no formula with it: classical Runge-Kutta while it slips, and an implicit scheme that knows neither stick nor slip.
#include "stiction/methods/impulse/collision_integral.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace stiction::methods {
namespace {

PointLaw disc(double mu) {
  return {.count = 3, .axes = {mu, mu, 1}};
}

Matrix4 padded(const Matrix3& K) {
  Matrix4 result = Matrix4::Zero();
  result.topLeftCorner<3, 3>() = K;
  return result;
}

Vector4 padded(const Vector3& u) {
  return {u[0], u[1], u[2], 0};
}

// Rows normal (z), x, y of a free body hit at r from its centre.
Matrix3 response(double mass, const Matrix3& inertia, const Vector3& r) {
  const Matrix3 K = Matrix3::Identity() / mass - skew(r) * inertia.inverse() * skew(r);
  Matrix3 order;
  order << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return order * K * order.transpose();
}

struct Case {
  Matrix3 K;
  Vector3 u;
  double mu, e;
};

// A random body hit at a random point; slips as fast as it approaches.
Case random_case(std::mt19937& random) {
  std::uniform_real_distribution<double> unit(-1, 1), positive(0, 1);
  const auto vector = [&] { return Vector3(unit(random), unit(random), unit(random)); };
  Matrix3 A;
  for (int i = 0; i < 3; ++i) A.col(i) = vector();
  const Matrix3 spread = A * A.transpose() + 0.05 * Matrix3::Identity();  // second moments of the mass
  const Matrix3 inertia = spread.trace() * Matrix3::Identity() - spread;
  Case c{response(0.5 + positive(random), inertia, 2 * vector()), vector(), 1.5 * positive(random), positive(random)};
  c.u[0] = -0.1 - positive(random);
  return c;
}

double kinetic_change(const Case& c, const Vector3& p) {
  return p.dot(c.u) + 0.5 * p.dot(c.K * p);
}

Vector3 collide(const Case& c, double tolerance = 1e-8) {
  return integrate_collision(disc(c.mu), padded(c.K), padded(c.u), c.e, tolerance).head<3>();
}

// A sphere's K is diagonal, 1/m and 7/(2 m): slip keeps its direction and stops at (2/7) m u_t, or does not stop.
TEST(CollisionIntegral, SphereIsTheClosedForm) {
  const double m = 0.7;
  const Matrix3 K = Vector3(1 / m, 3.5 / m, 3.5 / m).asDiagonal();
  for (const double mu : {0.01, 0.1, 0.3, 0.9}) {
    for (const double e : {0.0, 0.4, 1.0}) {
      const Vector3 u(-2, 1.2, -0.5);
      const Vector3 p = collide({K, u, mu, e});
      const double p_n = (1 + e) * m * 2, slip = std::hypot(u[1], u[2]);
      const double p_t = std::min(mu * p_n, m * slip * 2 / 7);
      EXPECT_NEAR(p[0], p_n, 1e-14);
      EXPECT_NEAR(p[1], -p_t * u[1] / slip, 1e-14);
      EXPECT_NEAR(p[2], -p_t * u[2] / slip, 1e-14);
    }
  }
}

// A slender rod of half length l that hits the ground with its lower end, turned by `angle` from the vertical.
Matrix3 rod(double m, double l, double angle) {
  const Vector3 along(std::sin(angle), 0, std::cos(angle));
  const Matrix3 inertia =
      m * l * l / 3 * (Matrix3::Identity() - along * along.transpose()) + 1e-3 * m * l * l * along * along.transpose();
  return response(m, inertia, -l * along);
}

// In the plane, rates are constant in each phase: slip one way until it stops, then the other way, since friction
// cannot hold a rod so oblique; the whole collision by hand. Hahn's impulse knows one direction of slip only.
TEST(CollisionIntegral, ARodsSlipReverses) {
  const double mu = 0.2, e = 0.6;
  const Case c{rod(1, 1, 0.7), Vector3(-1, 0.15, 0), mu, e};
  const double K_nn = c.K(0, 0), K_nt = c.K(0, 1), K_tt = c.K(1, 1);
  const double one_way = K_nt - mu * K_tt, other_way = K_nt + mu * K_tt;  // u_t' while it slips to +x, to -x
  ASSERT_LT(one_way, 0);
  ASSERT_LT(other_way, 0);  // it does not stick
  const double p_stop = -c.u[1] / one_way;
  const double u_n = c.u[0] + (K_nn - mu * K_nt) * p_stop;
  ASSERT_LT(u_n, 0);  // stops during compression
  const double rate = K_nn + mu * K_nt;
  const double work = p_stop * (c.u[0] + u_n) / 2 - u_n * u_n / (2 * rate);
  const double p_more = -u_n / rate + std::sqrt(-2 * e * e * work / rate);
  const Vector3 p = collide(c);
  EXPECT_NEAR(p[0], p_stop + p_more, 1e-14);
  EXPECT_NEAR(p[1], mu * (p_more - p_stop), 1e-14);
  EXPECT_NEAR(p[2], 0, 1e-15);
  EXPECT_LT((c.u + c.K * p)[1], -0.1);  // it slips back
  const Vector4 hahn = closed_form_impulse(disc(mu), padded(c.K), padded(c.u), e);
  EXPECT_NEAR(hahn[1], -mu * hahn[0], 1e-14);  // against the slip at the start, to the end
  EXPECT_GT(std::abs(hahn[1] - p[1]), 0.1 * p[0]);
}

// The same rod with enough friction sticks where it stops: the end does not slip, and friction is what K asks for.
TEST(CollisionIntegral, ARodSticksWithMoreFriction) {
  const Case c{rod(1, 1, 0.7), Vector3(-1, 0.15, 0), 2.0, 0.6};
  const Vector3 u = c.u + c.K * collide(c);
  EXPECT_NEAR(u[1], 0, 1e-14);
  EXPECT_NEAR(u[2], 0, 1e-14);
  EXPECT_GT(u[0], 0.3);
}

// Friction can stop a motion only, and restitution gives back no more than e^2 of the work of compression.
TEST(CollisionIntegral, EnergyNeverGrows) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const Case c = random_case(random);
    const Vector3 p = collide(c);
    EXPECT_GT(p[0], 0) << i;
    EXPECT_LE(p.tail<2>().norm(), c.mu * p[0] * (1 + 1e-14)) << i;
    EXPECT_GE((c.u + c.K * p)[0], -1e-7) << i;  // of a speed of 1 at a tolerance of 1e-8
    EXPECT_LT(kinetic_change(c, p), 0) << i;
  }
}

// A perfectly elastic collision without friction keeps the energy; with friction it loses what friction takes.
TEST(CollisionIntegral, ElasticCollisionsWithoutFrictionKeepTheEnergy) {
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    Case c = random_case(random);
    const Vector4 p = integrate_collision({.count = 1}, padded(c.K), padded(c.u), 1, 1e-8);
    EXPECT_NEAR(kinetic_change(c, p.head<3>()), 0, 1e-14) << i;
  }
}

// Impulses by Runge-Kutta of fourth order over n steps of p_n each phase; false where slip comes near to stopping.
bool slip_reference(const Case& c, const Vector2& axes, int n, Vector3& p) {
  const auto force = [&](const Vector3& u) {
    const Vector2 w = axes.cwiseProduct(Vector2(u[1], u[2]));
    const Vector2 f = -axes.cwiseProduct(w) / w.norm();
    return Vector3(1, f[0], f[1]);
  };
  p.setZero();
  double work = 0, lowest = 0;
  const double dp = 3 / c.K(0, 0) / n;
  for (;;) {
    const auto advance = [&](double h) {
      const auto rate = [&](const Vector3& x) { return force(c.u + c.K * x); };
      const Vector3 k1 = rate(p), k2 = rate(p + h / 2 * k1), k3 = rate(p + h / 2 * k2), k4 = rate(p + h * k3);
      return Vector3(p + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4));
    };
    const auto u_n = [&](const Vector3& x) { return c.u[0] + c.K.row(0).dot(x); };
    // Simpson's rule on the step.
    const auto work_of = [&](double h) { return h / 6 * (u_n(p) + 4 * u_n(advance(h / 2)) + u_n(advance(h))); };
    const Vector3 u = c.u + c.K * p;
    if (Vector2(u[1], u[2]).norm() < 0.02) return false;
    const double gained = work_of(dp), end = u_n(advance(dp));
    const bool compressing = lowest == 0;
    const bool last = compressing ? end >= 0 : work + gained >= (1 - c.e * c.e) * lowest;
    double h = dp;
    if (last) {  // bisection to the event
      double low = 0, high = dp;
      for (int i = 0; i < 60; ++i) {
        h = (low + high) / 2;
        const bool over = compressing ? u_n(advance(h)) >= 0 : work + work_of(h) >= (1 - c.e * c.e) * lowest;
        (over ? high : low) = h;
      }
    }
    work += work_of(h);
    p = advance(h);
    if (last && !compressing) return true;
    if (last) lowest = work;
    if (p[0] * c.K(0, 0) > 1000) return false;
  }
}

// Half axes of friction as different as 1 and 3: the ellipse too. 4000 steps of fourth order leave some 1e-11.
TEST(CollisionIntegral, SlipAgreesWithRungeKutta) {
  std::mt19937 random(5);
  int compared = 0;
  for (int i = 0; compared < 100; ++i) {
    Case c = random_case(random);
    c.u.tail<2>() *= 2;
    const Vector2 axes = c.mu / 2 * Vector2(1, i % 2 ? 1.0 : 0.33);
    Vector3 reference;
    if (!slip_reference(c, axes, 4000, reference)) continue;
    ++compared;
    const PointLaw law{.count = 3, .axes = {axes[0], axes[1], 1}};
    const Vector3 coarse = integrate_collision(law, padded(c.K), padded(c.u), c.e, 1e-8).head<3>();
    const Vector3 fine = integrate_collision(law, padded(c.K), padded(c.u), c.e, 1e-13).head<3>();
    EXPECT_LT((fine - reference).norm(), 1e-9 * reference.norm()) << i;
    EXPECT_LT((coarse - reference).norm(), 1e-6 * reference.norm()) << i;
  }
}

// Implicit Euler over p_n: in every step friction is the force of the disc of largest dissipation against the slip at
// the step's end, found by projections. Of first order; slip, stick and slip reversal all come out of one formula.
Vector3 implicit_reference(const Case& c, double dp) {
  Vector3 p = Vector3::Zero();
  double work = 0, lowest = 0;
  Vector2 f = Vector2::Zero();
  const double rho = 1 / c.K.bottomRightCorner<2, 2>().trace();
  for (;;) {
    const Vector3 u = c.u + c.K * p;
    for (int i = 0; i < 200; ++i) {
      const Vector2 w = (u + dp * c.K * Vector3(1, f[0], f[1])).tail<2>();
      Vector2 next = f - rho / dp * w;
      if (next.norm() > c.mu) next *= c.mu / next.norm();
      const double change = (next - f).norm();
      f = next;
      if (change < 1e-10) break;
    }
    const Vector3 step = dp * Vector3(1, f[0], f[1]);
    const double after = u[0] + c.K.row(0).dot(step);
    work += dp * (u[0] + after) / 2;
    p += step;
    if (lowest == 0 && after >= 0) lowest = work;
    if (lowest != 0 && work >= (1 - c.e * c.e) * lowest) return p;
  }
}

// All cases as they come. The reference is wrong by a few steps dp, 1/5000 of |u_n| / K_nn, in each of its events.
TEST(CollisionIntegral, AgreesWithAnImplicitScheme) {
  std::mt19937 random(6);
  int stuck = 0;
  double worst = 0;
  for (int i = 0; i < 100; ++i) {
    const Case c = random_case(random);
    const double dp = -c.u[0] / c.K(0, 0) / 5000;
    const Vector3 p = collide(c), reference = implicit_reference(c, dp);
    stuck += (c.u + c.K * p).tail<2>().norm() < 1e-10;
    worst = std::max(worst, (p - reference).norm() / p.norm());
    EXPECT_LT((p - reference).norm(), 1e-3 * p.norm()) << i;
  }
  EXPECT_GT(stuck, 20);
  EXPECT_LT(stuck, 80);
  RecordProperty("worst", std::to_string(worst));
}

// Torsion is one more row: with an ellipsoid that allows it nothing the impulse tends to that of the disc.
TEST(CollisionIntegral, TorsionWithoutReachChangesNothing) {
  std::mt19937 random(7);
  const Case c = random_case(random);
  Matrix4 K = padded(c.K);
  K(3, 3) = 2;
  const Vector4 u(c.u[0], c.u[1], c.u[2], 0.7);
  const PointLaw law{.count = 4, .axes = {c.mu, c.mu, 1e-7}};
  EXPECT_LT((integrate_collision(law, K, u, c.e, 1e-10).head<3>() - collide(c, 1e-10)).norm(), 1e-6);
}

}  // namespace
}  // namespace stiction::methods
