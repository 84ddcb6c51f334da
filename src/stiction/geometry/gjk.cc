// The inner step finds the nearest point v of a simplex to the origin. The search direction is not -v itself: near
// contact v is mostly rounding. On a face it is the face's normal, on an edge v made orthogonal to the edge, both
// accurate for any |v|.
#include "stiction/geometry/gjk.h"

#include <array>
#include <cmath>
#include <limits>

namespace stiction::geometry {
namespace {

/// Up to four points with the weights of the nearest point to the origin.
struct Simplex {
  std::array<DifferencePoint, 4> points;
  std::array<double, 4> weights{};
  int count = 0;

  Vector3 blend(Vector3 DifferencePoint::*part) const {
    Vector3 sum = Vector3::Zero();
    for (int i = 0; i < count; ++i) sum += weights[i] * (points[i].*part);
    return sum;
  }
  bool holds(const Vector3& w) const {
    for (int i = 0; i < count; ++i) {
      if (points[i].w == w) return true;
    }
    return false;
  }
};

/// A candidate for the nearest sub-simplex: which points, with which weights, how far.
struct Nearest {
  std::array<int, 3> index{};
  std::array<double, 3> weights{};
  int count = 0;
  double squared_distance = std::numeric_limits<double>::infinity();
  Vector3 v = Vector3::Zero();
};

void keep_nearer(Nearest* best, const Nearest& other) {
  if (other.squared_distance < best->squared_distance) *best = other;
}

Nearest nearest_on_segment(const Simplex& s, int i, int j) {
  const Vector3& p = s.points[i].w;
  const Vector3 e = s.points[j].w - p;
  const double length2 = e.squaredNorm();
  const double t = length2 > 0 ? -p.dot(e) / length2 : 0;
  Nearest result;
  if (t <= 0 || t >= 1) {
    result.index = {t <= 0 ? i : j, 0, 0};
    result.weights = {1, 0, 0};
    result.count = 1;
    result.v = s.points[result.index[0]].w;
  } else {
    result.index = {i, j, 0};
    result.weights = {1 - t, t, 0};
    result.count = 2;
    result.v = p + t * e;
  }
  result.squared_distance = result.v.squaredNorm();
  return result;
}

Nearest nearest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vector3& a = s.points[i].w;
  const Vector3& b = s.points[j].w;
  const Vector3& c = s.points[k].w;
  const Vector3 ab = b - a;
  const Vector3 ac = c - a;
  const Vector3 n = ab.cross(ac);
  const double n2 = n.squaredNorm();
  Nearest best;
  if (n2 > 1e-30 * ab.squaredNorm() * ac.squaredNorm()) {
    const double u = n.dot(b.cross(c));
    const double v = n.dot(c.cross(a));
    const double w = n.dot(a.cross(b));
    if (u > 0 && v > 0 && w > 0) {
      const double sum = u + v + w;
      best.index = {i, j, k};
      best.weights = {u / sum, v / sum, w / sum};
      best.count = 3;
      best.v = n * (n.dot(a) / n2);
      best.squared_distance = best.v.squaredNorm();
      return best;
    }
    if (u <= 0) keep_nearer(&best, nearest_on_segment(s, j, k));
    if (v <= 0) keep_nearer(&best, nearest_on_segment(s, k, i));
    if (w <= 0) keep_nearer(&best, nearest_on_segment(s, i, j));
    return best;
  }
  keep_nearer(&best, nearest_on_segment(s, i, j));
  keep_nearer(&best, nearest_on_segment(s, j, k));
  keep_nearer(&best, nearest_on_segment(s, k, i));
  return best;
}

/// Count 0 when the origin is inside.
Nearest nearest_on_tetrahedron(const Simplex& s) {
  constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
  Nearest best;
  bool outside_any = false;
  for (const auto& f : faces) {
    const Vector3& a = s.points[f[0]].w;
    const Vector3 n = (s.points[f[1]].w - a).cross(s.points[f[2]].w - a);
    const double apex = n.dot(s.points[f[3]].w - a);
    const double origin = -n.dot(a);
    const bool outside = apex > 0 ? origin <= 0 : apex < 0 ? origin >= 0 : true;
    if (!outside) continue;
    outside_any = true;
    keep_nearer(&best, nearest_on_triangle(s, f[0], f[1], f[2]));
  }
  if (!outside_any) best.count = 0;
  return best;
}

Nearest nearest_on(const Simplex& s) {
  switch (s.count) {
    case 1: {
      Nearest result;
      result.weights[0] = 1;
      result.count = 1;
      result.v = s.points[0].w;
      result.squared_distance = result.v.squaredNorm();
      return result;
    }
    case 2:
      return nearest_on_segment(s, 0, 1);
    case 3:
      return nearest_on_triangle(s, 0, 1, 2);
    default:
      return nearest_on_tetrahedron(s);
  }
}

void reduce(Simplex* s, const Nearest& nearest) {
  const auto points = s->points;
  for (int k = 0; k < nearest.count; ++k) {
    s->points[k] = points[nearest.index[k]];
    s->weights[k] = nearest.weights[k];
  }
  s->count = nearest.count;
}

/// Unit direction from the nearest point towards the origin, accurate also when v is tiny.
Vector3 towards_origin(const Simplex& s, const Vector3& v) {
  Vector3 d = -v;
  if (s.count == 3) {
    d = (s.points[1].w - s.points[0].w).cross(s.points[2].w - s.points[0].w);
    if (d.dot(v) > 0) d = -d;
  } else if (s.count == 2) {
    const Vector3 e = (s.points[1].w - s.points[0].w).normalized();
    d += v.dot(e) * e;
    d -= d.dot(e) * e;
  }
  const double length = d.norm();
  return length > 0 ? Vector3(d / length) : Vector3(-v.normalized());
}

}  // namespace

CoreAnswer gjk(const CoreDifference& difference, double tolerance, int max_iterations, double stop_above) {
  const double touching = 1e-10 * difference.size;  // below this v is not a direction: EPA's face normals are
  CoreAnswer answer;
  answer.lower = -std::numeric_limits<double>::infinity();
  Vector3 d = difference.X_AB.p;
  if (d.squaredNorm() == 0) d = Vector3::UnitX();
  Simplex simplex;
  simplex.points[0] = difference.support(d);
  simplex.weights[0] = 1;
  simplex.count = 1;
  Vector3 v = simplex.points[0].w;
  for (answer.iterations = 1; answer.iterations <= max_iterations; ++answer.iterations) {
    const double upper = v.norm();
    if (upper <= touching) {
      answer.overlapping = true;
      break;
    }
    d = towards_origin(simplex, v);
    const DifferencePoint w = difference.support(d);
    const double lower = -d.dot(w.w);
    if (lower > answer.lower) answer.lower = lower, answer.normal = d;
    if (upper - answer.lower <= tolerance || answer.lower > stop_above || simplex.holds(w.w)) break;
    Simplex larger = simplex;
    larger.points[larger.count++] = w;
    const Nearest nearest = nearest_on(larger);
    if (nearest.count == 0) {
      answer.overlapping = true;
      break;
    }
    if (nearest.squared_distance >= upper * upper) break;
    reduce(&larger, nearest);
    simplex = larger;
    v = nearest.v;
  }
  answer.upper = v.norm();
  answer.a = simplex.blend(&DifferencePoint::a);
  answer.b = simplex.blend(&DifferencePoint::b);
  return answer;
}

}  // namespace stiction::geometry
