#include "stiction/geometry/closed_form.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stiction/math/rotation.h"

namespace stiction::geometry {
namespace {

Distance answer(const Vector3& point_A, const Vector3& normal, double gap) {
  Distance d;
  d.gap = gap;
  d.normal = normal;
  d.point_A = point_A;
  d.point_B = point_A + gap * normal;
  d.upper_bound = gap;
  return d;
}

/// The same pair seen with A and B exchanged; points stay relative to the old A's origin plus `shift`.
Distance exchanged(Distance d, const Vector3& shift) {
  std::swap(d.point_A, d.point_B);
  d.point_A += shift;
  d.point_B += shift;
  d.normal = -d.normal;
  return d;
}

/// The half-space A and a bounded shape B: the farthest point of B into the half-space.
Distance plane_any(const Plane& plane, const Placement& pair) {
  const Vector3 n = pair.R_WA * plane.normal;
  const Vector3 down = -(pair.R_WB.transpose() * n);
  const double gap = n.dot(pair.p_AB) - support_height(pair.B, down);
  const Vector3 point_B = pair.p_AB + pair.R_WB * support(pair.B, down);
  Distance d = answer(point_B - n * n.dot(point_B), n, gap);
  return d;
}

/// Two half-spaces meet everywhere unless they face away from each other.
Distance plane_plane(const Plane& a, const Plane& b, const Placement& pair) {
  const Vector3 n = pair.R_WA * a.normal;
  const Vector3 m = pair.R_WB * b.normal;
  const bool facing = n.dot(m) < 0 && n.cross(m).norm() <= 1e-15;
  Distance d = answer(Vector3::Zero(), n, 0);
  d.gap = facing ? n.dot(pair.p_AB) : -std::numeric_limits<double>::infinity();
  d.upper_bound = d.gap;
  d.lower_bound = d.gap;
  return d;
}

/// The middle line of a sphere (a point) or capsule in world axes, relative to A's origin.
struct Segment {
  Vector3 middle;
  Vector3 half;  ///< zero for a sphere
  double radius;
};

std::optional<Segment> middle_line(const Shape& shape, const Matrix3& R, const Vector3& p) {
  if (const auto* s = std::get_if<Sphere>(&shape)) return Segment{p, Vector3::Zero(), s->radius};
  if (const auto* c = std::get_if<Capsule>(&shape)) return Segment{p, c->half_length * R.col(2), c->radius};
  return std::nullopt;
}

/// Parameter in [-1, 1] of the segment's point nearest to q.
double nearest_parameter(const Segment& s, const Vector3& q) {
  const double length2 = s.half.squaredNorm();
  return length2 > 0 ? std::clamp(s.half.dot(q - s.middle) / length2, -1.0, 1.0) : 0;
}

/// Nearest parameters of two segments: the crossing of the lines if it is on both, otherwise the best of the four ends.
Vector2 nearest_parameters(const Segment& a, const Segment& b) {
  const auto distance2 = [&](const Vector2& t) {
    return (b.middle + t[1] * b.half - a.middle - t[0] * a.half).squaredNorm();
  };
  Vector2 best(0, nearest_parameter(b, a.middle));
  best[0] = nearest_parameter(a, b.middle + best[1] * b.half);
  const auto offer = [&](const Vector2& t) {
    if (distance2(t) < distance2(best)) best = t;
  };
  const Vector3 n = a.half.cross(b.half);
  const double n2 = n.squaredNorm();
  if (n2 > 1e-28 * a.half.squaredNorm() * b.half.squaredNorm()) {
    const Vector3 d = b.middle - a.middle;
    const Vector2 t(d.cross(b.half).dot(n) / n2, d.cross(a.half).dot(n) / n2);
    if (t.cwiseAbs().maxCoeff() <= 1) offer(t);
  }
  for (const double end : {-1.0, 1.0}) {
    offer({end, nearest_parameter(b, a.middle + end * a.half)});
    offer({nearest_parameter(a, b.middle + end * b.half), end});
  }
  return best;
}

Vector3 orthogonal(const Vector3& x, const Vector3& axis) {
  const double length2 = axis.squaredNorm();
  return length2 > 0 ? Vector3(x - axis * (x.dot(axis) / length2)) : x;
}

/// The direction among v and those orthogonal to one line or both that shows the largest separation.
Vector3 best_normal(const Segment& a, const Segment& b, const Vector3& v, const Placement& pair) {
  double best = -std::numeric_limits<double>::infinity();
  Vector3 n = Vector3::UnitZ();  // concentric spheres: every direction is as good
  const auto offer = [&](const Vector3& direction) {
    const double length = direction.norm();
    if (!(length > 0)) return;
    for (const double sign : {1.0, -1.0}) {
      const Vector3 unit = direction * (sign / length);
      const double separation = pair.separation(unit);
      if (separation > best) best = separation, n = unit;
    }
  };
  const Vector3 across = orthogonal(v, a.half);
  const Vector3 b_across = orthogonal(b.half, a.half);
  offer(v);
  offer(across);
  offer(orthogonal(v, b.half));
  offer(orthogonal(orthogonal(across, b_across), a.half));
  offer(a.half.cross(b_across));
  if (a.half.squaredNorm() > 0) offer(any_orthogonal(a.half.normalized()));
  if (b.half.squaredNorm() > 0) offer(any_orthogonal(b.half.normalized()));
  return n;
}

/// Spheres and capsules. When the middle lines (nearly) meet, the vector between them is not a direction: then the best
/// of the directions orthogonal to one line or to both.
Distance round_round(const Segment& a, const Segment& b, const Placement& pair) {
  const Vector2 t = nearest_parameters(a, b);
  const Vector3 on_a = a.middle + t[0] * a.half;
  const Vector3 v = b.middle + t[1] * b.half - on_a;
  const double distance = v.norm();
  const double reach = a.half.norm() + b.half.norm() + a.radius + b.radius;
  Vector3 n = distance > 0 ? Vector3(v / distance) : Vector3::UnitZ();
  if (distance < 1e-6 * reach || pair.separation(n) < distance - a.radius - b.radius - 1e-13 * reach) {
    n = best_normal(a, b, v, pair);
  }
  return answer(on_a + a.radius * n, n, distance - a.radius - b.radius);
}

Distance sphere_sphere(const Sphere& a, const Sphere& b, const Vector3& p_AB) {
  const double distance = p_AB.norm();
  const Vector3 n = distance > 0 ? Vector3(p_AB / distance) : Vector3::UnitZ();  // concentric: any direction
  return answer(a.radius * n, n, distance - a.radius - b.radius);
}

/// The sphere A and a shape B with a nearest-point formula.
template <class NearestPoint>
Distance sphere_any(const Sphere& sphere, const Placement& pair, const NearestPoint& nearest) {
  const SurfacePoint s = nearest(-(pair.R_WB.transpose() * pair.p_AB));
  const Vector3 n = -(pair.R_WB * s.normal);
  return answer(sphere.radius * n, n, s.distance - sphere.radius);
}

std::optional<Distance> sphere_first(const Placement& pair) {
  const auto* sphere = std::get_if<Sphere>(&pair.A);
  if (!sphere) return std::nullopt;
  if (const auto* box = std::get_if<Box>(&pair.B)) {
    return sphere_any(*sphere, pair, [&](const Vector3& q) { return nearest_on_box(*box, q); });
  }
  if (const auto* cylinder = std::get_if<Cylinder>(&pair.B)) {
    return sphere_any(*sphere, pair, [&](const Vector3& q) { return nearest_on_cylinder(*cylinder, q); });
  }
  if (const auto* rounded = std::get_if<RoundedBox>(&pair.B)) {
    return sphere_any(*sphere, pair, [&](const Vector3& q) { return nearest_on_rounded_box(*rounded, q); });
  }
  if (const auto* cone = std::get_if<Cone>(&pair.B)) {
    return sphere_any(*sphere, pair, [&](const Vector3& q) { return nearest_on_cone(*cone, q); });
  }
  if (const auto* ellipsoid = std::get_if<Ellipsoid>(&pair.B)) {
    return sphere_any(*sphere, pair, [&](const Vector3& q) { return nearest_on_ellipsoid(*ellipsoid, q); });
  }
  return std::nullopt;
}

}  // namespace

SurfacePoint nearest_on_box(const Box& box, const Vector3& q) {
  const Vector3 clamped = q.cwiseMin(box.half_size).cwiseMax(-box.half_size);
  const Vector3 outside = q - clamped;
  const double distance = outside.norm();
  if (distance > 0) return {clamped, outside / distance, distance};
  int axis = 0;
  const double depth = (box.half_size - q.cwiseAbs()).minCoeff(&axis);
  SurfacePoint s{q, Vector3::Unit(axis) * std::copysign(1.0, q[axis]), -depth};
  s.point[axis] = std::copysign(box.half_size[axis], q[axis]);
  return s;
}

SurfacePoint nearest_on_rounded_box(const RoundedBox& box, const Vector3& q) {
  SurfacePoint s = nearest_on_box(Box{core_half_size(box)}, q);
  s.point += box.radius * s.normal;
  s.distance -= box.radius;
  return s;
}

/// In the half-plane (rho, z) of q the cone is a triangle; its side runs from the rim (r, -l) to the apex (0, l).
SurfacePoint nearest_on_cone(const Cone& cone, const Vector3& q) {
  const double r = cone.radius;
  const double l = cone.half_length;
  const double rho = std::hypot(q.x(), q.y());
  const Vector3 u = rho > 0 ? Vector3(q.x() / rho, q.y() / rho, 0) : Vector3::UnitX();
  const auto lifted = [&](const Vector2& x) { return Vector3(x[0] * u.x(), x[0] * u.y(), x[1]); };
  const Vector2 at(rho, q.z());
  const Vector2 rim(r, -l);
  const Vector2 side = Vector2(-r, 2 * l) / std::hypot(r, 2 * l);
  const Vector2 outward(side[1], -side[0]);
  const double beside = outward.dot(at - rim);
  const double below = -l - q.z();
  const double along = side.dot(at - rim);
  if (beside <= 0 && below <= 0) {  // inside: the nearer of the two
    if (below >= beside) return {lifted({rho, -l}), -Vector3::UnitZ(), below};
    return {lifted(at - beside * outward), lifted(outward), beside};
  }
  if (below > 0 && rho <= r) return {lifted({rho, -l}), -Vector3::UnitZ(), below};
  const double length = std::hypot(r, 2 * l);
  if (along > 0 && along < length && beside > 0) return {lifted(at - beside * outward), lifted(outward), beside};
  const Vector2 corner = along <= 0 ? rim : Vector2(0, l);
  const Vector2 between = at - corner;
  const double distance = between.norm();
  if (!(distance > 0)) return {lifted(corner), lifted(outward), 0};
  return {lifted(corner), lifted(between / distance), distance};
}

SurfacePoint nearest_on_cylinder(const Cylinder& cylinder, const Vector3& q) {
  const double rho = std::hypot(q.x(), q.y());
  const Vector3 u = rho > 0 ? Vector3(q.x() / rho, q.y() / rho, 0) : Vector3::UnitX();
  const Vector3 up(0, 0, std::copysign(1.0, q.z()));
  const double beside = rho - cylinder.radius;
  const double above = std::abs(q.z()) - cylinder.half_length;
  if (beside <= 0 && above <= 0) {
    if (above >= beside) return {Vector3(q.x(), q.y(), up.z() * cylinder.half_length), up, above};
    return {cylinder.radius * u + Vector3(0, 0, q.z()), u, beside};
  }
  const Vector3 outside = std::max(beside, 0.0) * u + std::max(above, 0.0) * up;
  const double distance = outside.norm();
  return {q - outside, outside / distance, distance};
}

/// The nearest point x satisfies q - x = s D^-2 x with the largest root s of sum (e_i q_i / (s + e_i^2))^2 = 1. With t
/// = s/e_2^2 + 1 (e_2 the smallest radius) the sum falls and is convex for t > 0, so Newton from the left goes up to
/// the root monotonically.
SurfacePoint nearest_on_ellipsoid(const Ellipsoid& ellipsoid, const Vector3& q) {
  int k = 0;
  const double e2 = ellipsoid.radii.minCoeff(&k);
  const Vector3 e = ellipsoid.radii;
  const Vector3 y = q.cwiseAbs();
  const Vector3 ratio = (e / e2).cwiseAbs2();
  const Vector3 excess = (e.array() - e2) * (e.array() + e2) / (e2 * e2);  // ratio - 1, without cancellation
  const Vector3 z = y.cwiseQuotient(e);
  const auto term = [&](int i, double t) { return z[i] > 0 ? ratio[i] * z[i] / (t + excess[i]) : 0.0; };
  double t = 0;
  for (int i = 0; i < 3; ++i) t = std::max(t, ratio[i] * z[i] - excess[i]);
  for (int iteration = 0; iteration < 100; ++iteration) {
    double value = -1;
    double slope = 0;
    for (int i = 0; i < 3; ++i) {
      const double g = term(i, t);
      value += g * g;
      if (g > 0) slope -= 2 * g * g / (t + excess[i]);
    }
    const double next = slope < 0 ? t - value / slope : t;
    if (!(next > t * (1 + 1e-16))) break;
    t = next;
  }
  SurfacePoint s;
  Vector3 x = Vector3::Zero();
  for (int i = 0; i < 3; ++i) x[i] = z[i] > 0 ? ratio[i] * y[i] / (t + excess[i]) : 0.0;
  if (t == 0) {
    // On the middle plane and deep inside, the nearest point leaves the plane: the ellipsoid's equation gives x_k.
    x[k] = e2 * std::sqrt(std::max(0.0, 1 - x.cwiseQuotient(e).squaredNorm()));
  }
  Vector3 gradient = x.cwiseQuotient(e.cwiseAbs2());
  for (int i = 0; i < 3; ++i) {
    x[i] = std::copysign(x[i], q[i]);
    gradient[i] = std::copysign(gradient[i], q[i]);
  }
  s.point = x;
  s.normal = gradient.normalized();
  s.distance = std::copysign((q - x).norm(), (q - x).dot(s.normal));
  return s;
}

std::optional<Distance> closed_form(const Placement& pair) {
  const auto* ball_A = std::get_if<Sphere>(&pair.A);
  const auto* ball_B = std::get_if<Sphere>(&pair.B);
  if (ball_A && ball_B) return sphere_sphere(*ball_A, *ball_B, pair.p_AB);
  const auto* plane_A = std::get_if<Plane>(&pair.A);
  const auto* plane_B = std::get_if<Plane>(&pair.B);
  if (plane_A && plane_B) return plane_plane(*plane_A, *plane_B, pair);
  if (plane_A) return plane_any(*plane_A, pair);
  const Placement other{pair.B, pair.A, pair.R_WB, pair.R_WA, -pair.p_AB};
  if (plane_B) return exchanged(plane_any(*plane_B, other), pair.p_AB);
  const auto line_A = middle_line(pair.A, pair.R_WA, Vector3::Zero());
  const auto line_B = middle_line(pair.B, pair.R_WB, pair.p_AB);
  if (line_A && line_B) return round_round(*line_A, *line_B, pair);
  if (auto d = sphere_first(pair)) return d;
  if (auto d = sphere_first(other)) return exchanged(*d, pair.p_AB);
  return std::nullopt;
}

}  // namespace stiction::geometry
