#include "stiction/geometry/shapes/capsule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stiction/geometry/shapes/cylinder.h"

namespace stiction::geometry {

ImplicitValue capsule_surface(const PieceSurface& s, const Vector3& x) {
  const double half_length = s.size.y();
  const double along = x.z() - std::clamp(x.z(), -half_length, half_length);
  return round_about({x.x(), x.y(), along}, {1, 1, std::abs(x.z()) > half_length ? 1.0 : 0.0}, s.size.x());
}

/// A cylinder and two half balls; a half ball's centre is 3r/8 above its flat side.
MassProperties ShapeTraits<Capsule>::mass_properties(const Capsule& s) {
  const MassProperties middle = ShapeTraits<Cylinder>::mass_properties({s.radius, s.half_length});
  const double r = s.radius;
  const double l = s.half_length;
  const double caps = 4.0 / 3.0 * std::numbers::pi * r * r * r;
  const double radial = middle.volume * r * r / 4 + caps * r * r / 5;
  const double axial = middle.volume * l * l / 3 + caps * (r * r / 5 + 2 * l * 3 * r / 8 + l * l);
  return symmetric_solid(middle.volume + caps, {radial, radial, axial});
}

CoreShape ShapeTraits<Capsule>::core(const Capsule& s) {
  CoreShape core;
  core.kind = CoreShape::Kind::segment;
  core.size.z() = s.half_length;
  core.radius = s.radius;
  return core;
}

bool ShapeTraits<Capsule>::in_bowl(const Capsule& s, const BowlCollector& bowl) {
  bowl.add({0, 0, -s.half_length}, s.radius, 0);
  if (s.half_length > 0) bowl.add({0, 0, s.half_length}, s.radius, 1);
  return true;
}

/// The end sphere, or the one that is nearest.
void ShapeTraits<Capsule>::fixed_part(const Capsule& s, const PieceSpot& at, Piece& piece) {
  const double z = at.point.z() - s.radius * at.outward.z();
  const double on_axis = std::clamp(z, -s.half_length, s.half_length);
  add(piece, ball(s.radius, on_axis * Vector3::UnitZ()));
}

}  // namespace stiction::geometry
