// Pieces of shapes for the equations of closest points (closest/closest_points.h): intersections of smooth convex
// surfaces f_k(x) <= 0 in the shape's frame. Each shape states its own surfaces; those that several share are here.
#pragma once

#include <array>
#include <span>

#include "stiction/geometry/shapes/solids/implicit_function.h"
#include "stiction/math/types.h"

namespace stiction::geometry {

struct PieceSurface;

/// The half-space with normal `axis` through `center`.
ImplicitValue half_space_surface(const PieceSurface& surface, const Vector3& x);

/// One smooth convex (the bowl: concave) surface f(x) <= 0 of a piece, in the shape's frame, scaled so that f is in
/// metres and its gradient of the order of one on the surface. `value` gives the rest of the fields their meaning.
struct PieceSurface {
  /// f and its derivatives at x.
  ImplicitValue (*value)(const PieceSurface& surface, const Vector3& x) = half_space_surface;
  bool held = false;                 ///< f = 0 instead of f <= 0
  bool concave = false;              ///< the solid is outside
  Vector3 axis = Vector3::UnitZ();   ///< half-space: its normal
  Vector3 center = Vector3::Zero();  ///< of a sphere; a point of a half-space
  Vector3 size = Vector3::Zero();    ///< radii, half sizes, (radius, half length): as the shape that it belongs to
  double p = 2, q = 2;               ///< of a superellipsoid
  double radius = 0;                 ///< of a rounded box's edges
  double scale = 1;                  ///< multiplies a user's function
  const ImplicitFunction* function = nullptr;
};

/// f of one surface and its derivatives at x (shape's frame).
inline ImplicitValue evaluate(const PieceSurface& surface, const Vector3& x) {
  return surface.value(surface, x);
}

inline constexpr int max_piece_surfaces = 8;

/// An intersection of surfaces; fixed memory.
struct Piece {
  std::array<PieceSurface, max_piece_surfaces> surfaces;
  int count = 0;
};

/// Where a shape takes part in a contact, in its frame.
struct PieceSpot {
  Vector3 point;    ///< of the manifold
  Vector3 outward;  ///< the manifold's normal, out of this shape
  Vector3 facing;   ///< out of this shape against the face it meets: `outward` unless that face is a little tilted
};

/// A ball of radius size.x about `center`.
ImplicitValue sphere_surface(const PieceSurface& surface, const Vector3& x);

/// (|d|^2 - r^2) / (2 r), where d = x - (nearest point of a core) and `moves` has a one where d follows x: convex, C1
/// where two parts meet (the Hessian there is that of one of them), gradient a unit vector on the surface.
ImplicitValue round_about(const Vector3& d, const Vector3& moves, double r);

/// A length between the radii, which makes the gradient of quadrics of order one.
double middle_radius(const Vector3& radii);

/// Adds a surface unless the piece is full.
void add(Piece& piece, const PieceSurface& surface);

PieceSurface half_space(const Vector3& axis, const Vector3& through, bool held = false);
PieceSurface ball(double radius, const Vector3& center);
/// A surface that its value and its size define.
PieceSurface curved(ImplicitValue (*value)(const PieceSurface&, const Vector3&), const Vector3& size);

/// A point, as three half-spaces that are held.
void add_corner(const Vector3& point, Piece& piece);

/// The half-space above (side > 0: below) the height z of the axis.
void add_cap(double z, double side, bool held, Piece& piece);

/// A circle about the axis, on the surface `side` at the point's height, when that point is the circle's lowest; a
/// corner otherwise (a cap that stands flat has no lowest point).
void add_circle_or_corner(const PieceSurface& side, const PieceSpot& at, Piece& piece);

/// Keeps those of many surfaces that are nearest to the point, in their own order.
class NearestSurfaces {
 public:
  /// Surface `index`, this far inside at the point.
  void offer(double slack, int index);
  std::span<const int> view() const { return {index_.data(), static_cast<size_t>(count_)}; }

 private:
  std::array<double, max_piece_surfaces> slack_;
  std::array<int, max_piece_surfaces> index_;
  int count_ = 0;
};

}  // namespace stiction::geometry
