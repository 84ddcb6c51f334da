#include "stiction/problem/friction_cone_projection.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/base/infinity.h"

namespace stiction {
namespace {

using Kind = FrictionCone::Kind;

void set_identity(const FrictionCone& cone, const double* x, ConeProjection& p) {
  const int d = cone.dimension;
  p.inside = true;
  for (int i = 0; i < d; ++i) {
    p.y[i] = x[i];
    for (int j = 0; j < d; ++j) p.dy_dx[i * d + j] = i == j ? 1.0 : 0.0;
  }
}

// G from the diagonal K and the normal nu; axes of zero friction have K = 0.
void set_smooth_derivative(int d, const double* K, const double* nu, ConeProjection& p) {
  double weight = 0;
  for (int i = 0; i < d; ++i) weight += nu[i] * K[i] * nu[i];
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      const double along = weight > 0 ? K[i] * nu[i] * nu[j] * K[j] / weight : 0.0;
      p.dy_dx[i * d + j] = (i == j ? K[i] : 0.0) - along;
    }
  }
}

// The root l >= 0 of sum (a_i x_i / (a_i^2 + l))^2 = 1: Newton from the left on a convex falling function.
double ellipsoid_multiplier(const FrictionCone& cone, const double* x) {
  double l = 0, smallest = infinity, largest = 0, squares = 0;
  for (int i = 0; i < cone.dimension; ++i) {
    const double a = cone.axes[i];
    if (a <= 0) continue;
    l = std::max(l, a * std::abs(x[i]) - a * a);
    smallest = std::min(smallest, a), largest = std::max(largest, a), squares += x[i] * x[i];
  }
  if (smallest == largest) return largest * (std::sqrt(squares) - largest);  // a ball
  for (int k = 0; k < 100; ++k) {
    double f = -1, slope = 0;
    for (int i = 0; i < cone.dimension; ++i) {
      const double a = cone.axes[i];
      if (a <= 0) continue;
      const double term = a * x[i] / (a * a + l);
      f += term * term;
      slope -= 2 * term * term / (a * a + l);
    }
    const double step = f / slope;
    if (!(step < 0) || !(l - step > l)) break;
    l -= step;
  }
  return l;
}

void project_ellipsoid(const FrictionCone& cone, const double* x, ConeProjection& p) {
  const int d = cone.dimension;
  double inside = 0, K[3], nu[3];
  for (int i = 0; i < d; ++i) {
    if (cone.axes[i] > 0) inside = std::hypot(inside, x[i] / cone.axes[i]);
  }
  set_identity(cone, x, p);
  for (int i = 0; i < d; ++i) {
    if (cone.axes[i] > 0) continue;
    p.inside = p.inside && x[i] == 0;
    p.y[i] = 0, p.dy_dx[i * d + i] = 0;
  }
  if (inside <= 1) return;
  p.inside = false;
  const double l = ellipsoid_multiplier(cone, x);
  double norm = 0;
  for (int i = 0; i < d; ++i) {
    const double square = cone.axes[i] * cone.axes[i];
    K[i] = square > 0 ? square / (square + l) : 0.0;
    p.y[i] = K[i] * x[i];
    nu[i] = square > 0 ? p.y[i] / square : 0.0;
    if (square > 0) norm = std::hypot(norm, p.y[i] / cone.axes[i]);
  }
  for (int i = 0; i < d; ++i) p.y[i] /= norm;  // onto the boundary to the last digit
  set_smooth_derivative(d, K, nu, p);
}

void project_segment(const FrictionCone& cone, const double* x, ConeProjection& p) {
  const Vector2 &a = cone.vertices[0], &b = cone.vertices[1], point(x[0], x[1]);
  const Vector2 along = (a - b).normalized();
  const double place = along.dot(point), most = along.dot(a), least = along.dot(b);
  const bool between = place < most && place > least;
  const Vector2 y = between ? Vector2(place * along) : (place >= most ? a : b);
  const double keep = between ? 1.0 : 0.0;
  p.inside = between && y == point;
  for (int i = 0; i < 2; ++i) {
    p.y[i] = y[i];
    for (int j = 0; j < 2; ++j) p.dy_dx[2 * i + j] = keep * along[i] * along[j];
  }
}

void project_polygon(const FrictionCone& cone, const double* x, ConeProjection& p) {
  const auto& v = cone.vertices;
  if (v.size() == 2) return project_segment(cone, x, p);
  set_identity(cone, x, p);
  const Vector2 point(x[0], x[1]);
  double nearest = infinity;
  for (size_t i = 0; i < v.size(); ++i) {
    const Vector2 &from = v[i], edge = v[(i + 1) % v.size()] - from, away = point - from;
    if (edge.y() * away.x() - edge.x() * away.y() <= 0) continue;  // on the inner side
    p.inside = false;
    const double place = edge.dot(away) / edge.squaredNorm();
    const Vector2 y = from + std::clamp(place, 0.0, 1.0) * edge;
    const double distance = (point - y).squaredNorm();
    if (!(distance < nearest)) continue;
    nearest = distance;
    const double keep = place > 0 && place < 1 ? 1 / edge.squaredNorm() : 0.0;
    for (int a = 0; a < 2; ++a) {
      p.y[a] = y[a];
      for (int b = 0; b < 2; ++b) p.dy_dx[2 * a + b] = keep * edge[a] * edge[b];
    }
  }
}

// A point of the boundary of a superellipse in the first quadrant, and the normal there. For p <= 2 the parameter is
// the direction of the normal, for p > 2 that of the point: the other one would be lost in rounding near the axes.
struct BoundaryPoint {
  double y[2], nu[2];
};

BoundaryPoint boundary_point(const FrictionCone& cone, double angle) {
  const double p = cone.exponent, c = std::cos(angle), s = std::sin(angle);
  BoundaryPoint point;
  if (p <= 2) {
    const double q = p / (p - 1), w[2] = {cone.axes[0] * c, cone.axes[1] * s}, largest = std::max(w[0], w[1]);
    const double sum = std::pow(w[0] / largest, q) + std::pow(w[1] / largest, q), norm = std::pow(sum, 1 / q);
    for (int i = 0; i < 2; ++i) point.y[i] = cone.axes[i] * std::pow(w[i] / largest / norm, q - 1);
    point.nu[0] = c, point.nu[1] = s;
  } else {
    const double largest = std::max(c, s), e[2] = {c / largest, s / largest};
    const double norm = std::pow(std::pow(e[0], p) + std::pow(e[1], p), 1 / p);
    for (int i = 0; i < 2; ++i) {
      point.y[i] = cone.axes[i] * e[i] / norm;
      point.nu[i] = std::pow(e[i] / norm, p - 1) / cone.axes[i];
    }
  }
  return point;
}

// One step of Chandrupatla's method: the share of the way from `a` to `b` at which to look next; halves where inverse
// quadratic interpolation through a, b, c is not safe.
double chandrupatla_share(double a, double b, double c, double fa, double fb, double fc) {
  const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
  if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return 0.5;
  return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
}

// Where x - y is along the normal, for x >= 0 outside: the root is unique, since x - y = l nu with l < 0 means inside.
BoundaryPoint nearest_boundary_point(const FrictionCone& cone, const double* x) {
  const auto twist = [&](const BoundaryPoint& at) { return (x[0] - at.y[0]) * at.nu[1] - (x[1] - at.y[1]) * at.nu[0]; };
  if (x[1] <= 0) return {{cone.axes[0], 0}, {1, 0}};
  if (x[0] <= 0) return {{0, cone.axes[1]}, {0, 1}};
  double a = std::numbers::pi / 2, b = 0, c = a, share = 0.5;
  BoundaryPoint at = boundary_point(cone, b);
  double fa = twist(boundary_point(cone, a)), fb = twist(at), fc = fa;
  for (int k = 0; k < 100 && fb != 0; ++k) {
    const double angle = a + share * (b - a);
    at = boundary_point(cone, angle);
    const double f = twist(at);
    if ((f > 0) == (fa > 0)) {
      c = a, fc = fa;
    } else {
      c = b, b = a, fc = fb, fb = fa;
    }
    a = angle, fa = f;
    const double tolerance = 2e-16 * a / std::abs(b - a);
    if (f == 0 || !(tolerance < 0.5)) break;
    share = std::clamp(chandrupatla_share(a, b, c, fa, fb, fc), tolerance, 1 - tolerance);
  }
  return at;
}

void project_superellipse(const FrictionCone& cone, const double* x, ConeProjection& result) {
  const double p = cone.exponent, positive[2] = {std::abs(x[0]), std::abs(x[1])};
  set_identity(cone, x, result);
  if (std::max(positive[0] / cone.axes[0], positive[1] / cone.axes[1]) <= 1 &&
      std::pow(positive[0] / cone.axes[0], p) + std::pow(positive[1] / cone.axes[1], p) <= 1) {
    return;
  }
  result.inside = false;
  const BoundaryPoint at = nearest_boundary_point(cone, positive);
  // x - y = m nu' with nu'_i = (y_i / a_i)^(p-1) / a_i, whose derivative is h.
  double normal[2], K[2], dot = 0, square = 0;
  for (int i = 0; i < 2; ++i) {
    normal[i] = std::pow(at.y[i] / cone.axes[i], p - 1) / cone.axes[i];
    dot += (positive[i] - at.y[i]) * normal[i];
    square += normal[i] * normal[i];
  }
  const double m = std::max(0.0, dot / square);
  for (int i = 0; i < 2; ++i) {
    const double a = cone.axes[i], h = (p - 1) * std::pow(at.y[i] / a, p - 2) / (a * a);
    K[i] = m > 0 ? 1 / (1 + m * h) : 1.0;
    result.y[i] = std::copysign(at.y[i], x[i]);
    normal[i] = std::copysign(normal[i], x[i]);
  }
  set_smooth_derivative(2, K, normal, result);
}

void project_on_unit(const FrictionCone& cone, const double* x, ConeProjection& p) {
  switch (cone.kind) {
    case Kind::ellipsoid:
      return project_ellipsoid(cone, x, p);
    case Kind::polygon:
      return project_polygon(cone, x, p);
    case Kind::superellipse:
      return project_superellipse(cone, x, p);
  }
}

}  // namespace

void project_on_cone(const FrictionCone& cone, double c_n, const double* x, ConeProjection& p) {
  const int d = cone.dimension;
  double unit[3];
  bool finite = c_n > 0;
  for (int i = 0; i < d && finite; ++i) {
    unit[i] = x[i] / c_n;
    finite = std::abs(unit[i]) < 1e150;
  }
  if (!finite) {  // so small a normal impulse that there is no friction to speak of
    p = {};
    p.inside = std::all_of(x, x + d, [](double value) { return value == 0; });
    return;
  }
  project_on_unit(cone, unit, p);
  for (int i = 0; i < d; ++i) {
    double moved = 0;
    for (int j = 0; j < d; ++j) moved += p.dy_dx[i * d + j] * unit[j];
    p.dy_dc[i] = p.inside ? 0.0 : p.y[i] - moved;
    p.y[i] = p.inside ? x[i] : p.y[i] * c_n;
  }
}

}  // namespace stiction
