// The last digits of a direction: Newton on the parts of the two cores that actually touch.
#pragma once

#include "stiction/geometry/shapes/features/core_shape.h"

namespace stiction::geometry {

/// Whether the polish has anything to add: one core is curved (all but points, segments and polytopes), so GJK
/// and EPA only come near.
bool has_curved_core(const CoreDifference& difference);

/// Improves the answer about two cores to rounding, starting from its normal (good to about 1e-3 rad). True when the
/// result is proved: witness points a, b with b - a = gap n, gap = -h(n), all to rounding of the size. Apart that makes
/// both bounds the gap; overlapping it is a strict local maximum of the separation, no worse than the answer's lower
/// bound, and the upper bound stays. False leaves the answer as it was.
bool polish(const CoreDifference& difference, CoreAnswer* answer);

}  // namespace stiction::geometry
