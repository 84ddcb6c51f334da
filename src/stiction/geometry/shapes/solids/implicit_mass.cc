// Mass of implicit solids: with rays x = c + t S w, w on the unit sphere, S the half sizes of the bounding box,
//   integral of g(x) dx = det S * integral over w, t of g(c + t S w) t^2,
// and the integral over t is a polynomial in the ray's length. Over the sphere: Gauss points in height times equal
// angles, refined until the result stands still; a smooth surface converges faster than any power.
#include <cmath>
#include <numbers>

#include "stiction/geometry/shapes/solids/implicit_solid.h"
#include "stiction/geometry/shapes/solids/implicit_support.h"

namespace stiction::geometry {
namespace {

struct GaussPoint {
  double x, weight;
};

/// Node k of n of the Gauss-Legendre rule on [-1, 1], by Newton on the Legendre polynomial.
GaussPoint gauss_point(int k, int n) {
  double x = std::cos(std::numbers::pi * (k + 0.75) / (n + 0.5));
  double slope = 1;
  for (int step = 0; step < 100; ++step) {
    double p = 1;
    double before = 0;
    for (int j = 1; j <= n; ++j) {
      const double next = ((2 * j - 1) * x * p - (j - 1) * before) / j;
      before = p;
      p = next;
    }
    slope = n * (x * p - before) / (x * x - 1);
    const double move = p / slope;
    x -= move;
    if (std::abs(move) < 1e-15) break;
  }
  return {x, 2 / ((1 - x * x) * slope * slope)};
}

/// Moments about c in the scaled coordinates.
struct Moments {
  double volume = 0;
  Vector3 first = Vector3::Zero();
  Matrix3 second = Matrix3::Zero();
};

Moments moments(const ImplicitSolid& solid, const Vector3& c, const Vector3& half, int n) {
  Moments m;
  double t = 1;
  const int turns = 2 * n;
  for (int i = 0; i < n; ++i) {
    const GaussPoint z = gauss_point(i, n);
    const double across = std::sqrt(1 - z.x * z.x);
    for (int j = 0; j < turns; ++j) {
      const double angle = 2 * std::numbers::pi * (j + 0.5) / turns;
      const Vector3 w(across * std::cos(angle), across * std::sin(angle), z.x);
      t = ray_length(solid, c, half.cwiseProduct(w), t, 1e9);
      const double weight = z.weight * 2 * std::numbers::pi / turns * t * t * t;
      m.volume += weight / 3;
      m.first += weight * t / 4 * w;
      m.second += weight * t * t / 5 * w * w.transpose();
    }
  }
  return m;
}

void set_mass(const Moments& m, const Vector3& c, const Vector3& half, ImplicitSolid* solid) {
  const Vector3 center = half.cwiseProduct(m.first / m.volume);
  solid->volume = half.prod() * m.volume;
  solid->center = c + center;
  const Matrix3 second = half.prod() * (half.asDiagonal() * m.second * half.asDiagonal());
  const Matrix3 about = second - solid->volume * center * center.transpose();
  solid->inertia = about.trace() * Matrix3::Identity() - about;
}

}  // namespace

double ray_length(const ImplicitSolid& solid, const Vector3& x, const Vector3& d, double guess, double limit) {
  ImplicitValues values;
  const auto largest = [&](double t) -> const ImplicitValue& {
    evaluate_all(solid, x + t * d, &values);
    return values.f[values.largest()];
  };
  double inside = 0;
  double outside = guess;
  while (!(largest(outside).value > 0)) {
    inside = outside;
    outside *= 2;
    if (outside > limit) return std::numeric_limits<double>::infinity();
  }
  // Newton from outside comes down to the root of a convex function without crossing it; bisection guards the rest.
  double t = outside;
  for (int step = 0; step < 200 && outside - inside > 1e-16 * outside; ++step) {
    const ImplicitValue& f = largest(t);
    (f.value > 0 ? outside : inside) = t;
    const double slope = f.gradient.dot(d);
    double next = slope > 0 ? t - f.value / slope : inside;
    if (next == t) break;
    if (!(next > inside && next < outside)) next = 0.5 * (inside + outside);
    if (std::abs(next - t) <= 1e-16 * t) break;
    t = next;
  }
  return t;
}

void integrate_mass(ImplicitSolid* solid) {
  const Vector3 half = 0.5 * (solid->upper - solid->lower);
  set_mass(moments(*solid, solid->interior, half, 12), solid->interior, half, solid);
  const Vector3 c = solid->center;  // rays from the centre are the most even
  double before = 0;
  Matrix3 inertia_before = Matrix3::Zero();
  for (const int n : {24, 48, 96, 192}) {
    set_mass(moments(*solid, c, half, n), c, half, solid);
    const bool still = std::abs(solid->volume - before) <= 1e-10 * solid->volume &&
                       (solid->inertia - inertia_before).norm() <= 1e-10 * solid->inertia.norm();
    if (still) return;
    before = solid->volume;
    inertia_before = solid->inertia;
  }
}

}  // namespace stiction::geometry
