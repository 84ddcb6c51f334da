// Pairs and pieces for the tests of closest points.
#pragma once

#include <algorithm>

#include "geometry/random_pairs.h"
#include "stiction/base/infinity.h"
#include "stiction/geometry/closest/closest_points.h"

namespace stiction::geometry::testing {

inline double size_of(const Pair& pair) {
  return is_unbounded(pair.A)   ? shape_size(pair.B)
         : is_unbounded(pair.B) ? shape_size(pair.A)
                                : std::max(shape_size(pair.A), shape_size(pair.B));
}

/// A manifold of the one point that `nearest` gives.
inline Manifold one_point(const Distance& nearest) {
  Manifold manifold;
  manifold.count = 1;
  manifold.normal = nearest.normal;
  manifold.points[0] = {nearest.point_A, nearest.point_B, nearest.gap, 0};
  return manifold;
}

inline Pose nudged(RandomPairs& random, const Pose& X, double shift, double turn) {
  return {exp_rotation(turn * random.direction()).toRotationMatrix() * X.R, X.p + shift * random.direction()};
}

/// Any two shapes (one may be a plane) of size about one, `gap` sizes apart.
inline Pair pair_near(RandomPairs& random, double gap) {
  Pair pair{random.shape(1, 3), random.shape(random.uniform(0.5, 1), 3), {}, {}};
  if (random.below(5) == 0) pair.A = Plane{random.direction()};
  if (random.below(2)) std::swap(pair.A, pair.B);
  pair.X_WA = {random.rotation(), random.direction()};
  pair.X_WB = {random.rotation(), pair.X_WA.p + 0.5 * random.direction()};
  for (int k = 0; k < 4; ++k) {
    const Distance d = distance(pair.A, pair.X_WA, pair.B, pair.X_WB);
    pair.X_WB.p += (gap * size_of(pair) - d.gap) * d.normal;
  }
  return pair;
}

/// The pieces of one manifold point at the pair's poses.
struct Pieces {
  Piece A;
  Piece B;
  PiecePair pair;

  Pieces(const Pair& of, const Manifold& manifold, int point) : pair{A, B, of.X_WA, of.X_WB} {
    contact_pieces(of.A, of.X_WA, of.B, of.X_WB, manifold, point, A, B);
  }
  Pieces(const Pair& of, const Distance& nearest) : Pieces(of, one_point(nearest), 0) {}
  Pieces(const Piece& of_A, const Piece& of_B, const Pose& X_WA, const Pose& X_WB)
      : A(of_A), B(of_B), pair{A, B, X_WA, X_WB} {}
  Pieces(const Pieces&) = delete;
};

}  // namespace stiction::geometry::testing
