// The farthest vertex of a convex polytope: all of them when few, hill climbing along edges when many.
#pragma once

#include "stiction/geometry/shapes/solids/convex_hull.h"

namespace stiction::geometry {

/// Index of a vertex farthest along d; `start` is where hill climbing begins (any vertex).
inline int hull_support_vertex(const ConvexHull& hull, const Vector3& d, int start) {
  constexpr int few = 32;
  const int count = static_cast<int>(hull.vertices.size());
  int best = count <= few ? 0 : start;
  double height = hull.vertices[best].dot(d);
  if (count <= few) {
    for (int i = 1; i < count; ++i) {
      const double h = hull.vertices[i].dot(d);
      if (h > height) height = h, best = i;
    }
    return best;
  }
  // A vertex no neighbour of which is farther is the farthest: the polytope is convex. Heights rise strictly, so this
  // ends.
  for (int at = -1; at != best;) {
    at = best;
    for (const int neighbour : hull.neighbours[at]) {
      const double h = hull.vertices[neighbour].dot(d);
      if (h > height) height = h, best = neighbour;
    }
  }
  return best;
}

}  // namespace stiction::geometry
