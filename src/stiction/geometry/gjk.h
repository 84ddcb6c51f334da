// Gilbert, Johnson, Keerthi (1988): the point of A - B nearest to the origin, by simplices of support points.
#pragma once

#include "stiction/geometry/shapes/features/core_shape.h"

namespace stiction::geometry {

/// Distance of two cores. Stops when the bounds differ by less than `tolerance` (a length), when nothing improves any
/// more, or as soon as the gap is proved to exceed `stop_above`. Sets `overlapping` when the origin is inside or too
/// near to tell.
CoreAnswer gjk(const CoreDifference& difference, double tolerance, int max_iterations, double stop_above);

}  // namespace stiction::geometry
