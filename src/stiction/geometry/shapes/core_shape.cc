#include "stiction/geometry/shapes/core_shape.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/geometry/shapes/hull_support.h"
#include "stiction/geometry/shapes/implicit_support.h"
#include "stiction/geometry/shapes/superellipsoid.h"

namespace stiction::geometry {

CoreShape core_shape(const Shape& shape) {
  using Kind = CoreShape::Kind;
  CoreShape core;
  if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    core.radius = sphere->radius;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    core.kind = Kind::segment;
    core.size.z() = capsule->half_length;
    core.radius = capsule->radius;
  } else if (const auto* box = std::get_if<Box>(&shape)) {
    core.kind = Kind::box;
    core.size = box->half_size;
  } else if (const auto* cylinder = std::get_if<Cylinder>(&shape)) {
    core.kind = Kind::cylinder;
    core.size = {cylinder->radius, cylinder->radius, cylinder->half_length};
  } else if (const auto* ellipsoid = std::get_if<Ellipsoid>(&shape)) {
    if (ellipsoid->radii.minCoeff() == ellipsoid->radii.maxCoeff()) return core_shape(Sphere{ellipsoid->radii.x()});
    core.kind = Kind::ellipsoid;
    core.size = ellipsoid->radii;
    core.radius = core.size.minCoeff() * (core.size.minCoeff() / core.size.maxCoeff());
  } else if (const auto* convex = std::get_if<Convex>(&shape)) {
    core.kind = Kind::hull;
    core.hull = convex->hull.get();
  } else if (const auto* super = std::get_if<Superellipsoid>(&shape)) {
    if (super->p == 2 && super->q == 2) return core_shape(Ellipsoid{super->radii});
    core.kind = Kind::superellipsoid;
    core.size = super->radii;
    core.p = super->p;
    core.q = super->q;
  } else if (const auto* cone = std::get_if<Cone>(&shape)) {
    core.kind = Kind::cone;
    core.size = {cone->radius, cone->radius, cone->half_length};
  } else if (const auto* rounded = std::get_if<RoundedBox>(&shape)) {
    core.size = core_half_size(*rounded);
    if (core.size.maxCoeff() > 0) core.kind = Kind::box;
    core.radius = rounded->radius;
  } else if (const auto* implicit = std::get_if<Implicit>(&shape)) {
    core.kind = Kind::implicit;
    core.solid = implicit->solid.get();
  } else {
    STICTION_ASSERT(false, "a half-space has no core: planes have closed forms");
  }
  return core;
}

Vector3 CoreShape::support(const Vector3& d) const {
  switch (kind) {
    case Kind::point:
      return Vector3::Zero();
    case Kind::segment:
      return {0, 0, std::copysign(size.z(), d.z())};
    case Kind::box:
      return {std::copysign(size.x(), d.x()), std::copysign(size.y(), d.y()), std::copysign(size.z(), d.z())};
    case Kind::cylinder: {
      const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
      const double scale = radial > 0 ? size.x() / radial : 0;
      return {d.x() * scale, d.y() * scale, std::copysign(size.z(), d.z())};
    }
    case Kind::ellipsoid: {
      const Vector3 scaled = size.cwiseProduct(d);
      return size.cwiseProduct(scaled) / scaled.norm() - d * (radius / d.norm());
    }
    case Kind::hull:
      last_vertex = hull_support_vertex(*hull, d, last_vertex);
      return hull->vertices[last_vertex];
    case Kind::cone:
      return cone_point(size.x(), size.z(), d);
    case Kind::superellipsoid:
      return superellipsoid_support(size, p, q, d);
    case Kind::implicit:
      return implicit_support(*solid, d);
  }
  return Vector3::Zero();
}

}  // namespace stiction::geometry
