#include "stiction/geometry/shapes/cylinder.h"

#include <cmath>
#include <numbers>

namespace stiction::geometry {

ImplicitValue cylinder_side(const PieceSurface& s, const Vector3& x) {
  return round_about({x.x(), x.y(), 0}, {1, 1, 0}, s.size.x());
}

MassProperties ShapeTraits<Cylinder>::mass_properties(const Cylinder& s) {
  const double r2 = s.radius * s.radius;
  const double volume = 2 * std::numbers::pi * r2 * s.half_length;
  return symmetric_solid(volume, volume * Vector3(r2 / 4, r2 / 4, s.half_length * s.half_length / 3));
}

CoreShape ShapeTraits<Cylinder>::core(const Cylinder& s) {
  CoreShape core;
  core.kind = CoreShape::Kind::cylinder;
  core.size = {s.radius, s.radius, s.half_length};
  return core;
}

void ShapeTraits<Cylinder>::feature(const Cylinder& s, const FeatureView& view, SupportFeature* feature) {
  // Tilted more than 45 degrees from standing it touches with its side, otherwise with a cap.
  constexpr double cap_cosine = 0.70710678118654752;
  if (std::abs(view.local.z()) >= cap_cosine) return disc_face(s.radius, s.half_length, view, feature);
  const Vector3 radial = (view.d - view.local.z() * view.R.col(2)).normalized();
  side_line(s.radius, s.half_length, radial, view, feature);
}

bool ShapeTraits<Cylinder>::in_bowl(const Cylinder& s, const BowlCollector& bowl) {
  add_rim(s.radius, -s.half_length, 0, bowl);
  add_rim(s.radius, s.half_length, 8, bowl);
  return true;
}

void ShapeTraits<Cylinder>::whole(const Cylinder& s, const PieceSpot&, Piece& piece) {
  add(piece, curved(cylinder_side, {s.radius, s.half_length, 0}));
  add_cap(-s.half_length, -1, false, piece);
  add_cap(s.half_length, 1, false, piece);
}

}  // namespace stiction::geometry
