#include "stiction/problem/friction_cone.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stiction/base/assert.h"

namespace stiction {
namespace {

using Kind = FrictionCone::Kind;
constexpr double rounding = 1e-12;  // relative to the size of a polygon

double cross(const Vector2& a, const Vector2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

double polygon_size(std::span<const Vector2> corners) {
  double size = 0;
  for (const Vector2& corner : corners) size = std::max(size, corner.lpNorm<Eigen::Infinity>());
  return size;
}

bool is_segment(const FrictionCone& cone) {
  return cone.kind == Kind::polygon && cone.vertices.size() == 2;
}

// nu / h of edge i, for a segment of its end i: phi_i = g . beta - c_n.
Vector2 edge_gradient(const FrictionCone& cone, int i) {
  const Vector2& from = cone.vertices[i];
  if (is_segment(cone)) return from / from.squaredNorm();
  const Vector2& to = cone.vertices[(i + 1) % cone.vertices.size()];
  const Vector2 outward(to.y() - from.y(), from.x() - to.x());
  return outward / cross(from, to);
}

std::string axes_defect(const FrictionCone& cone) {
  for (int i = 0; i < cone.dimension; ++i) {
    const double axis = cone.axes[i];
    if (!std::isfinite(axis)) return "condition 3 (bounded) fails: a half axis is not a finite number";
    if (axis < 0) return fmt::format("condition 2 (the origin inside) fails: a half axis is negative: {}", axis);
    if (axis > 0 && !std::isnormal(axis * axis)) return fmt::format("a half axis is out of range: {}", axis);
  }
  return {};
}

std::string exponent_defect(const FrictionCone& cone) {
  const double p = cone.exponent;
  if (!(p >= 1)) return fmt::format("condition 1 (convex) fails: the exponent {} is below 1", p);
  if (p == 1) return "a superellipse of exponent 1 is a polygon: condition 1 holds edge by edge only";
  if (p > largest_exponent) {
    return fmt::format("condition 4 (homogeneous) holds in exact numbers only: the exponent {} is above {}", p,
                       largest_exponent);
  }
  if (cone.axes[0] == 0 || cone.axes[1] == 0) return "a superellipse with an axis of zero is a segment: give that";
  return {};
}

std::string segment_defect(const FrictionCone& cone, double size) {
  const Vector2 &a = cone.vertices[0], &b = cone.vertices[1];
  if (std::abs(cross(a, b)) > rounding * size * size || !(a.dot(b) < 0)) {
    return "condition 2 (the origin inside) fails: the segment does not pass through the origin";
  }
  return {};
}

// Turns left everywhere, once around.
std::string turning_defect(const FrictionCone& cone, double size) {
  const auto& v = cone.vertices;
  const size_t n = v.size();
  double turned = 0;
  for (size_t i = 0; i < n; ++i) {
    const Vector2 in = v[(i + 1) % n] - v[i], out = v[(i + 2) % n] - v[(i + 1) % n];
    if (in.norm() <= rounding * size) return fmt::format("corners {} and {} of the polygon are the same", i, i + 1);
    const double sine = cross(in, out);
    if (sine < -rounding * size * size || (sine <= rounding * size * size && in.dot(out) < 0)) {
      return fmt::format("condition 1 (convex) fails: the polygon has a dent or a fold at corner {}", (i + 1) % n);
    }
    turned += std::atan2(sine, in.dot(out));
  }
  if (std::abs(turned - 2 * std::numbers::pi) > 1e-3) {
    return "condition 1 (convex) fails: the corners do not run once around the polygon";
  }
  return {};
}

std::string polygon_defect(const FrictionCone& cone) {
  const auto& v = cone.vertices;
  const int n = static_cast<int>(v.size());
  if (cone.dimension != 2) return "a polygon describes two friction rows";
  if (n < least_polygon_corners || n > most_polygon_corners) {
    return fmt::format("a polygon has {} to {} corners, not {}", least_polygon_corners, most_polygon_corners, n);
  }
  for (const Vector2& corner : v) {
    if (!corner.allFinite()) return "condition 3 (bounded) fails: a corner is not finite";
  }
  const double size = polygon_size(v);
  if (!std::isnormal(size * size)) return "the polygon is too small or too large for its area to be a number";
  if (n == 2) return segment_defect(cone, size);
  if (std::string defect = turning_defect(cone, size); !defect.empty()) return defect;
  for (int i = 0; i < n; ++i) {
    const Vector2 &from = v[i], &to = v[(i + 1) % n];
    if (!(cross(from, to) > rounding * size * (to - from).norm())) {
      return fmt::format("condition 2 (the origin inside) fails: the origin is not inside edge {}", i);
    }
  }
  return {};
}

Result<FrictionCone> checked(FrictionCone cone, const char* remedy) {
  std::string defect = cone_defect(cone);
  if (defect.empty()) return cone;
  return failure({.what = "not a friction cone: " + defect, .remedy = remedy});
}

// sum |x_i / a_i|^p over positive axes.
double power_sum(const FrictionCone& cone, double p, const double* x) {
  double sum = 0;
  for (int i = 0; i < cone.dimension; ++i) {
    if (cone.axes[i] > 0) sum += std::pow(std::abs(x[i] / cone.axes[i]), p);
  }
  return sum;
}

double dual_norm(const FrictionCone& cone, const double* x) {
  const double q = cone.exponent / (cone.exponent - 1);
  const double s = std::abs(cone.axes[0] * x[0]), t = std::abs(cone.axes[1] * x[1]), largest = std::max(s, t);
  if (largest == 0) return 0;
  return largest * std::pow(std::pow(s / largest, q) + std::pow(t / largest, q), 1 / q);
}

}  // namespace

Result<FrictionCone> make_ellipsoid_cone(std::span<const double> axes) {
  FrictionCone cone;
  if (axes.empty() || axes.size() > 3) {
    return failure({.what = fmt::format("not a friction cone: {} half axes", axes.size()),
                    .remedy = "Give one half axis for each of 1 to 3 friction directions (t, o, spin)."});
  }
  cone.dimension = static_cast<int>(axes.size());
  std::copy(axes.begin(), axes.end(), cone.axes.begin());
  return checked(std::move(cone), "Give finite half axes of zero or more.");
}

Result<FrictionCone> make_polygon_cone(std::span<const Vector2> corners) {
  FrictionCone cone;
  const double size = polygon_size(corners);
  if (!corners.empty() && size == 0) return cone;  // no friction
  cone.kind = Kind::polygon;
  cone.vertices.assign(corners.begin(), corners.end());
  double area = 0;
  for (size_t i = 0; i < corners.size(); ++i) area += cross(corners[i], corners[(i + 1) % corners.size()]);
  if (area < 0) std::reverse(cone.vertices.begin(), cone.vertices.end());
  return checked(std::move(cone), "Give the corners of a convex polygon in order, with the origin inside.");
}

Result<FrictionCone> make_superellipse_cone(double axis_t, double axis_o, double exponent) {
  FrictionCone cone;
  cone.axes = {axis_t, axis_o, 0};
  const bool flat = axis_t == 0 || axis_o == 0;
  if (exponent >= 1 && flat) return checked(std::move(cone), "Give finite half axes of zero or more.");
  if (exponent == 1 && axis_t > 0 && axis_o > 0) {
    return make_polygon_cone(
        std::array<Vector2, 4>{Vector2(axis_t, 0), Vector2(0, axis_o), Vector2(-axis_t, 0), Vector2(0, -axis_o)});
  }
  cone.kind = Kind::superellipse;
  cone.exponent = exponent;
  return checked(std::move(cone), "Give finite half axes of zero or more and an exponent from 1 to 64.");
}

std::string cone_defect(const FrictionCone& cone) {
  if (cone.dimension < 1 || cone.dimension > 3) return "a friction cone has 1 to 3 friction rows";
  if (cone.kind == Kind::polygon) return polygon_defect(cone);
  if (cone.kind == Kind::superellipse && cone.dimension != 2) return "a superellipse describes two friction rows";
  std::string defect = axes_defect(cone);
  if (defect.empty() && cone.kind == Kind::superellipse) defect = exponent_defect(cone);
  return defect;
}

int constraint_count(const FrictionCone& cone) {
  if (cone.kind == Kind::polygon) return static_cast<int>(cone.vertices.size());
  return *std::max_element(cone.axes.begin(), cone.axes.begin() + cone.dimension) > 0 ? 1 : 0;
}

double homogeneity(const FrictionCone& cone) {
  if (cone.kind == Kind::polygon) return 1;
  return cone.kind == Kind::superellipse ? cone.exponent : 2;
}

double constraint_value(const FrictionCone& cone, int i, double c_n, const double* beta) {
  STICTION_DASSERT(i >= 0 && i < constraint_count(cone), "no such constraint");
  if (cone.kind == Kind::polygon) return edge_gradient(cone, i).dot(Vector2(beta[0], beta[1])) - c_n;
  const double p = homogeneity(cone);
  return power_sum(cone, p, beta) - std::pow(c_n, p);
}

void constraint_gradient(const FrictionCone& cone, int i, double /*c_n*/, const double* beta, double* gradient) {
  if (cone.kind == Kind::polygon) {
    const Vector2 edge = edge_gradient(cone, i);
    gradient[0] = edge.x(), gradient[1] = edge.y();
    return;
  }
  const double p = homogeneity(cone);
  for (int k = 0; k < cone.dimension; ++k) {
    const double a = cone.axes[k];
    gradient[k] = a > 0 ? std::copysign(p * std::pow(std::abs(beta[k] / a), p - 1) / a, beta[k]) : 0.0;
  }
}

void constraint_hessian(const FrictionCone& cone, int /*i*/, double /*c_n*/, const double* beta, double* diagonal) {
  const double p = homogeneity(cone);
  for (int k = 0; k < cone.dimension; ++k) {
    const double a = cone.axes[k];
    diagonal[k] =
        p > 1 && a > 0 ? p * (p - 1) * (p == 2 ? 1.0 : std::pow(std::abs(beta[k] / a), p - 2)) / (a * a) : 0.0;
  }
}

void scale_cone(const FrictionCone& cone, double scale, FrictionCone& result) {
  result = cone;
  for (double& axis : result.axes) axis *= scale;
  for (Vector2& corner : result.vertices) corner *= scale;
}

void restrict_to_span(const FrictionCone& cone, double* x) {
  if (cone.kind != Kind::polygon) {
    for (int i = 0; i < cone.dimension; ++i) x[i] = cone.axes[i] > 0 ? x[i] : 0.0;
  } else if (is_segment(cone)) {
    const Vector2 along = (cone.vertices[0] - cone.vertices[1]).normalized();
    const Vector2 kept = along * along.dot(Vector2(x[0], x[1]));
    x[0] = kept.x(), x[1] = kept.y();
  }
}

double cone_extent(const FrictionCone& cone, int i) {
  if (cone.kind != Kind::polygon) return cone.axes[i];
  double extent = 0;
  for (const Vector2& corner : cone.vertices) extent = std::max(extent, std::abs(corner[i]));
  return extent;
}

double cone_support(const FrictionCone& cone, const double* x) {
  if (cone.kind == Kind::superellipse) return dual_norm(cone, x);
  double support = 0;
  if (cone.kind == Kind::polygon) {
    for (const Vector2& corner : cone.vertices) support = std::max(support, corner.x() * x[0] + corner.y() * x[1]);
    return support;
  }
  for (int i = 0; i < cone.dimension; ++i) support = std::hypot(support, cone.axes[i] * x[i]);
  return support;
}

void cone_support_point(const FrictionCone& cone, const double* x, double* b) {
  std::fill_n(b, cone.dimension, 0.0);
  if (cone.kind == Kind::polygon) {
    const auto along = [&](const Vector2& corner) { return corner.x() * x[0] + corner.y() * x[1]; };
    const auto best = std::max_element(cone.vertices.begin(), cone.vertices.end(),
                                       [&](const Vector2& s, const Vector2& t) { return along(s) < along(t); });
    b[0] = best->x(), b[1] = best->y();
    return;
  }
  const double support = cone_support(cone, x), p = homogeneity(cone);
  for (int i = 0; i < cone.dimension && support > 0; ++i) {
    const double share = std::abs(cone.axes[i] * x[i]) / support;
    b[i] = std::copysign(cone.axes[i] * (p == 2 ? share : std::pow(share, 1 / (p - 1))), x[i]);
  }
}

}  // namespace stiction
