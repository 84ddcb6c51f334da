#include "stiction/geometry/shapes/superellipsoid.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stiction/geometry/revolution_profile.h"
#include "stiction/geometry/shapes/ellipsoid.h"
#include "stiction/geometry/shapes/solids/implicit_support.h"

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

/// N = (u^e + v^e)^(1/e) for u, v >= 0 and e >= 2; second derivatives are multiplied by N. At zero, as seen along u =
/// v.
struct PlaneNorm {
  double value, u, v, uu, uv, vv;
};
PlaneNorm plane_norm(double u, double v, double e) {
  const double largest = std::max(u, v);
  const double half = std::pow(0.5, 1 / e);
  const double value = largest > 0 ? largest * std::pow(std::pow(u / largest, e) + std::pow(v / largest, e), 1 / e) : 0;
  const double ru = value > 0 ? u / value : half;
  const double rv = value > 0 ? v / value : half;
  const double gu = std::pow(ru, e - 1);
  const double gv = std::pow(rv, e - 1);
  return {value,
          gu,
          gv,
          (e - 1) * (std::pow(ru, e - 2) - gu * gu),
          -(e - 1) * gu * gv,
          (e - 1) * (std::pow(rv, e - 2) - gv * gv)};
}

double beta(double x, double y) {
  return std::tgamma(x) * std::tgamma(y) / std::tgamma(x + y);
}

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

ImplicitValue superellipsoid_surface(const PieceSurface& s, const Vector3& x) {
  const double scale = middle_radius(s.size);
  const Vector3 y = x.cwiseQuotient(s.size).cwiseAbs();
  const PlaneNorm inner = plane_norm(y.x(), y.y(), s.p);
  const PlaneNorm outer = plane_norm(inner.value, y.z(), s.q);
  const double N = outer.value;
  const Vector3 gradient(outer.u * inner.u, outer.u * inner.v, outer.v);
  // N times the Hessian of N; the inner norm's curvature meets (u/N)^(q-1) N/u = (u/N)^(q-2), finite on the z axis.
  const double bend = std::pow(N > 0 ? inner.value / N : std::pow(0.5, 1 / s.q), s.q - 2);
  Matrix3 H;
  H << outer.uu * inner.u * inner.u + bend * inner.uu, outer.uu * inner.u * inner.v + bend * inner.uv,
      outer.uv * inner.u, 0, outer.uu * inner.v * inner.v + bend * inner.vv, outer.uv * inner.v, 0, 0, outer.vv;
  H += gradient * gradient.transpose();
  const Vector3 per_axis = s.size.cwiseInverse().cwiseProduct(
      Vector3(std::copysign(1, x.x()), std::copysign(1, x.y()), std::copysign(1, x.z())));
  const Matrix3 full = H.selfadjointView<Eigen::Upper>();
  return {scale * (N * N - 1) / 2, (scale * N) * per_axis.cwiseProduct(gradient),
          scale * per_axis.asDiagonal() * full * per_axis.asDiagonal()};
}

bool ShapeTraits<Superellipsoid>::valid(const Superellipsoid& s) {
  const auto exponent = [](double e) { return e >= min_exponent && e <= max_exponent; };
  return positive(s.radii) && exponent(s.p) && exponent(s.q);
}

/// Largest a^2 u^2 + b^2 v^2 with u^p + v^p = 1: the norm of (a^2, b^2) dual to that of exponent p/2; and so again.
double ShapeTraits<Superellipsoid>::bounding_radius(const Superellipsoid& s) {
  const auto largest = [](double a2, double b2, double p) {
    return norm_of_two(a2, b2, p > 2 ? p / (p - 2) : std::numeric_limits<double>::infinity());
  };
  const Vector3 square = s.radii.cwiseAbs2();
  return std::sqrt(largest(largest(square.x(), square.y(), s.p), square.z(), s.q));
}

/// Jaklic, Leonardis, Solina (2000), section 2.4, with their exponents e = 2/q along z, f = 2/p across.
MassProperties ShapeTraits<Superellipsoid>::mass_properties(const Superellipsoid& s) {
  const double e = 2 / s.q;
  const double f = 2 / s.p;
  const double scale = s.radii.prod() * e * f;
  const double volume = 2 * scale * beta(e / 2 + 1, e) * beta(f / 2, f / 2);
  const double across = 0.5 * scale * beta(1.5 * f, f / 2) * beta(e / 2, 2 * e + 1);
  const double along = scale * beta(f / 2, f / 2) * beta(1.5 * e, e + 1);
  return symmetric_solid(volume, Vector3(across, across, along).cwiseProduct(s.radii.cwiseAbs2()));
}

CoreShape ShapeTraits<Superellipsoid>::core(const Superellipsoid& s) {
  return s.p == 2 && s.q == 2 ? ShapeTraits<Ellipsoid>::core({s.radii}) : general_core(s);
}

void ShapeTraits<Superellipsoid>::surfaces(const Superellipsoid& s, const Vector3& x, ImplicitValues* values) {
  values->count = 1;
  ImplicitValue& f = values->f[0];
  f = superellipsoid_value(s.radii, s.p, s.q, x);
  const double scale = s.radii.minCoeff();
  f = {scale * f.value, scale * f.gradient, scale * f.hessian};
}

bool ShapeTraits<Superellipsoid>::revolution(const Superellipsoid& s, RevolutionProfile* profile) {
  if (s.p != 2 || s.radii.x() != s.radii.y()) return false;
  profile->form = RevolutionProfile::Form::dual_norm;
  profile->q = s.q;
  profile->radial = s.radii.x();
  profile->axial = s.radii.z();
  return true;
}

void ShapeTraits<Superellipsoid>::whole(const Superellipsoid& s, const PieceSpot&, Piece& piece) {
  PieceSurface surface = curved(superellipsoid_surface, s.radii);
  surface.p = s.p;
  surface.q = s.q;
  add(piece, surface);
}

}  // namespace stiction::geometry
