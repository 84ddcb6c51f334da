// Compliant layers: derivative against differences, energy against the integral of the elastic force, passivity of the
// implicit rule, and the closed forms of the laws.
#include "stiction/problem/compliant_layer.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace stiction {
namespace {

using Law = CompliantLayer::Law;

class Sampler {
 public:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vector3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Matrix3 semidefinite(double size) {
    Matrix3 root;
    for (int i = 0; i < 3; ++i) root.col(i) = vector(std::sqrt(size));
    return root * root.transpose();
  }
  CompliantLayer layer(Law law) {
    CompliantLayer layer;
    layer.law = law;
    layer.stiffness = semidefinite(1000);
    layer.damping = semidefinite(10);
    layer.exponent = uniform(1, 3);
    layer.damping_exponent = uniform(0.5, 3);
    layer.rate_exponent = uniform(0.5, 2);
    return layer;
  }

 private:
  std::mt19937 random_{7};
};

const std::vector<Law> every_law = {Law::kelvin_voigt, Law::hertz, Law::hunt_crossley};

TEST(CompliantLayer, DerivativeIsThatOfTheImpulse) {
  Sampler sampler;
  for (const Law law : every_law) {
    for (int k = 0; k < 300; ++k) {
      const CompliantLayer layer = sampler.layer(law);
      const double h = sampler.uniform(1e-3, 1e-1);
      const Vector3 start = sampler.vector(0.5), end = sampler.vector(0.5);
      // Fourth-order differences: the error is d^4 times a fifth derivative, which grows as the point comes near the
      // kinks and branch points at zero deflection and zero rate, so those are kept 0.05 away.
      if (std::abs(end[0]) < 0.05 || std::abs(end[0] - start[0]) < 0.05) continue;
      const double d = 1e-4;
      const LayerImpulse p = layer_impulse(layer, start, end, h);
      for (int i = 0; i < 3; ++i) {
        const auto at = [&](double x) { return layer_impulse(layer, start, end + x * Vector3::Unit(i), h).value; };
        const Vector3 slope = (8 * (at(d) - at(-d)) - (at(2 * d) - at(-2 * d))) / (12 * d);
        EXPECT_LT((slope - p.derivative.col(i)).norm(), 1e-6 * (1 + p.derivative.norm())) << "column " << i;
      }
    }
  }
}

// Through zero the laws stay differentiable (hunt-crossley: from above) and nowhere flat.
TEST(CompliantLayer, IsNowhereFlatAtAndBelowZeroDeflection) {
  for (const Law law : {Law::hertz, Law::hunt_crossley}) {
    CompliantLayer layer;
    layer.law = law;
    layer.stiffness(0, 0) = 1e5;
    layer.damping(0, 0) = 10;
    for (const double depth : {0.0, 1e-15, 1e-9, 1e-6, 1e-3}) {
      const LayerImpulse p = layer_impulse(layer, Vector3::Zero(), -depth * Vector3::UnitX(), 1e-3);
      EXPECT_GT(p.derivative(0, 0), 0);
      EXPECT_LE(p.value[0], 0);
      // The slope is k sqrt(x0) = 3.16 N/m at least, x0 = 1e-9 m: h times that.
      EXPECT_GE(p.derivative(0, 0), 3.1e-3);
    }
    EXPECT_EQ(layer_impulse(layer, Vector3::UnitX(), Vector3::Zero(), 1e-3).value[0], 0);
    const double d = 1e-13;  // small against x0
    const auto at = [&](double x) { return layer_impulse(layer, x * Vector3::UnitX(), x * Vector3::UnitX(), 1e-3); };
    EXPECT_NEAR((at(d).value[0] - at(-d).value[0]) / (2 * d), 1e-3 * 1e5 * std::sqrt(1e-9), 1e-9);
  }
}

TEST(CompliantLayer, KelvinVoigtIsEquation14) {
  CompliantLayer layer;
  layer.stiffness << 36000, 100, 0, 100, 8000, -50, 0, -50, 8000;
  layer.damping << 380, 1, 2, 1, 180, 3, 2, 3, 180;
  const Vector3 start(1e-3, 2e-3, -1e-3), end(3e-3, 1e-3, 4e-3);
  const double h = 1e-4;
  const LayerImpulse p = layer_impulse(layer, start, end, h);
  EXPECT_DOUBLE_EQ(p.value[0], h * (36000 * 3e-3 + 100 * 1e-3) + 380 * 2e-3 - 1 * 1e-3 + 2 * 5e-3);
  EXPECT_DOUBLE_EQ(p.value[1], h * (100 * 3e-3 + 8000 * 1e-3 - 50 * 4e-3) + 1 * 2e-3 - 180 * 1e-3 + 3 * 5e-3);
  EXPECT_EQ(p.derivative, (h * layer.stiffness + layer.damping).eval());
}

TEST(CompliantLayer, HertzIsAPower) {
  CompliantLayer layer;
  layer.law = Law::hertz;
  layer.stiffness(0, 0) = 2e6;
  layer.damping(0, 0) = 1e9;  // has no part in it
  for (const double delta : {1e-5, 1e-3, 1e-2}) {
    const LayerImpulse p = layer_impulse(layer, Vector3::Zero(), delta * Vector3::UnitX(), 1e-3);
    // (e - 1) / 2 (1e-9 / delta)^2 is 2.5e-9 for the smallest.
    EXPECT_NEAR(p.value[0] / (1e-3 * 2e6 * delta * std::sqrt(delta)), 1, 3e-9);
    EXPECT_NEAR(p.derivative(0, 0) / (1e-3 * 2e6 * 1.5 * std::sqrt(delta)), 1, 3e-9);
  }
}

// With equal exponents of deflection the force is delta^e (k + c rate): it vanishes with the deflection at any rate,
// and at the rate -k / c at any deflection.
TEST(CompliantLayer, HuntCrossleyVanishesWithTheDeflection) {
  CompliantLayer layer;
  layer.law = Law::hunt_crossley;
  layer.stiffness(0, 0) = 1e6;
  layer.damping(0, 0) = 4e5;
  const double h = 1e-3;
  const auto force = [&](double delta, double rate) {
    return layer_impulse(layer, (delta - h * rate) * Vector3::UnitX(), delta * Vector3::UnitX(), h).value[0] / h;
  };
  for (const double rate : {-5.0, -1.0, 0.0, 3.0, 100.0}) {
    EXPECT_EQ(force(0, rate), 0);
    const double delta = 2e-3;
    const double expected = std::pow(delta, 1.5) * (1e6 + 4e5 * rate);
    EXPECT_NEAR(force(delta, rate), expected, 1e-9 * std::pow(delta, 1.5) * 4e7);
  }
  EXPECT_NEAR(force(2e-3, -2.5), 0, 1e-9);  // of 89 N
  // The damping term has its own powers.
  layer.damping_exponent = 2;
  layer.rate_exponent = 0.5;
  EXPECT_NEAR(force(2e-3, -4), std::pow(2e-3, 1.5) * 1e6 - 4e5 * 4e-6 * 2, 1e-9);
}

TEST(CompliantLayer, TangentialPartOfThePowersIsKelvinVoigt) {
  Sampler sampler;
  for (const Law law : {Law::hertz, Law::hunt_crossley}) {
    CompliantLayer layer = sampler.layer(law), linear = layer;
    linear.law = Law::kelvin_voigt;
    const Vector3 start(0, 0.1, 0.2), end(0, -0.3, 0.1);  // no normal part: couplings have none in the tangential rows
    EXPECT_LT(
        (layer_impulse(layer, start, end, 0.01).value - layer_impulse(linear, start, end, 0.01).value).tail<2>().norm(),
        1e-15 * 1000);
  }
}

// Simpson's rule along a straight path of deflections; the start equals the end of a step at rest, which leaves the
// elastic force. Relative error 1e-6: the power 1 < e < 3 is not smooth at the origin, where the path begins.
TEST(CompliantLayer, EnergyIsTheIntegralOfTheElasticForce) {
  Sampler sampler;
  for (const Law law : every_law) {
    for (int k = 0; k < 50; ++k) {
      const CompliantLayer layer = sampler.layer(law);
      const Vector3 target = sampler.vector(0.5);
      const auto power = [&](double s) {
        return layer_impulse(layer, s * target, s * target, 0.01).value.dot(target) / 0.01;
      };
      const int intervals = 2000;
      double integral = 0;
      for (int i = 0; i < intervals; ++i) {
        const double a = double(i) / intervals, b = double(i + 1) / intervals;
        integral += (b - a) / 6 * (power(a) + 4 * power((a + b) / 2) + power(b));
      }
      EXPECT_NEAR(layer_energy(layer, target), integral, 1e-6 * (1 + integral));
      EXPECT_EQ(layer_energy(layer, Vector3::Zero()), 0);
    }
  }
}

// In every step the work done on the layer, (p / h) . (end - start), covers the energy it stores: elastic energies are
// convex and the force is taken at the end. So no cycle gives energy.
TEST(CompliantLayer, GivesBackNoMoreThanItStored) {
  Sampler sampler;
  for (const Law law : every_law) {
    for (int k = 0; k < 200; ++k) {
      const CompliantLayer layer = sampler.layer(law);
      const double h = sampler.uniform(1e-4, 1e-1);
      Vector3 at = Vector3::Zero();
      double work = 0, size = 0;
      for (int i = 0; i < 20; ++i) {
        const Vector3 next = i == 19 ? Vector3::Zero().eval() : sampler.vector(0.5);
        const double done = layer_impulse(layer, at, next, h).value.dot(next - at) / h;
        const double stored = layer_energy(layer, next) - layer_energy(layer, at);
        EXPECT_GE(done, stored - 1e-12 * (std::abs(done) + layer_energy(layer, at)));  // rounding of the sums
        work += done;
        size += std::abs(done);
        at = next;
      }
      EXPECT_GE(work, -1e-12 * size);
    }
  }
}

}  // namespace
}  // namespace stiction
