// Solids given by smooth convex functions: made once, with everything checked that can be.
#pragma once

#include <optional>

#include "stiction/base/error.h"
#include "stiction/geometry/shapes/solids/implicit_function.h"

namespace stiction::geometry {

inline constexpr int max_polynomial_terms = 128;
inline constexpr int max_polynomial_power = 16;  ///< of one variable

/// The solid { x : f_k(x) <= 0 for all k }, 1 to 8 functions. The Error names the function (its number in the list,
/// from 1, or its callback's name), the place where it fails, and the remedy, when a function
/// - has too many terms, a power that is negative or too large, a number that is not finite, an empty callback;
/// - has a gradient or Hessian that its values contradict (callbacks only);
/// - is not convex in and around the solid: its Hessian is looked at in some 1800 points;
/// - has no gradient on the surface;
/// or when the solid is unbounded, or has no interior. `interior` is where the search for an interior point begins (m).
Result<ImplicitSolid> make_implicit_solid(std::vector<ImplicitFunction> functions,
                                          const std::optional<Vector3>& interior = {});

/// Distance from x, inside, to the surface along d: the root of the largest function on the ray, from `guess` (or any
/// positive number). Infinity when there is none within `limit`.
double ray_length(const ImplicitSolid& solid, const Vector3& x, const Vector3& d, double guess, double limit);

/// Volume, centre and inertia of a solid with interior point and bounding box, by Gauss points on the sphere of rays:
/// where the surface is smooth to about 1e-10, with edges to about 1e-4.
void integrate_mass(ImplicitSolid* solid);

}  // namespace stiction::geometry
