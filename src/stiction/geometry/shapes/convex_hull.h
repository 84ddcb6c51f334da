// The convex hull of a point cloud, with merged faces and adjacency.
#pragma once

#include <span>

#include "stiction/base/error.h"
#include "stiction/geometry/shapes/shape.h"

namespace stiction::geometry {

/// Hull of at least four points that are not coplanar; the Error names what is degenerate.
Result<ConvexHull> convex_hull(std::span<const Vector3> points);

}  // namespace stiction::geometry
