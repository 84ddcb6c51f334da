#include "stiction/geometry/shapes/cone.h"

#include <cmath>
#include <numbers>

namespace stiction::geometry {

namespace {

bool at_apex(const Cone& cone, const Vector3& point) {
  constexpr double near = 1e-6;
  return (point - cone.half_length * Vector3::UnitZ()).norm() <= near * (cone.radius + cone.half_length);
}

}  // namespace

/// cos(w) rho - sin(w) (l - z), with w the half angle and rho the distance from the axis: the distance from the side.
/// rho is sqrt(x^2 + y^2 + e^2), e so small that it is felt only where the apex is within rounding's square root.
ImplicitValue cone_side(const PieceSurface& s, const Vector3& x) {
  const double radius = s.size.x();
  const double half_length = s.size.y();
  const double slant = std::hypot(radius, 2 * half_length);
  const double cosine = 2 * half_length / slant;
  const double sine = radius / slant;
  const double rho = std::hypot(std::hypot(x.x(), x.y()), 1e-7 * radius);
  const Vector3 out(x.x() / rho, x.y() / rho, 0);
  ImplicitValue f;
  f.value = cosine * rho - sine * (half_length - x.z());
  f.gradient = cosine * out + sine * Vector3::UnitZ();
  f.hessian = (cosine / rho) * (Matrix3(Vector3(1, 1, 0).asDiagonal()) - out * out.transpose());
  return f;
}

/// The centre is a quarter of the height above the base.
MassProperties ShapeTraits<Cone>::mass_properties(const Cone& s) {
  const double r2 = s.radius * s.radius;
  const double height = 2 * s.half_length;
  const double volume = std::numbers::pi / 3 * r2 * height;
  MassProperties m = symmetric_solid(volume, volume * Vector3(0.15 * r2, 0.15 * r2, 0.0375 * height * height));
  m.center.z() = -0.5 * s.half_length;
  return m;
}

CoreShape ShapeTraits<Cone>::core(const Cone& s) {
  CoreShape core;
  core.kind = CoreShape::Kind::cone;
  core.size = {s.radius, s.radius, s.half_length};
  return core;
}

void ShapeTraits<Cone>::feature(const Cone& s, const FeatureView& view, SupportFeature* feature) {
  const Vector3& local = view.local;
  const double radial = std::hypot(local.x(), local.y());
  const double slant = std::hypot(2 * s.half_length, s.radius);
  const double side_cosine = (2 * s.half_length * radial + s.radius * local.z()) / slant;
  if (-local.z() >= side_cosine) return disc_face(s.radius, s.half_length, view, feature);
  if (radial <= 1e-9) return;
  feature->kind = SupportFeature::Kind::segment;
  const Vector3 outward = (view.d - local.z() * view.R.col(2)).normalized();
  feature->add_vertex(view.p - s.half_length * view.R.col(2) + s.radius * outward, 0);
  feature->add_vertex(view.p + s.half_length * view.R.col(2), 1);
}

bool ShapeTraits<Cone>::in_bowl(const Cone& s, const BowlCollector& bowl) {
  add_rim(s.radius, -s.half_length, 0, bowl);
  bowl.add({0, 0, s.half_length}, 0, 8);
  return true;
}

void ShapeTraits<Cone>::whole(const Cone& s, const PieceSpot& at, Piece& piece) {
  if (at_apex(s, at.point)) return add_corner(s.half_length * Vector3::UnitZ(), piece);
  add(piece, curved(cone_side, {s.radius, s.half_length, 0}));
  add_cap(-s.half_length, -1, false, piece);
}

void ShapeTraits<Cone>::fixed_part(const Cone& s, const PieceSpot& at, Piece& piece) {
  if (at_apex(s, at.point)) return add_corner(at.point, piece);
  add_circle_or_corner(curved(cone_side, {s.radius, s.half_length, 0}), at, piece);
}

}  // namespace stiction::geometry
