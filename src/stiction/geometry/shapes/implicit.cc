#include "stiction/geometry/shapes/implicit.h"

namespace stiction::geometry {
namespace {

/// Metres per unit of the function: half the least width over twice the depth of the interior point, as if quadratic.
double function_scale(const ImplicitSolid& solid, const ImplicitFunction& function) {
  const double depth = -evaluate(function, solid.interior).value;
  const double reach = (solid.upper - solid.lower).minCoeff() / 2;
  return depth > 0 && reach > 0 ? reach / (2 * depth) : 1;
}

}  // namespace

ImplicitValue function_surface(const PieceSurface& s, const Vector3& x) {
  ImplicitValue f = evaluate(*s.function, x);
  f.value *= s.scale;
  f.gradient *= s.scale;
  f.hessian *= s.scale;
  return f;
}

void ShapeTraits<Implicit>::whole(const Implicit& s, const PieceSpot& at, Piece& piece) {
  const ImplicitSolid& solid = *s.solid;
  NearestSurfaces nearest;
  for (int k = 0; k < static_cast<int>(solid.functions.size()); ++k) {
    const ImplicitFunction& function = solid.functions[k];
    nearest.offer(-function_scale(solid, function) * evaluate(function, at.point).value, k);
  }
  for (const int k : nearest.view()) {
    PieceSurface surface = curved(function_surface, Vector3::Zero());
    surface.function = &solid.functions[k];
    surface.scale = function_scale(solid, solid.functions[k]);
    add(piece, surface);
  }
}

}  // namespace stiction::geometry
