#include "stiction/geometry/shapes/plane.h"

#include "stiction/base/assert.h"

namespace stiction::geometry {

Vector3 ShapeTraits<Plane>::support(const Plane&, const Vector3&) {
  STICTION_ASSERT(false, "a half-space has no farthest point");
  return Vector3::Zero();
}

CoreShape ShapeTraits<Plane>::core(const Plane&) {
  STICTION_ASSERT(false, "a half-space has no core: planes have closed forms");
  return {};
}

/// A half-space with an axis-aligned normal is bounded on one side; any other is everywhere.
Aabb ShapeTraits<Plane>::bounding_box(const Plane& s, const Pose& X_WS) {
  Aabb box{Vector3::Constant(-infinity), Vector3::Constant(infinity)};
  const Vector3 n = X_WS.R * s.normal;
  for (int k = 0; k < 3; ++k) {
    if (n[(k + 1) % 3] != 0 || n[(k + 2) % 3] != 0) continue;
    (n[k] > 0 ? box.upper : box.lower)[k] = X_WS.p[k];
  }
  return box;
}

}  // namespace stiction::geometry
