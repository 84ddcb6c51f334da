// The farthest point of an implicit solid along a direction: max d.x subject to f_k(x) <= 0.
//
// Optimality with multipliers lambda_k (scaled functions):
//     d = sum lambda_k grad f_k(x),    0 <= lambda_k  orthogonal to  -f_k(x) >= 0.
// Newton on the active set (the equations of one quadratic programme per step) from a farthest point of a nearby
// direction, kept from when the solid was made; it is given up when the residual does not fall. Then interior points,
// which cannot fail on convex functions: a barrier, min -d.x - mu sum log(-f_k), from the solid's interior point, and
// from there the primal-dual method down to rounding.
#pragma once

#include <optional>

#include "stiction/geometry/shapes/solids/implicit_function.h"

namespace stiction::geometry {

/// All functions of a solid at one point, scaled.
struct ImplicitValues {
  std::array<ImplicitValue, max_implicit_functions> f;
  int count = 0;

  /// The largest of the functions: the one that decides.
  int largest() const;
};

void evaluate_all(const ImplicitSolid& solid, const Vector3& x, ImplicitValues* values);

/// Farthest point along d (any length but zero). No allocation (but what a user's callback does), no failure.
Vector3 implicit_support(const ImplicitSolid& solid, const Vector3& d);

/// The search itself, d a unit vector, for a solid of about this length; empty when the iterates left the ball of
/// radius `limit` about the interior point, so that the solid may be unbounded along d. `near`: a farthest point of a
/// direction nearby, if there is one, to try first.
std::optional<ImplicitStart> implicit_farthest(const ImplicitSolid& solid, const Vector3& d, double length,
                                               double limit, const ImplicitStart* near = nullptr);

/// The kept starts stand on the grid of a cube's faces: their directions (not of unit length), in order.
Vector3 start_direction(int index);
inline constexpr int start_grid = 7;  ///< points along a cube's edge
inline constexpr int start_count = 6 * start_grid * start_grid;

}  // namespace stiction::geometry
