// The points with which a shape meets a half-space, and those with which it meets a bowl, as the shape names them.
#pragma once

#include <cstdint>

#include "stiction/math/types.h"

namespace stiction::geometry {

struct ContactCandidates;
struct Placement;
struct BowlPoints;

/// Collects points of a shape above a half-space; those at or above the margin are dropped. World axes, origin on the
/// plane.
class PlanePoints {
 public:
  /// The shape's orientation and origin, and the plane's normal.
  PlanePoints(const Matrix3& R, const Vector3& p, const Vector3& n, double margin, ContactCandidates* list)
      : R_(R), p_(p), n_(n), margin_(margin), list_(list) {}

  /// The point x; `id`: the same from step to step.
  void add(const Vector3& x, int id) const;

  const Matrix3& R() const { return R_; }
  const Vector3& p() const { return p_; }
  const Vector3& n() const { return n_; }

 private:
  const Matrix3& R_;
  const Vector3& p_;
  const Vector3& n_;
  double margin_;
  ContactCandidates* list_;
};

/// Corners of a box, swept by a ball, that look down at the plane: on a face that does.
void add_box_corners(const Vector3& half_size, double radius, const PlanePoints& plane);

/// Collects points of a shape that are farthest from the bowl's centre near by; those at or above the margin are
/// dropped.
class BowlCollector {
 public:
  BowlCollector(const Placement& pair, double margin, BowlPoints& list);

  /// The point x of the shape's frame, which may carry a ball.
  void add(const Vector3& x, double ball, int feature) const;
  /// The bowl's centre in the shape's frame.
  const Vector3& center() const { return center_; }

 private:
  const Placement& pair_;
  double margin_;
  BowlPoints& list_;
  Vector3 center_;
};

/// Corners of a box, swept by a ball; of a core that is flat along an axis one side only.
void add_box_corners(const Vector3& half_size, double ball, const BowlCollector& bowl);

/// A circle about the shape's axis at height z: its farthest point; where the bowl's centre is almost on the axis that
/// point runs round the rim with the least tilt, and four points fixed in the rim hold it. `feature`: a multiple of 8;
/// numbers as of fixed_in_rim().
void add_rim(double radius, double z, int feature, const BowlCollector& bowl);

/// Whether the number is that of a point fixed in the rim of a shape that has rims, not of its farthest or of an apex.
inline bool fixed_in_rim(std::uint32_t feature) {
  return feature % 8 != 0;
}

}  // namespace stiction::geometry
