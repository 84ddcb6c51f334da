// Surfaces of pieces in closed form. Round ones are squares of distances, (d^2 - r^2) / (2 r): convex, C1 where two parts
// meet (the Hessian there is that of one of them), gradient a unit vector on the surface.
#include <algorithm>
#include <cmath>

#include "stiction/geometry/closest/closest_points.h"

namespace stiction::geometry {
namespace {

ImplicitValue half_space(const PieceSurface& s, const Vector3& x) {
  return {s.axis.dot(x - s.center), s.axis, Matrix3::Zero()};
}

/// (|d|^2 - r^2) / (2 r), where d = x - (nearest point of a core) and `moves` has a one where d follows x.
ImplicitValue round_about(const Vector3& d, const Vector3& moves, double r) {
  return {(d.squaredNorm() - r * r) / (2 * r), d / r, Matrix3((moves / r).asDiagonal())};
}

ImplicitValue sphere(const PieceSurface& s, const Vector3& x) {
  return round_about(x - s.center, Vector3::Ones(), s.size.x());
}

/// A length between the radii, which makes the gradient of order one.
double middle_radius(const Vector3& radii) {
  return std::sqrt(radii.minCoeff() * radii.maxCoeff());
}

/// s (x^2/a^2 + y^2/b^2 + z^2/c^2 - 1) / 2.
ImplicitValue ellipsoid(const PieceSurface& s, const Vector3& x) {
  const double scale = middle_radius(s.size);
  const Vector3 weight = scale * s.size.array().square().inverse();
  return {(x.dot(weight.cwiseProduct(x)) - scale) / 2, weight.cwiseProduct(x), Matrix3(weight.asDiagonal())};
}

/// N = (u^e + v^e)^(1/e) for u, v >= 0 and e >= 2; second derivatives are multiplied by N. At zero, as seen along u = v.
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

/// s (N^2 - 1) / 2 with the norm N = ((|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q)^(1/q): an ellipsoid's form for p = q = 2.
ImplicitValue superellipsoid(const PieceSurface& s, const Vector3& x) {
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

ImplicitValue capsule(const PieceSurface& s, const Vector3& x) {
  const double half_length = s.size.y();
  const double along = x.z() - std::clamp(x.z(), -half_length, half_length);
  return round_about({x.x(), x.y(), along}, {1, 1, std::abs(x.z()) > half_length ? 1.0 : 0.0}, s.size.x());
}

ImplicitValue cylinder_side(const PieceSurface& s, const Vector3& x) {
  return round_about({x.x(), x.y(), 0}, {1, 1, 0}, s.size.x());
}

/// cos(w) rho - sin(w) (l - z), with w the half angle and rho the distance from the axis: the distance from the side. rho
/// is sqrt(x^2 + y^2 + e^2), e so small that it is felt only where the apex is within rounding's square root.
ImplicitValue cone_side(const PieceSurface& s, const Vector3& x) {
  const double radius = s.size.x();
  const double half_length = s.size.y();
  const double slant = std::hypot(radius, 2 * half_length);
  const double cosine = 2 * half_length / slant;
  const double sine = radius / slant;
  const double rho = std::hypot(std::hypot(x.x(), x.y()), 1e-7 * radius);
  const Vector3 out(x.x() / rho, x.y() / rho, 0);
  ImplicitValue f;
  f.value = cosine * rho - sine * (half_length - x.z());
  f.gradient = cosine * out + sine * Vector3::UnitZ();
  f.hessian = (cosine / rho) * (Matrix3(Vector3(1, 1, 0).asDiagonal()) - out * out.transpose());
  return f;
}

ImplicitValue rounded_box(const PieceSurface& s, const Vector3& x) {
  const Vector3 core = (s.size.array() - s.radius).max(0.0);
  const Vector3 d = x - x.cwiseMax(-core).cwiseMin(core);
  return round_about(d, (x.cwiseAbs().array() > core.array()).cast<double>(), s.radius);
}

ImplicitValue user_function(const PieceSurface& s, const Vector3& x) {
  ImplicitValue f = evaluate(*s.function, x);
  f.value *= s.scale;
  f.gradient *= s.scale;
  f.hessian *= s.scale;
  return f;
}

/// (r^2 - |x|^2) / (2 r): concave, the gradient points into the hollow.
ImplicitValue bowl(const PieceSurface& s, const Vector3& x) {
  const double r = s.size.x();
  return {(r * r - x.squaredNorm()) / (2 * r), -x / r, -Matrix3::Identity() / r};
}

}  // namespace

ImplicitValue evaluate(const PieceSurface& surface, const Vector3& x) {
  using Kind = PieceSurface::Kind;
  switch (surface.kind) {
    case Kind::half_space:
      return half_space(surface, x);
    case Kind::sphere:
      return sphere(surface, x);
    case Kind::ellipsoid:
      return ellipsoid(surface, x);
    case Kind::superellipsoid:
      return superellipsoid(surface, x);
    case Kind::capsule:
      return capsule(surface, x);
    case Kind::cylinder_side:
      return cylinder_side(surface, x);
    case Kind::cone_side:
      return cone_side(surface, x);
    case Kind::rounded_box:
      return rounded_box(surface, x);
    case Kind::function:
      return user_function(surface, x);
    case Kind::bowl:
      return bowl(surface, x);
  }
  return {};
}

}  // namespace stiction::geometry
