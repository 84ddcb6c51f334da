// Where a bounded convex shape B meets a bowl: the local maxima of |x - c| over B, c the bowl's centre.
//
// gap = radius - max over x in B of |x - c|. The function is convex, so its maxima lie in corners (polytopes), on end
// spheres (capsules), on rims (cylinders, cones), on corner spheres (rounded boxes); on smooth shapes wherever the
// radii of curvature are below |x - c|. The normal there, from the wall into the hollow, is (c - x) / |x - c|: each
// point has its own.
#pragma once

#include <array>
#include <cstdint>

#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/manifold.h"

namespace stiction::geometry {

/// A point of B that is farthest from the bowl's centre near by.
struct BowlPoint {
  Vector3 direction = Vector3::UnitZ();  ///< unit, from the bowl's centre to the point, world axes
  double gap = 0;
  std::uint32_t feature = 0;  ///< corner, end or rim of B; of smooth shapes the octant, 0 while there is one point only
};

/// The points of one pair, in the order of their features.
struct BowlPoints {
  static constexpr int capacity = 64;
  std::array<BowlPoint, capacity> points;
  int count = 0;
};

/// All points with a gap below `margin` (may be infinite) of the bowl pair.A and the bounded shape pair.B; the deepest
/// one is always among them, of too many the others are those that are deep and spread. Of superellipsoids and implicit
/// solids the maxima that an ascent from 15 directions reaches.
void bowl_points(const Placement& pair, double margin, BowlPoints& list);

/// The deepest of them as an answer relative to A's origin; gap minus infinity when B is a plane or a bowl, which is
/// everywhere in the bowl's solid.
Distance bowl_distance(const Placement& pair);

/// The manifold of the bowl pair.A, whose origin in the world is given, and anything; empty with planes and bowls.
Manifold bowl_manifold(const Placement& pair, const Vector3& origin, double margin);

}  // namespace stiction::geometry
