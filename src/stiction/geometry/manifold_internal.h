// The last steps to a manifold, whatever found its candidates.
#pragma once

#include "stiction/geometry/contact_points.h"
#include "stiction/geometry/manifold.h"

namespace stiction::geometry {

/// Hands over the candidates with gaps below the margin, the ones that span most where they are too many, in world
/// coordinates; the manifold must have its normal.
void finish_manifold(const Vector3& origin, double margin, ContactCandidates* list, Manifold* manifold);

/// Makes A of B and B of A.
void exchange(Manifold* manifold);

}  // namespace stiction::geometry
