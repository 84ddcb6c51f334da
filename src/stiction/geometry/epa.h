// Expanding polytope: the penetration depth of two cores from an inner polytope of support points.
#pragma once

#include "stiction/geometry/shapes/features/core_shape.h"

namespace stiction::geometry {

/// Depth of two overlapping (or just touching) cores. The nearest face of the polytope bounds the depth from below, the
/// support plane along its normal from above. Stops when they agree to `tolerance` (a length), or when its fixed memory
/// (on the stack) is used up; upper is infinity when rounding broke the polytope, and the caller must look elsewhere.
CoreAnswer epa(const CoreDifference& difference, double tolerance, int max_iterations);

}  // namespace stiction::geometry
