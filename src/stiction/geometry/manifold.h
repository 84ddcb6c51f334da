// Contact manifolds: as few points as carry the same wrenches as the whole touching surface.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "stiction/geometry/distance.h"

namespace stiction::geometry {

/// One contact point between shapes A and B, in world axes.
struct ManifoldPoint {
  Vector3 point_A = Vector3::Zero();  ///< on A's surface
  Vector3 point_B = Vector3::Zero();  ///< on B's surface; (point_B - point_A) . normal = gap
  double gap = 0;
  std::uint32_t feature = 0;  ///< the same from step to step while the same features touch: key of warm starts
  Vector3 own_normal = Vector3::Zero();  ///< from A to B where it is not the manifold's (in a bowl); zero where it is
};

inline constexpr int max_manifold_points = 8;

/// All contact points of one pair: one common normal, from A to B, but in a bowl that of the deepest point.
struct Manifold {
  Vector3 normal = Vector3::UnitZ();
  std::array<ManifoldPoint, max_manifold_points> points;
  int count = 0;

  /// The normal at one of the points.
  const Vector3& normal_at(const ManifoldPoint& point) const {
    return point.own_normal.isZero(0) ? normal : point.own_normal;
  }
  std::span<const ManifoldPoint> view() const { return {points.data(), static_cast<size_t>(count)}; }
};

/// Contact points with gap below `margin` (count 0 when none). A box face on a plane gives four points, two boxes face
/// to face the clipped polygon, curved shapes one point, a cylinder lying on a plane two, standing on it four; in a
/// bowl every point that is farthest from its centre near by. Never allocates.
Manifold manifold(const Shape& A, const Pose& X_WA, const Shape& B, const Pose& X_WB, double margin);

}  // namespace stiction::geometry
