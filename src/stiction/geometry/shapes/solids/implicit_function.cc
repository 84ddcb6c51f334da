// Values and derivatives of the functions that bound implicit solids.
#include "stiction/geometry/shapes/solids/implicit_function.h"

namespace stiction::geometry {
namespace {

/// x^n, by repeated squaring.
double whole_power(double x, int n) {
  double power = 1;
  for (double square = x; n > 0; n /= 2, square *= square)
    if (n % 2 == 1) power *= square;
  return power;
}

/// Derivatives of order 0, 1, 2 of x^n.
Vector3 power_derivatives(double x, int n) {
  if (n <= 0) return {1, 0, 0};
  if (n == 1) return {x, 1, 0};
  const double second = whole_power(x, n - 2);
  const double first = second * x;
  return {first * x, n * first, n * (n - 1) * second};
}

ImplicitValue value_of(const Polynomial& polynomial, const Vector3& x) {
  ImplicitValue f;
  for (const Monomial& term : polynomial.terms) {
    const double c = term.coefficient;
    const Vector3 u = power_derivatives(x.x(), term.power[0]);
    const Vector3 v = power_derivatives(x.y(), term.power[1]);
    const Vector3 w = power_derivatives(x.z(), term.power[2]);
    f.value += c * u[0] * v[0] * w[0];
    f.gradient += c * Vector3(u[1] * v[0] * w[0], u[0] * v[1] * w[0], u[0] * v[0] * w[1]);
    f.hessian.diagonal() += c * Vector3(u[2] * v[0] * w[0], u[0] * v[2] * w[0], u[0] * v[0] * w[2]);
    f.hessian(0, 1) += c * u[1] * v[1] * w[0];
    f.hessian(0, 2) += c * u[1] * v[0] * w[1];
    f.hessian(1, 2) += c * u[0] * v[1] * w[1];
  }
  f.hessian(1, 0) = f.hessian(0, 1);
  f.hessian(2, 0) = f.hessian(0, 2);
  f.hessian(2, 1) = f.hessian(1, 2);
  return f;
}

ImplicitValue value_of(const ImplicitCallback& callback, const Vector3& x) {
  return callback.evaluate(x);
}

}  // namespace

ImplicitValue evaluate(const ImplicitFunction& function, const Vector3& x) {
  return std::visit([&](const auto& f) { return value_of(f, x); }, function);
}

}  // namespace stiction::geometry
