// The gap as a global minimum over directions, by branch and bound: slower than GJK and EPA, but nothing can break it.
#pragma once

#include "stiction/geometry/shapes/features/core_shape.h"

namespace stiction::geometry {

/// Gap of two cores with bounds that differ by less than `tolerance` (a length), in fixed memory on the stack. `known`
/// is a good direction (any unit vector will do). The witness points are left for the caller.
CoreAnswer direction_search(const CoreDifference& difference, const Vector3& known, double tolerance,
                            int max_evaluations);

}  // namespace stiction::geometry
