#include "stiction/geometry/shapes/features/pieces.h"

#include <algorithm>
#include <cmath>

namespace stiction::geometry {

ImplicitValue half_space_surface(const PieceSurface& s, const Vector3& x) {
  return {s.axis.dot(x - s.center), s.axis, Matrix3::Zero()};
}

ImplicitValue round_about(const Vector3& d, const Vector3& moves, double r) {
  return {(d.squaredNorm() - r * r) / (2 * r), d / r, Matrix3((moves / r).asDiagonal())};
}

ImplicitValue sphere_surface(const PieceSurface& s, const Vector3& x) {
  return round_about(x - s.center, Vector3::Ones(), s.size.x());
}

double middle_radius(const Vector3& radii) {
  return std::sqrt(radii.minCoeff() * radii.maxCoeff());
}

void add(Piece& piece, const PieceSurface& surface) {
  if (piece.count < max_piece_surfaces) piece.surfaces[piece.count++] = surface;
}

PieceSurface half_space(const Vector3& axis, const Vector3& through, bool held) {
  PieceSurface surface;
  surface.axis = axis;
  surface.center = through;
  surface.held = held;
  return surface;
}

PieceSurface curved(ImplicitValue (*value)(const PieceSurface&, const Vector3&), const Vector3& size) {
  PieceSurface surface;
  surface.value = value;
  surface.size = size;
  return surface;
}

PieceSurface ball(double radius, const Vector3& center) {
  PieceSurface surface = curved(sphere_surface, {radius, 0, 0});
  surface.center = center;
  return surface;
}

void add_corner(const Vector3& point, Piece& piece) {
  for (int axis = 0; axis < 3; ++axis) add(piece, half_space(Vector3::Unit(axis), point, true));
}

void add_cap(double z, double side, bool held, Piece& piece) {
  add(piece, half_space(side * Vector3::UnitZ(), z * Vector3::UnitZ(), held));
}

void add_circle_or_corner(const PieceSurface& side, const PieceSpot& at, Piece& piece) {
  constexpr double flat = 1e-6;
  constexpr double aligned = 1 - 1e-9;
  const Vector2 tilt = at.facing.head<2>();
  const Vector2 radial = at.point.head<2>();
  if (tilt.norm() <= flat || radial.dot(tilt) < aligned * radial.norm() * tilt.norm() || radial.norm() == 0) {
    return add_corner(at.point, piece);
  }
  add(piece, side);
  add_cap(at.point.z(), at.facing.z() < 0 ? -1 : 1, true, piece);
}

void NearestSurfaces::offer(double slack, int index) {
  if (count_ == max_piece_surfaces) {
    const auto worst = std::max_element(slack_.begin(), slack_.end());
    if (*worst <= slack) return;
    const auto at = worst - slack_.begin();
    std::copy(slack_.begin() + at + 1, slack_.end(), slack_.begin() + at);
    std::copy(index_.begin() + at + 1, index_.end(), index_.begin() + at);
    --count_;
  }
  slack_[count_] = slack;
  index_[count_++] = index;
}

}  // namespace stiction::geometry
