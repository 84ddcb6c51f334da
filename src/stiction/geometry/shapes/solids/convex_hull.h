// Convex polytopes with merged faces and adjacency, and how they are made: as the convex hull of a point cloud.
#pragma once

#include <span>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/geometry/shapes/features/support_feature.h"
#include "stiction/math/types.h"

namespace stiction::geometry {

/// A convex polytope with its faces (vertex indices, counter-clockwise from outside, coplanar triangles merged).
struct ConvexHull {
  std::vector<Vector3> vertices;
  std::vector<std::vector<int>> faces;
  std::vector<Vector3> face_normals;         ///< unit, outward, one per face
  std::vector<std::vector<int>> neighbours;  ///< vertices joined to a vertex by an edge
  double size = 0;                           ///< diagonal of the bounding box, kept by convex_hull(); 0 when not known
};

/// Hull of at least four points that are not coplanar; the Error names what is degenerate.
Result<ConvexHull> convex_hull(std::span<const Vector3> points);

}  // namespace stiction::geometry
