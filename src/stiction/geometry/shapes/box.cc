#include "stiction/geometry/shapes/box.h"

namespace stiction::geometry {

MassProperties ShapeTraits<Box>::mass_properties(const Box& s) {
  const double volume = 8 * s.half_size.prod();
  return symmetric_solid(volume, volume / 3 * s.half_size.cwiseAbs2());
}

CoreShape ShapeTraits<Box>::core(const Box& s) {
  CoreShape core;
  core.kind = CoreShape::Kind::box;
  core.size = s.half_size;
  return core;
}

bool ShapeTraits<Box>::face_normal(const Box&, const Matrix3& R, const Vector3& local, Vector3* normal) {
  const int k = aligned_axis(local);
  *normal = std::copysign(1.0, local[k]) * R.col(k);
  return true;
}

void ShapeTraits<Box>::whole(const Box& s, const PieceSpot&, Piece& piece) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      const Vector3 normal = side * Vector3::Unit(axis);
      add(piece, half_space(normal, s.half_size[axis] * normal));
    }
  }
}

}  // namespace stiction::geometry
