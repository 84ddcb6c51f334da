#include "stiction/geometry/shapes/bowl.h"

#include "stiction/base/assert.h"

namespace stiction::geometry {

ImplicitValue bowl_surface(const PieceSurface& s, const Vector3& x) {
  const double r = s.size.x();
  return {(r * r - x.squaredNorm()) / (2 * r), -x / r, -Matrix3::Identity() / r};
}

Vector3 ShapeTraits<Bowl>::support(const Bowl&, const Vector3&) {
  STICTION_ASSERT(false, "a bowl has no farthest point");
  return Vector3::Zero();
}

CoreShape ShapeTraits<Bowl>::core(const Bowl&) {
  STICTION_ASSERT(false, "a bowl has no core: its points are found as local maxima");
  return {};
}

void ShapeTraits<Bowl>::whole(const Bowl& s, const PieceSpot&, Piece& piece) {
  PieceSurface surface = curved(bowl_surface, {s.radius, 0, 0});
  surface.concave = true;
  add(piece, surface);
}

}  // namespace stiction::geometry
