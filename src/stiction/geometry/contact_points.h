// Where two facing features overlap: their corners inside each other and the crossings of their borders.
#pragma once

#include <array>
#include <cstdint>

#include "stiction/geometry/closed_form.h"
#include "stiction/geometry/manifold.h"
#include "stiction/geometry/shapes/features/support_feature.h"

namespace stiction::geometry {

/// Contact points closer than this (of the size) are one point.
inline constexpr double merge_distance = 1e-6;

/// A contact point before it is chosen; as ManifoldPoint, but left uninitialised in the long list.
struct ContactCandidate {
  Vector3 point_A;
  Vector3 point_B;
  double gap;
  std::uint32_t feature;
};

/// A list of contact points, more than a manifold keeps. It holds every point two features can give: polygons of n and
/// m corners have n + m corners and at most 2 min(n, m) crossings, a disc five rim points and two crossings per edge;
/// one more for the nearest points.
struct ContactCandidates {
  static constexpr int capacity = 4 * SupportFeature::max_vertices + 8;
  std::array<ContactCandidate, capacity> points;
  int count = 0;

  /// Deepest gap so far; infinity when empty.
  double deepest() const;
  /// Adds a point, or merges it with one closer than `radius`, which keeps its number and takes the deeper place.
  void merge(const ContactCandidate& point, double radius);
};

/// All corners of the overlap of A's and B's features along `normal`, whatever their gap; points relative to A's
/// origin. The number of a point says which corner or which two borders meet there, from A's side and B's alike, so it
/// does not change when the two exchange the role of the flatter one.
void contact_candidates(const Placement& pair, const Vector3& normal, double size, ContactCandidates* candidates);

/// The same of two features that are not points.
void contact_candidates(const SupportFeature& A, const SupportFeature& B, const Vector3& normal, double size,
                        ContactCandidates* candidates);

}  // namespace stiction::geometry
