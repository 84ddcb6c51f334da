// Newton for two parts of surfaces that have no common formula: the smooth ones by their points, the others by their
// normals.
//
// Unknowns: n (unit, from A to B), the gap g, and for each side what its point x needs. Equations, d = n for A, -n for
// B:
//   x_B - x_A = g n,   (n.n - 1) / 2 = 0, and by side
//   curved   x = c + M M d / |M d| - ball d                   a vertex, a rim circle, an ellipsoid: nothing unknown
//   edge     x = curved + s e,            e.d = 0             unknown s; half edge e
//   ruled    x = c + t (rim(d) - c),      (rim(d) - c).d = 0  unknown t; a cone's side, c its apex, rim(d) = curved
//   surface  d = sum lambda_k grad f_k(x), min(lambda_k, -f_k) = 0   unknown x and lambda
// A surface is solved for its points, not for its normals: where it is flat to higher order (x^4 + y^4 + z^4 <= 1 on an
// axis) points are smooth functions of nothing but themselves, while normals stand still.
#pragma once

#include "stiction/geometry/shapes/features/core_shape.h"

namespace stiction::geometry {

/// One side, everything in A's frame.
struct PolishSide {
  enum class Kind { curved, edge, ruled, surface };
  Kind kind = Kind::curved;
  Vector3 c = Vector3::Zero();
  Vector3 e = Vector3::Zero();  ///< half edge; ruled: from the apex to the rim's middle
  bool round = false;           ///< M and ball take part
  Matrix3 M = Matrix3::Zero();
  double ball = 0;
  const CoreShape* core = nullptr;  ///< surface: a general core ...
  Pose X;                           ///< ... in A's frame
};

/// What Newton starts from and ends with.
struct PolishTrial {
  Vector3 n = Vector3::UnitZ();
  Vector3 a = Vector3::Zero();
  Vector3 b = Vector3::Zero();
};

/// Newton from the trial's direction and points (those of surfaces only). False where it does not converge or the
/// points are beyond an end of an edge or a side line. `size`: of the shapes.
bool polish_newton(const PolishSide& A, const PolishSide& B, double size, PolishTrial* trial);

}  // namespace stiction::geometry
