// The distance as the manifold uses it: points relative to A's origin, and no work beyond proving that the pair is far
// apart.
#pragma once

#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/contact_points.h"

namespace stiction::geometry {

/// As distance(), relative to A's origin. When the gap is above `stop_above` any lower bound above it may be returned
/// as the gap. Where finding it takes the contact points along the normal anyway they are left in `candidates` (if not
/// null), whose count is otherwise not touched.
Distance placed_distance(const Placement& pair, double size, const DistanceOptions& options, double stop_above,
                         ContactCandidates* candidates);

}  // namespace stiction::geometry
