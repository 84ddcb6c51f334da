// Which pieces stand for a contact point. One point: both shapes whole. Several: one shape gives the surface, a
// half-space fixed in it where it has a face along the normal; the other what of it is fixed at the point: a corner, or
// the round that sits there.
#include <algorithm>
#include <cmath>

#include "stiction/geometry/closest/closest_points.h"

namespace stiction::geometry {
namespace {

/// One side of a contact point.
struct Side {
  const Shape& shape;
  const Matrix3& R_WS;
  PieceSpot at;
};

/// A face this far along the normal is the one that is met.
constexpr double facing_cosine = 0.999;

/// Cosine between the normal and the face most along it; 2 for a half-space, -2 where there is no face.
double face_cosine(const Side& side, Vector3* face) {
  *face = side.at.outward;
  if (kind_of(side.shape).extent == Extent::half_space) return 2;
  if (!aligned_face_normal(side.shape, Matrix3::Identity(), side.at.outward, face)) return -2;
  return face->dot(side.at.outward);
}

/// How far the point is from the end of a line that the shape has; infinity without one: it cannot lead.
double end_distance(const Side& side) {
  return ask_shape(side.shape, [&](auto traits, const auto& s) { return traits.to_end_of_line(s, side.at.point); });
}
/// The whole of a shape, as far as it can matter near the point.
void whole_piece(const Side& side, Piece& piece) {
  ask_shape(side.shape, [&](auto traits, const auto& s) { traits.whole(s, side.at, piece); });
}
/// What of a shape is fixed at a point of a face or a line.
void fixed_piece(const Side& side, Piece& piece) {
  ask_shape(side.shape, [&](auto traits, const auto& s) { traits.fixed_part(s, side.at, piece); });
}

/// A half-space fixed in `surface` against what of `tip` is fixed at the point. Without a face along it (edges side by
/// side) its normal is the manifold's.
void point_on_face(const Side& surface, const Side& tip, Piece& surface_piece, Piece& tip_piece) {
  Vector3 normal;
  if (face_cosine(surface, &normal) < facing_cosine) normal = surface.at.outward;
  add(surface_piece, half_space(normal, surface.at.point));
  Side turned = tip;
  turned.at.facing = -(tip.R_WS.transpose() * (surface.R_WS * normal));
  fixed_piece(turned, tip_piece);
}

/// Two lines side by side: the one that ends here meets the whole of the other.
void lines(const Side& A, const Side& B, Piece& piece_A, Piece& piece_B) {
  const bool A_ends = end_distance(A) <= end_distance(B);
  A_ends ? fixed_piece(A, piece_A) : whole_piece(A, piece_A);
  A_ends ? whole_piece(B, piece_B) : fixed_piece(B, piece_B);
}

/// One of several points. Where no face is along the normal, a polytope still gives the half-space to what is round.
void several(const Side& A, const Side& B, Piece& piece_A, Piece& piece_B) {
  Vector3 unused;
  const double cosine_A = face_cosine(A, &unused);
  const double cosine_B = face_cosine(B, &unused);
  const bool round_A = std::isfinite(end_distance(A));
  const bool round_B = std::isfinite(end_distance(B));
  const bool face = std::max(cosine_A, cosine_B) >= facing_cosine;
  if (!face && round_A && round_B) return lines(A, B, piece_A, piece_B);
  const bool surface_is_A = face || round_A == round_B ? cosine_A >= cosine_B : round_B;
  surface_is_A ? point_on_face(A, B, piece_A, piece_B) : point_on_face(B, A, piece_B, piece_A);
}

/// Either side of a point in a bowl. Points fixed in a rim are corners even where they are its farthest: the circle's
/// is vague there.
void in_bowl(const Side& side, std::uint32_t feature, Piece& piece) {
  const bool fixed = kind_of(side.shape).rims && fixed_in_rim(feature);
  fixed ? add_corner(side.at.point, piece) : fixed_piece(side, piece);
}

}  // namespace

void contact_pieces(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, const Manifold& manifold,
                    int point, Piece& piece_A, Piece& piece_B) {
  piece_A.count = 0;
  piece_B.count = 0;
  const ManifoldPoint& at = manifold.points[point];
  const auto side = [&](const Shape& shape, const Pose& X, const Vector3& x, const Vector3& normal) {
    const Vector3 outward = X.R.transpose() * normal;
    return Side{shape, X.R, {X.R.transpose() * (x - X.p), outward, outward}};
  };
  const Side side_A = side(A, X_WA, at.point_A, manifold.normal_at(at));
  const Side side_B = side(B, X_WB, at.point_B, -manifold.normal_at(at));
  if (kind_of(A).extent == Extent::hollow || kind_of(B).extent == Extent::hollow) {
    in_bowl(side_A, at.feature, piece_A);
    in_bowl(side_B, at.feature, piece_B);
    return;
  }
  if (manifold.count > 1) return several(side_A, side_B, piece_A, piece_B);
  whole_piece(side_A, piece_A);
  whole_piece(side_B, piece_B);
}

}  // namespace stiction::geometry
