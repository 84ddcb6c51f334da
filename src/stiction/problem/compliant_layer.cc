// Powers of the nonlinear laws are taken as
//
//     power(x, e) = x (x^2 + x0^2)^((e - 1) / 2),    x0 = 1e-9 (m, or m/s for rates)
//
// which is |x|^e sign(x) to a relative (e - 1) / 2 (x0 / x)^2 (2.5e-13 at 1 mm for e = 1.5; exact for e = 1), smooth,
// odd, and of slope x0^(e - 1) at zero. Why not zero for x <= 0, as the force is: where a contact is open the layer's
// own equation is 0 = force(delta_n), and Newton's matrix would be singular for every delta_n <= 0. With the odd power
// delta_n = 0 is its only root without damping. The branch below zero is never part of an answer: p_n >= 0 and no core
// there leave no negative force to take. Nor does it spoil passivity: the force is the slope of a convex energy.
//
// The damping of hunt-crossley weighs the rate by max(0, power(delta_n, damping_exponent)): a weight below zero would
// make energy. It may exceed the elastic part while the surface recedes, and then 0 = force(delta_n) has a second root,
// delta_n = delta_l_n - h (k / c)^(1 / rate_exponent) where the two exponents of delta_n agree: the layer that cannot
// follow and recovers at its own rate.
#include "stiction/problem/compliant_layer.h"

#include <cmath>

namespace stiction {
namespace {

constexpr double small_x = 1e-9;  // x0

struct Power {
  double value = 0;
  double slope = 0;
};

Power power(double x, double exponent) {
  const double square = x * x + small_x * small_x;
  const double factor = std::pow(square, (exponent - 1) / 2);
  return {x * factor, factor * (1 + (exponent - 1) * x * x / square)};
}

// Integral of power() from 0 to x.
double power_integral(double x, double exponent) {
  const double half = (exponent + 1) / 2;
  const double square = small_x * small_x;
  return (std::pow(x * x + square, half) - std::pow(square, half)) / (exponent + 1);
}

// p_n of hertz and hunt-crossley, over delta_n.
Power normal_impulse(const CompliantLayer& layer, double start, double end, double h) {
  const Power spring = power(end, layer.exponent);
  const double k = layer.stiffness(0, 0);
  Power p = {h * k * spring.value, h * k * spring.slope};
  if (layer.law == CompliantLayer::Law::hertz || end <= 0) return p;
  const double c = layer.damping(0, 0);
  const Power weight = power(end, layer.damping_exponent);
  const Power rate = power((end - start) / h, layer.rate_exponent);
  p.value += h * c * weight.value * rate.value;
  p.slope += c * (h * weight.slope * rate.value + weight.value * rate.slope);
  return p;
}

}  // namespace

LayerImpulse layer_impulse(const CompliantLayer& layer, const Vector3& start, const Vector3& end, double h) {
  LayerImpulse p;
  p.derivative = h * layer.stiffness + layer.damping;
  p.value = h * layer.stiffness * end + layer.damping * (end - start);
  if (layer.law == CompliantLayer::Law::kelvin_voigt) return p;
  const Power normal = normal_impulse(layer, start[0], end[0], h);
  const auto K = layer.stiffness.bottomRightCorner<2, 2>();
  const auto C = layer.damping.bottomRightCorner<2, 2>();
  p.value[0] = normal.value;
  p.value.tail<2>() = h * K * end.tail<2>() + C * (end - start).tail<2>();
  p.derivative.row(0).setZero();
  p.derivative.col(0).setZero();
  p.derivative(0, 0) = normal.slope;
  return p;
}

double layer_energy(const CompliantLayer& layer, const Vector3& deflection) {
  if (layer.law == CompliantLayer::Law::kelvin_voigt) return 0.5 * deflection.dot(layer.stiffness * deflection);
  const Vector2 tangential = deflection.tail<2>();
  return layer.stiffness(0, 0) * power_integral(deflection[0], layer.exponent) +
         0.5 * tangential.dot(layer.stiffness.bottomRightCorner<2, 2>() * tangential);
}

}  // namespace stiction
