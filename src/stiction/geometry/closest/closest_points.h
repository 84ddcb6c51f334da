// The closest points of two convex pieces as equations: chakraborty2007 (7)-(9) for intersections, in a form that is
// smooth where the bodies touch.
//
// A piece is an intersection of smooth convex surfaces f_k(x) <= 0 in its shape's frame; some may be held active
// (f_k = 0, multiplier free), which makes edges, rims and corners of it. Unknowns of a pair: points a and b (each in
// its own shape's frame), the unit normal n from A to B in world axes, the signed gap g, one multiplier per surface:
//
//     R_A sum lambda_k grad f_k(a) - n = 0                        n is an outward normal of A at a
//     R_B sum mu_k grad g_k(b) + n = 0                            -n is an outward normal of B at b
//     (p_B + R_B b) - (p_A + R_A a) - g n = 0                     b lies g above a
//     (n.n - 1) / 2 = 0
//     0 <= lambda_k  orthogonal to  -f_k(a) - level_A >= 0        (held surfaces: f_k(a) + level_A = 0)
//     0 <= mu_k      orthogonal to  -g_k(b) - level_B >= 0
//
// (9) with g for the norm of a - b, which has no derivative at contact and no sign when bodies cross. Multipliers that
// are not negative keep n outward on both sides, so the far side of one body is not a solution. The far sides of both
// are (the gap is least there, or, of long bodies, locally largest): solve_closest() refuses a negative gap unless it
// is a local maximum over the normals and, when deep, some point of the line from a to b lies in both pieces. A bowl's
// surface is concave: with it the gap must be a local minimum over the points of the other piece, whatever its sign.
// level (0 unless a layer is deflected along level sets, (11)) shrinks a piece to a lower level set.
#pragma once

#include <array>
#include <span>

#include "stiction/geometry/manifold.h"
#include "stiction/geometry/shapes/features/pieces.h"
#include "stiction/geometry/shapes/shape.h"

namespace stiction::geometry {

/// The two pieces that stand for point `point` of the manifold of A and B at these poses:
/// - a manifold of one point: the whole of both shapes (of a polytope the faces round the witness point);
/// - several points (faces, lines): a corner (three held half-spaces), the end sphere of a capsule, the end rim of a
///   cylinder or cone (side <= 0, base held) on one side, on the other the half-space or smooth shape that it meets;
/// - in a bowl, however many: the bowl's surface and such a part of the other shape, or the whole of a smooth one.
void contact_pieces(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, const Manifold& manifold,
                    int point, Piece& piece_A, Piece& piece_B);

/// Largest number of unknowns of a pair.
inline constexpr int max_closest_unknowns = 10 + 2 * max_piece_surfaces;

/// The unknowns, flat: [a, b, n, g, lambda.., mu..].
struct ClosestUnknowns {
  std::array<double, max_closest_unknowns> y = {};
  int size = 0;  ///< 10 + surfaces of A + surfaces of B

  Eigen::Map<Vector3> a() { return Eigen::Map<Vector3>(y.data()); }
  Eigen::Map<Vector3> b() { return Eigen::Map<Vector3>(y.data() + 3); }
  Eigen::Map<Vector3> normal() { return Eigen::Map<Vector3>(y.data() + 6); }
  double& gap() { return y[9]; }
};

/// Two pieces in the world.
struct PiecePair {
  const Piece& A;
  const Piece& B;
  Pose X_WA;
  Pose X_WB;
  double level_A = 0;  ///< m: as at the top
  double level_B = 0;
};

/// Residual (size numbers; complementarity as the min map) of the equations at the top, lengths divided by `length`.
void closest_residual(const PiecePair& pair, const ClosestUnknowns& unknowns, double length, double* residual);

/// How the solution moves with the poses.
struct ClosestDerivative {
  /// Rows a, b (shape frames), n, g; columns: translation and rotation (world axes, about the shape's origin) of A, of
  /// B.
  Eigen::Matrix<double, 10, 12> pose;
  Eigen::Matrix<double, 10, 2> level;  ///< with level_A, level_B
};

/// How a solve ended.
enum class ClosestOutcome {
  solved,     ///< residual at rounding, multipliers not negative: the closest (or touching, or locally deepest) points
  not_found,  ///< no convergence from this guess; the unknowns are unchanged
};

/// Newton from the unknowns given (a close guess: the last step's, or guess_closest()).
ClosestOutcome solve_closest(const PiecePair& pair, double length, ClosestUnknowns& unknowns);

/// A guess from points and normal in world axes: projects nothing, fits the multipliers by least squares.
void guess_closest(const PiecePair& pair, const Vector3& point_A, const Vector3& point_B, const Vector3& normal,
                   ClosestUnknowns& unknowns);

/// The derivative at a solution, by the implicit function theorem. Directions in which the closest points are not
/// unique (flat on flat) do not move. False where the numbers are not finite.
bool closest_derivative(const PiecePair& pair, double length, const ClosestUnknowns& unknowns,
                        ClosestDerivative& derivative);

}  // namespace stiction::geometry
