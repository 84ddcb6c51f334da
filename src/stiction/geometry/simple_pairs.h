// Spheres, boxes and half-spaces, which piles are made of: the boxes and manifolds that bounding_box() and manifold()
// give, bit for bit, from plain numbers; pairs that are clearly apart are turned away before anything is built.
#pragma once

#include "stiction/geometry/manifold.h"

namespace stiction::geometry {

/// The numbers of a shape, side by side with those of others.
struct SimpleShape {
  enum class Kind : int { other, plane, sphere, box };

  Vector3 numbers = Vector3::Zero();  ///< normal of a plane; radius of a sphere, first; half sizes of a box
  double size = 0;                    ///< shape_size()
  Kind kind = Kind::other;            ///< other: only bounding_box() and manifold() know it
};

SimpleShape simple_shape(const Shape& shape);

/// bounding_box() of a sphere or a box; false, with `box` as it was, for any other.
bool simple_bounding_box(const SimpleShape& shape, const Pose& X_WS, Aabb& box);

/// As manifold(), but points beyond the count are left as they are. False, with the result undefined, where manifold()
/// must be asked: for other shapes, and for boxes whose nearest points no separating axis shows.
bool simple_manifold(const SimpleShape& A, const Pose& X_WA, const SimpleShape& B, const Pose& X_WB, double margin,
                     Manifold& result);

}  // namespace stiction::geometry
