#include "stiction/geometry/shapes/superellipsoid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiction::geometry {
namespace {

/// (u^p + v^p)^(1/p) for u, v >= 0, without overflow; the larger one for p = infinity.
double norm_of_two(double u, double v, double p) {
  const double most = std::max(u, v);
  const double ratio = most > 0 ? std::min(u, v) / most : 0;
  if (ratio == 0 || std::isinf(p)) return most;
  if (p == 2) return most * std::sqrt(1 + ratio * ratio);
  return most * std::pow(1 + std::pow(ratio, p), 1 / p);
}

double dual(double p) {
  return p / (p - 1);
}

/// u^e for u >= 0.
double power(double u, double e) {
  return e == 1 ? u : u == 0 ? 0 : std::pow(u, e);
}

/// Derivatives of m = (u^p + v^p)^(1/p), u, v >= 0, m > 0.
struct NormDerivatives {
  double u, v, uu, uv, vv;
  NormDerivatives(double x, double y, double m, double p) {
    const double a = x / m;
    const double b = y / m;
    u = power(a, p - 1);
    v = power(b, p - 1);
    const double k = (p - 1) / m;
    uu = k * ((p == 2 ? 1 : power(a, p - 2)) - u * u);
    vv = k * ((p == 2 ? 1 : power(b, p - 2)) - v * v);
    uv = -k * u * v;
  }
};

}  // namespace

double superellipsoid_height(const Vector3& radii, double p, double q, const Vector3& d) {
  const Vector3 s = radii.cwiseProduct(d).cwiseAbs();
  return norm_of_two(norm_of_two(s.x(), s.y(), dual(p)), s.z(), dual(q));
}

Vector3 superellipsoid_support(const Vector3& radii, double p, double q, const Vector3& d) {
  const Vector3 s = radii.cwiseProduct(d).cwiseAbs();
  const double m = norm_of_two(s.x(), s.y(), dual(p));
  const double n = norm_of_two(m, s.z(), dual(q));
  Vector3 x = Vector3::Zero();
  if (m > 0) {
    const double across = power(m / n, 1 / (q - 1));
    x.x() = across * power(s.x() / m, 1 / (p - 1));
    x.y() = across * power(s.y() / m, 1 / (p - 1));
  }
  if (n > 0) x.z() = power(s.z() / n, 1 / (q - 1));
  for (int k = 0; k < 3; ++k) x[k] = std::copysign(radii[k] * x[k], d[k]);
  return x;
}

ImplicitValue superellipsoid_value(const Vector3& radii, double p, double q, const Vector3& x) {
  constexpr double tiny = 1e-100;  // on the z axis the inner norm has no derivative; the whole has
  Vector3 s = x.cwiseQuotient(radii).cwiseAbs();
  if (std::max(s.x(), s.y()) < tiny) s.x() = s.y() = tiny;
  const double m = norm_of_two(s.x(), s.y(), p);
  const double N = norm_of_two(m, s.z(), q);
  const NormDerivatives inner(s.x(), s.y(), m, p);
  const NormDerivatives outer(m, s.z(), N, q);
  const Vector3 scale(std::copysign(1 / radii.x(), x.x()), std::copysign(1 / radii.y(), x.y()),
                      std::copysign(1 / radii.z(), x.z()));
  ImplicitValue f;
  f.value = N - 1;
  f.gradient = Vector3(outer.u * inner.u, outer.u * inner.v, outer.v).cwiseProduct(scale);
  Matrix3 H;
  H(0, 0) = outer.uu * inner.u * inner.u + outer.u * inner.uu;
  H(1, 1) = outer.uu * inner.v * inner.v + outer.u * inner.vv;
  H(0, 1) = H(1, 0) = outer.uu * inner.u * inner.v + outer.u * inner.uv;
  H(0, 2) = H(2, 0) = outer.uv * inner.u;
  H(1, 2) = H(2, 1) = outer.uv * inner.v;
  H(2, 2) = outer.vv;
  f.hessian = scale.asDiagonal() * H * scale.asDiagonal();
  return f;
}

/// Largest a^2 u^2 + b^2 v^2 with u^p + v^p = 1: the norm of (a^2, b^2) dual to that of exponent p/2; and so again.
double superellipsoid_reach(const Superellipsoid& shape) {
  const auto largest = [](double a2, double b2, double p) {
    return norm_of_two(a2, b2, p > 2 ? p / (p - 2) : std::numeric_limits<double>::infinity());
  };
  const Vector3 square = shape.radii.cwiseAbs2();
  return std::sqrt(largest(largest(square.x(), square.y(), shape.p), square.z(), shape.q));
}

}  // namespace stiction::geometry
