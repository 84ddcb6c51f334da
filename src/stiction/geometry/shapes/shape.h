// Shapes as plain data: a closed variant, one struct a shape, each convex (but for the bowl, whose complement is) and
// given in its own frame (SI units).
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "stiction/geometry/shapes/implicit_function.h"
#include "stiction/math/types.h"

namespace stiction::geometry {

/// The half-space { x : normal . x <= 0 } in the shape's frame; `normal` is a unit vector.
struct Plane {
  Vector3 normal = Vector3::UnitZ();
};

/// A ball about the frame's origin.
struct Sphere {
  double radius = 0;
};

/// A box about the frame's origin.
struct Box {
  Vector3 half_size = Vector3::Zero();
};

/// All points within `radius` of the segment from -half_length to +half_length on the frame's z axis.
struct Capsule {
  double radius = 0;
  double half_length = 0;
};

/// A solid cylinder about the frame's z axis from -half_length to +half_length.
struct Cylinder {
  double radius = 0;
  double half_length = 0;
};

/// x^2/a^2 + y^2/b^2 + z^2/c^2 <= 1 with radii (a, b, c).
struct Ellipsoid {
  Vector3 radii = Vector3::Zero();
};

/// (|x/a|^p + |y/b|^p)^(q/p) + |z/c|^q <= 1 with radii (a, b, c), exponents (p, q), each from 2 (an ellipse) up: boxes
/// with smooth edges.
struct Superellipsoid {
  Vector3 radii = Vector3::Zero();
  double p = 2;
  double q = 2;
};

/// A solid cone about the frame's z axis: base of `radius` at -half_length, apex at +half_length.
struct Cone {
  double radius = 0;
  double half_length = 0;
};

/// A box about the frame's origin, edges and corners rounded to `radius`; half_size is that of the whole.
struct RoundedBox {
  Vector3 half_size = Vector3::Zero();
  double radius = 0;
};

/// Where all of several smooth convex functions are <= 0; shared and never changes.
struct Implicit {
  std::shared_ptr<const ImplicitSolid> solid;
};

/// The solid outside a ball, { x : |x| >= radius }: a hollow sphere for bodies inside it.
struct Bowl {
  double radius = 0;
};

/// Most corners of one face of a convex polytope: contact manifolds clip faces in memory of fixed size.
inline constexpr int max_face_corners = 64;

/// A convex polytope with its faces (vertex indices, counter-clockwise from outside, coplanar triangles merged).
struct ConvexHull {
  std::vector<Vector3> vertices;
  std::vector<std::vector<int>> faces;
  std::vector<Vector3> face_normals;         ///< unit, outward, one a face
  std::vector<std::vector<int>> neighbours;  ///< vertices joined to a vertex by an edge
  double size = 0;                           ///< diagonal of the bounding box, kept by convex_hull(); 0 when not known
};

/// A convex polytope; the hull is shared and never changes.
struct Convex {
  std::shared_ptr<const ConvexHull> hull;
};

using Shape = std::variant<Plane, Sphere, Box, Capsule, Cylinder, Ellipsoid, Convex, Superellipsoid, Cone, RoundedBox,
                           Implicit, Bowl>;

/// Planes and bowls: they reach everywhere, have no volume and meet bounded shapes only.
inline bool is_unbounded(const Shape& shape) {
  return std::holds_alternative<Plane>(shape) || std::holds_alternative<Bowl>(shape);
}

/// "sphere", "box", ...: the name used in scene files.
std::string_view shape_name(const Shape& shape);

/// Radius of a ball about the shape's origin that holds the shape; infinity for a plane or a bowl.
double bounding_radius(const Shape& shape);

/// A length that tolerances are relative to: the diameter of the shape's bounding box; 1 for a plane, that of
/// its hollow for a bowl.
double shape_size(const Shape& shape);

/// Volume, centre of mass and inertia of a solid of density one.
struct MassProperties {
  double volume = 0;
  Vector3 center = Vector3::Zero();   ///< in the shape's frame
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre, in the shape's axes, for density 1 kg/m^3
};

/// Mass properties of the shape; volume 0 for a plane or a bowl.
MassProperties mass_properties(const Shape& shape);

/// Farthest point of a bounded shape along `direction` (any length but zero), both in the shape's frame.
Vector3 support(const Shape& shape, const Vector3& direction);

/// Largest value of direction . x over the shape, direction of any length, in the shape's frame; infinity for a
/// bowl, and for a half-space unless the direction is its normal.
double support_height(const Shape& shape, const Vector3& direction);

/// Apex or rim: the farthest point along d of the cone with this base radius about the z axis.
Vector3 cone_point(double radius, double half_length, const Vector3& d);

/// Half sizes of the box that a ball of the radius sweeps to make the rounded box.
inline Vector3 core_half_size(const RoundedBox& box) {
  return (box.half_size.array() - box.radius).max(0.0);
}

/// Axis-aligned box in world axes.
struct Aabb {
  Vector3 lower = Vector3::Zero();
  Vector3 upper = Vector3::Zero();
};

/// World box of a shape at pose X_WS; infinite where a half-space or a bowl is.
Aabb bounding_box(const Shape& shape, const Pose& X_WS);

}  // namespace stiction::geometry
