// Where two facing features overlap: their corners inside each other and the crossings of their borders.
#pragma once

#include <array>
#include <cstdint>

#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/manifold.h"
#include "stiction/geometry/support_feature.h"

namespace stiction::geometry {

/// A short list of contact points, more than a manifold keeps.
struct ContactCandidates {
  static constexpr int capacity = 96;
  std::array<ManifoldPoint, capacity> points;
  int count = 0;

  /// Deepest gap so far; infinity when empty.
  double deepest() const;
};

/// All corners of the overlap of A's and B's features along `normal`, whatever their gap; points relative to A's
/// origin. The number of a point says which corner or which two borders meet there, from A's side and B's alike, so it
/// does not change when the two exchange the role of the flatter one.
void contact_candidates(const Placement& pair, const Vector3& normal, double size, ContactCandidates* candidates);

}  // namespace stiction::geometry
