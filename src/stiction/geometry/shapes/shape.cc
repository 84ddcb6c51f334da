// Names, sizes, support maps and bounding boxes of the shapes.
#include "stiction/geometry/shapes/shape.h"

#include <cmath>
#include <limits>

#include "stiction/base/assert.h"
#include "stiction/geometry/shapes/hull_support.h"
#include "stiction/geometry/shapes/implicit_support.h"
#include "stiction/geometry/shapes/superellipsoid.h"

namespace stiction::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

/// +half or -half on each axis, + where the direction is zero.
Vector3 box_vertex(const Vector3& half_size, const Vector3& d) {
  return {d.x() < 0 ? -half_size.x() : half_size.x(), d.y() < 0 ? -half_size.y() : half_size.y(),
          d.z() < 0 ? -half_size.z() : half_size.z()};
}

Vector3 cylinder_point(const Cylinder& cylinder, const Vector3& d) {
  const double radial = std::hypot(d.x(), d.y());
  const double scale = radial > 0 ? cylinder.radius / radial : 0;
  return {d.x() * scale, d.y() * scale, std::copysign(cylinder.half_length, d.z())};
}

Vector3 hull_half_extent(const ConvexHull& hull, Vector3* middle) {
  Vector3 lower = hull.vertices.front();
  Vector3 upper = lower;
  for (const Vector3& vertex : hull.vertices) {
    lower = lower.cwiseMin(vertex);
    upper = upper.cwiseMax(vertex);
  }
  if (middle) *middle = 0.5 * (lower + upper);
  return 0.5 * (upper - lower);
}

}  // namespace

Vector3 cone_point(double radius, double half_length, const Vector3& d) {
  const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
  if (2 * half_length * d.z() >= radius * radial) return {0, 0, half_length};
  const double scale = radial > 0 ? radius / radial : 0;
  return {d.x() * scale, d.y() * scale, -half_length};
}

std::string_view shape_name(const Shape& shape) {
  constexpr std::string_view names[] = {"plane",  "sphere",         "box",  "capsule",     "cylinder", "ellipsoid",
                                        "convex", "superellipsoid", "cone", "rounded-box", "implicit", "bowl"};
  static_assert(std::size(names) == std::variant_size_v<Shape>);
  return names[shape.index()];
}

double bounding_radius(const Shape& shape) {
  return std::visit(Overload{[](const Plane&) { return infinity; }, [](const Sphere& s) { return s.radius; },
                             [](const Box& s) { return s.half_size.norm(); },
                             [](const Capsule& s) { return s.radius + s.half_length; },
                             [](const Cylinder& s) { return std::hypot(s.radius, s.half_length); },
                             [](const Ellipsoid& s) { return s.radii.maxCoeff(); },
                             [](const Convex& s) {
                               double radius = 0;
                               for (const Vector3& v : s.hull->vertices) radius = std::max(radius, v.norm());
                               return radius;
                             },
                             [](const Superellipsoid& s) { return superellipsoid_reach(s); },
                             [](const Cone& s) { return std::hypot(s.radius, s.half_length); },
                             [](const RoundedBox& s) { return core_half_size(s).norm() + s.radius; },
                             [](const Implicit& s) { return s.solid->reach; }, [](const Bowl&) { return infinity; }},
                    shape);
}

double shape_size(const Shape& shape) {
  const auto size = [](double x, double y, double z) { return 2 * std::sqrt(x * x + y * y + z * z); };
  return std::visit(
      Overload{[](const Plane&) { return 1.0; }, [&](const Sphere& s) { return size(s.radius, s.radius, s.radius); },
               [](const Box& s) { return 2 * s.half_size.norm(); },
               [&](const Capsule& s) { return size(s.radius, s.radius, s.half_length + s.radius); },
               [&](const Cylinder& s) { return size(s.radius, s.radius, s.half_length); },
               [](const Ellipsoid& s) { return 2 * s.radii.norm(); },
               [](const Convex& s) {
                 return s.hull->size > 0 ? s.hull->size : 2 * hull_half_extent(*s.hull, nullptr).norm();
               },
               [](const Superellipsoid& s) { return 2 * s.radii.norm(); },
               [&](const Cone& s) { return size(s.radius, s.radius, s.half_length); },
               [](const RoundedBox& s) { return 2 * s.half_size.norm(); },
               [](const Implicit& s) { return (s.solid->upper - s.solid->lower).norm(); },
               [&](const Bowl& s) { return size(s.radius, s.radius, s.radius); }},
      shape);
}

Vector3 support(const Shape& shape, const Vector3& d) {
  return std::visit(
      Overload{
          [](const Plane&) -> Vector3 {
            STICTION_ASSERT(false, "a half-space has no farthest point");
            return Vector3::Zero();
          },
          [&](const Sphere& s) -> Vector3 { return d * (s.radius / d.norm()); },
          [&](const Box& s) { return box_vertex(s.half_size, d); },
          [&](const Capsule& s) -> Vector3 {
            return d * (s.radius / d.norm()) + Vector3(0, 0, std::copysign(s.half_length, d.z()));
          },
          [&](const Cylinder& s) { return cylinder_point(s, d); },
          [&](const Ellipsoid& s) -> Vector3 {
            const Vector3 scaled = s.radii.cwiseProduct(d);
            return s.radii.cwiseProduct(scaled) / scaled.norm();
          },
          [&](const Convex& s) -> Vector3 { return s.hull->vertices[hull_support_vertex(*s.hull, d, 0)]; },
          [&](const Superellipsoid& s) { return superellipsoid_support(s.radii, s.p, s.q, d); },
          [&](const Cone& s) { return cone_point(s.radius, s.half_length, d); },
          [&](const RoundedBox& s) -> Vector3 { return box_vertex(core_half_size(s), d) + d * (s.radius / d.norm()); },
          [&](const Implicit& s) { return implicit_support(*s.solid, d); },
          [](const Bowl&) -> Vector3 {
            STICTION_ASSERT(false, "a bowl has no farthest point");
            return Vector3::Zero();
          }},
      shape);
}

double support_height(const Shape& shape, const Vector3& d) {
  return std::visit(
      Overload{[&](const Plane& s) {
                 return s.normal.cross(d).norm() <= 1e-15 * d.norm() && s.normal.dot(d) > 0 ? 0.0 : infinity;
               },
               [&](const Sphere& s) { return s.radius * d.norm(); },
               [&](const Box& s) { return s.half_size.dot(d.cwiseAbs()); },
               [&](const Capsule& s) { return s.radius * d.norm() + s.half_length * std::abs(d.z()); },
               [&](const Cylinder& s) {
                 return s.radius * std::sqrt(d.x() * d.x() + d.y() * d.y()) + s.half_length * std::abs(d.z());
               },
               [&](const Ellipsoid& s) { return s.radii.cwiseProduct(d).norm(); },
               [&](const Convex& s) { return s.hull->vertices[hull_support_vertex(*s.hull, d, 0)].dot(d); },
               [&](const Superellipsoid& s) { return superellipsoid_height(s.radii, s.p, s.q, d); },
               [&](const Cone& s) {
                 const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
                 return std::max(s.half_length * d.z(), s.radius * radial - s.half_length * d.z());
               },
               [&](const RoundedBox& s) { return core_half_size(s).dot(d.cwiseAbs()) + s.radius * d.norm(); },
               [&](const Implicit& s) { return implicit_support(*s.solid, d).dot(d); },
               [](const Bowl&) { return infinity; }},
      shape);
}

Aabb bounding_box(const Shape& shape, const Pose& X_WS) {
  if (std::holds_alternative<Bowl>(shape)) return {Vector3::Constant(-infinity), Vector3::Constant(infinity)};
  if (const auto* plane = std::get_if<Plane>(&shape)) {
    // A half-space with an axis-aligned normal is bounded on one side; any other is everywhere.
    Aabb box{Vector3::Constant(-infinity), Vector3::Constant(infinity)};
    const Vector3 n = X_WS.R * plane->normal;
    for (int k = 0; k < 3; ++k) {
      if (n[(k + 1) % 3] != 0 || n[(k + 2) % 3] != 0) continue;
      (n[k] > 0 ? box.upper : box.lower)[k] = X_WS.p[k];
    }
    return box;
  }
  Aabb box;
  for (int k = 0; k < 3; ++k) {
    const Vector3 axis = X_WS.R.row(k).transpose();
    box.upper[k] = X_WS.p[k] + support_height(shape, axis);
    box.lower[k] = X_WS.p[k] - support_height(shape, -axis);
  }
  return box;
}

}  // namespace stiction::geometry
