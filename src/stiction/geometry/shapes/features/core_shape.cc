#include "stiction/geometry/shapes/features/core_shape.h"

#include <cmath>

#include "stiction/geometry/shapes/solids/hull_support.h"

namespace stiction::geometry {

Vector3 cone_point(double radius, double half_length, const Vector3& d) {
  const double radial = std::sqrt(d.x() * d.x() + d.y() * d.y());
  if (2 * half_length * d.z() >= radius * radial) return {0, 0, half_length};
  const double scale = radial > 0 ? radius / radial : 0;
  return {d.x() * scale, d.y() * scale, -half_length};
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
    case Kind::general:
      return general->support(shape, d);
  }
  return Vector3::Zero();
}

}  // namespace stiction::geometry
