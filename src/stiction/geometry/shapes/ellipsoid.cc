#include "stiction/geometry/shapes/ellipsoid.h"

#include <numbers>

#include "stiction/geometry/shapes/sphere.h"

namespace stiction::geometry {

ImplicitValue ellipsoid_surface(const PieceSurface& s, const Vector3& x) {
  const double scale = middle_radius(s.size);
  const Vector3 weight = scale * s.size.array().square().inverse();
  return {(x.dot(weight.cwiseProduct(x)) - scale) / 2, weight.cwiseProduct(x), Matrix3(weight.asDiagonal())};
}

MassProperties ShapeTraits<Ellipsoid>::mass_properties(const Ellipsoid& s) {
  const double volume = 4.0 / 3.0 * std::numbers::pi * s.radii.prod();
  return symmetric_solid(volume, volume / 5 * s.radii.cwiseAbs2());
}

CoreShape ShapeTraits<Ellipsoid>::core(const Ellipsoid& s) {
  if (s.radii.minCoeff() == s.radii.maxCoeff()) return ShapeTraits<Sphere>::core({s.radii.x()});
  CoreShape core;
  core.kind = CoreShape::Kind::ellipsoid;
  core.size = s.radii;
  core.radius = core.size.minCoeff() * (core.size.minCoeff() / core.size.maxCoeff());
  return core;
}

}  // namespace stiction::geometry
