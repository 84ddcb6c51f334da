#include "stiction/geometry/shapes/sphere.h"

#include <numbers>

namespace stiction::geometry {

MassProperties ShapeTraits<Sphere>::mass_properties(const Sphere& s) {
  const double volume = 4.0 / 3.0 * std::numbers::pi * s.radius * s.radius * s.radius;
  return symmetric_solid(volume, Vector3::Constant(volume * s.radius * s.radius / 5));
}

CoreShape ShapeTraits<Sphere>::core(const Sphere& s) {
  CoreShape core;
  core.radius = s.radius;
  return core;
}

}  // namespace stiction::geometry
