// Every number that leaves this file is computed by the expressions of closed_form.cc, box_box.cc and manifold.cc, in
// their order. Tests that only turn a pair away may use others, with a tolerance that is far above rounding.
#include "stiction/geometry/simple_pairs.h"

#include <cmath>

#include "stiction/geometry/box_box.h"
#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/contact_points.h"
#include "stiction/geometry/manifold_internal.h"

namespace stiction::geometry {
namespace {

using Kind = SimpleShape::Kind;

// Of the size: pairs that are farther apart than the margin by more than this need no second look.
constexpr double clearly = 1e-6;

struct SimplePair {
  const SimpleShape& A;
  const SimpleShape& B;
  const Matrix3& R_WA;
  const Matrix3& R_WB;
  const Vector3& origin;  // A's
  Vector3 p_AB;
  double margin;

  double radius_A() const { return A.numbers.x(); }
  double radius_B() const { return B.numbers.x(); }
  double size() const { return std::max(A.size, B.size); }
};

double sphere_height(double radius, const Vector3& d) {
  return radius * d.norm();
}

double box_height(const Vector3& half_size, const Vector3& d) {
  return half_size.dot(d.cwiseAbs());
}

// One point at most: the gap is that of Placement::separation().
void set_point(const SimplePair& pair, const Vector3& point_A, const Vector3& normal, double gap, Manifold& result) {
  result.count = 0;
  if (!(gap < pair.margin)) return;
  result.normal = normal;
  const Vector3 point_B = point_A + gap * normal;
  result.points[0] = {point_A + pair.origin, point_B + pair.origin, gap, 0, Vector3::Zero()};
  result.count = 1;
}

void sphere_sphere(const SimplePair& pair, Manifold& result) {
  const double square = pair.p_AB.squaredNorm();
  const double reach = pair.radius_A() + pair.radius_B() + pair.margin + clearly * pair.size();
  result.count = 0;
  if (reach > 0 && square > reach * reach) return;
  const double distance = std::sqrt(square);
  const Vector3 n = distance > 0 ? Vector3(pair.p_AB / distance) : Vector3::UnitZ();
  const double gap = n.dot(pair.p_AB) - sphere_height(pair.radius_A(), pair.R_WA.transpose() * n) -
                     sphere_height(pair.radius_B(), -(pair.R_WB.transpose() * n));
  set_point(pair, pair.radius_A() * n, n, gap, result);
}

// Is a sphere about q, in the box's frame, farther away than `reach`?
bool clearly_outside(const Vector3& half_size, const Vector3& q, double reach) {
  const Vector3 outside = (q.cwiseAbs() - half_size).cwiseMax(0.0);
  return reach > 0 && outside.squaredNorm() > reach * reach;
}

void sphere_box(const SimplePair& pair, Manifold& result) {
  const Vector3 q = -(pair.R_WB.transpose() * pair.p_AB);
  result.count = 0;
  if (clearly_outside(pair.B.numbers, q, pair.radius_A() + pair.margin + clearly * pair.size())) return;
  const SurfacePoint s = nearest_on_box(Box{pair.B.numbers}, q);
  const Vector3 n = -(pair.R_WB * s.normal);
  const double gap = n.dot(pair.p_AB) - sphere_height(pair.radius_A(), pair.R_WA.transpose() * n) -
                     box_height(pair.B.numbers, -(pair.R_WB.transpose() * n));
  set_point(pair, pair.radius_A() * n, n, gap, result);
}

void box_sphere(const SimplePair& pair, Manifold& result) {
  const Vector3 p_BA = -pair.p_AB;
  const Vector3 q = -(pair.R_WA.transpose() * p_BA);
  result.count = 0;
  if (clearly_outside(pair.A.numbers, q, pair.radius_B() + pair.margin + clearly * pair.size())) return;
  const SurfacePoint s = nearest_on_box(Box{pair.A.numbers}, q);
  const Vector3 from_B = -(pair.R_WA * s.normal);
  const Vector3 on_B = pair.radius_B() * from_B;
  const Vector3 on_A = on_B + (s.distance - pair.radius_B()) * from_B;
  const Vector3 n = -from_B;
  const double gap = n.dot(pair.p_AB) - box_height(pair.A.numbers, pair.R_WA.transpose() * n) -
                     sphere_height(pair.radius_B(), -(pair.R_WB.transpose() * n));
  set_point(pair, on_A + pair.p_AB, n, gap, result);
}

// The half-space A.
void plane_sphere(const SimplePair& pair, Manifold& result) {
  result.count = 0;
  result.normal = pair.R_WA * pair.A.numbers;
  const Vector3& n = result.normal;
  const Vector3 down = -(pair.R_WB.transpose() * n);
  const double length = down.norm();
  const double gap = n.dot(pair.p_AB) - pair.radius_B() * length;
  if (!(gap < pair.margin)) return;
  const Vector3 x = pair.p_AB + pair.R_WB * Vector3(down * (pair.radius_B() / length));
  result.points[0] = {Vector3(x - gap * n) + pair.origin, x + pair.origin, gap, 0, Vector3::Zero()};
  result.count = 1;
}

// The half-space A: corners on a face that looks down at it.
void plane_box(const SimplePair& pair, Manifold& result) {
  constexpr double facing = 1e-9;
  result.count = 0;
  result.normal = pair.R_WA * pair.A.numbers;
  const Vector3& n = result.normal;
  const Vector3 down = -(pair.R_WB.transpose() * n);
  const Vector3& half_size = pair.B.numbers;
  if (n.dot(pair.p_AB) - box_height(half_size, down) > pair.margin + clearly * pair.B.size) return;
  for (int corner = 0; corner < 8; ++corner) {
    const Vector3 sign(corner & 1 ? 1.0 : -1.0, corner & 2 ? 1.0 : -1.0, corner & 4 ? 1.0 : -1.0);
    const Vector3 along = sign.cwiseProduct(down);
    if (!(along[0] > facing || along[1] > facing || along[2] > facing)) continue;
    // The product with nothing is that of corners without a ball about them: it settles the signs of zeros.
    const Vector3 x = pair.p_AB + pair.R_WB * sign.cwiseProduct(half_size) - 0.0 * n;
    const double gap = n.dot(x);
    if (!(gap < pair.margin)) continue;
    result.points[result.count++] = {Vector3(x - gap * n) + pair.origin, x + pair.origin, gap,
                                     static_cast<std::uint32_t>(corner), Vector3::Zero()};
  }
}

// By separating axes and the corners of two faces; false where they do not prove the nearest points.
bool box_box(const SimplePair& pair, Manifold& result) {
  const Box A{pair.A.numbers}, B{pair.B.numbers};
  const double size = pair.size();
  result.count = 0;
  const BoxAxis axis = box_box_axis(A, B, pair.R_WA, pair.R_WB, pair.p_AB, size, pair.margin);
  if (axis.separation > pair.margin + clearly * size) return true;
  if (axis.separation > pair.margin) return false;
  ContactCandidates list;
  SupportFeature feature_A, feature_B;
  const Vector3& n = axis.normal;
  const Vector3 back = -n;
  const Vector3 zero = Vector3::Zero();
  box_face(A.half_size, {pair.R_WA, zero, n, pair.R_WA.transpose() * n}, zero, &feature_A);
  box_face(B.half_size, {pair.R_WB, pair.p_AB, back, pair.R_WB.transpose() * back}, pair.p_AB, &feature_B);
  contact_candidates(feature_A, feature_B, n, size, &list);
  if (list.count == 0 || list.deepest() > axis.separation + 1e-11 * size) return false;
  const double gap = n.dot(pair.p_AB) - box_height(A.half_size, pair.R_WA.transpose() * n) -
                     box_height(B.half_size, -(pair.R_WB.transpose() * n));
  // The nearest points would be one more candidate.
  if (list.deepest() > gap + 1e-9 * size) return false;
  if (!(gap < pair.margin)) return true;
  result.normal = n;
  finish_manifold(pair.origin, pair.margin, &list, &result);
  return true;
}

// A thin core has both its sides at one place: see add_box_corners().
bool is_solid(const Vector3& half_size) {
  return half_size.minCoeff() > 1e-9 * half_size.maxCoeff();
}

constexpr int code(Kind A, Kind B) {
  return 4 * static_cast<int>(A) + static_cast<int>(B);
}

// Half-spaces come first.
bool dispatch(const SimplePair& pair, Manifold& result) {
  switch (code(pair.A.kind, pair.B.kind)) {
    case code(Kind::sphere, Kind::sphere):
      return sphere_sphere(pair, result), true;
    case code(Kind::sphere, Kind::box):
      return sphere_box(pair, result), true;
    case code(Kind::box, Kind::sphere):
      return box_sphere(pair, result), true;
    case code(Kind::box, Kind::box):
      return box_box(pair, result);
    case code(Kind::plane, Kind::sphere):
      return plane_sphere(pair, result), true;
    case code(Kind::plane, Kind::box):
      return plane_box(pair, result), true;
    default:
      return false;
  }
}

}  // namespace

SimpleShape simple_shape(const Shape& shape) {
  SimpleShape simple = {.size = shape_size(shape)};
  if (const auto* plane = std::get_if<Plane>(&shape)) {
    simple.kind = Kind::plane;
    simple.numbers = plane->normal;
  } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    simple.kind = Kind::sphere;
    simple.numbers = Vector3(sphere->radius, 0, 0);
  } else if (const auto* box = std::get_if<Box>(&shape); box && is_solid(box->half_size)) {
    simple.kind = Kind::box;
    simple.numbers = box->half_size;
  }
  return simple;
}

bool simple_bounding_box(const SimpleShape& shape, const Pose& X_WS, Aabb& box) {
  if (shape.kind != Kind::sphere && shape.kind != Kind::box) return false;
  for (int k = 0; k < 3; ++k) {
    const Vector3 axis = X_WS.R.row(k).transpose();
    const double height =
        shape.kind == Kind::sphere ? sphere_height(shape.numbers.x(), axis) : box_height(shape.numbers, axis);
    box.upper[k] = X_WS.p[k] + height;
    box.lower[k] = X_WS.p[k] - height;
  }
  return true;
}

bool simple_manifold(const SimpleShape& A, const Pose& X_WA, const SimpleShape& B, const Pose& X_WB, double margin,
                     Manifold& result) {
  const Vector3 p_AB = X_WB.p - X_WA.p;
  if (B.kind != Kind::plane) return dispatch({A, B, X_WA.R, X_WB.R, X_WA.p, p_AB, margin}, result);
  if (!dispatch({B, A, X_WB.R, X_WA.R, X_WB.p, -p_AB, margin}, result)) return false;
  exchange(&result);
  return true;
}

}  // namespace stiction::geometry
