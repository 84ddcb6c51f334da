// The two frames of a joint in the world, and the rows that a joint type builds on them when it closes a loop.
//
// P and C are the joint frames on parent and child, d leads from P's origin to C's. A travel along a direction t fixed
// in P has psi = t . d, whose rate is t . (relative velocity at C's origin). Two directions t (fixed in P) and a (fixed
// in C) have psi = t . a, whose rate is (a x t) . (relative angular velocity). Both are exact also away from psi = 0.
#pragma once

#include <array>

#include "stiction/math/types.h"

namespace stiction {

/// One row: unit load on the child at `point`, the opposite on the parent.
struct JointRow {
  Vector3 force = Vector3::Zero();   ///< on the child, world axes
  Vector3 moment = Vector3::Zero();  ///< on the child, world axes
  double value = 0;                  ///< constraint violation psi [m or rad], or the coordinate of a free direction
};

/// Up to six rows that act at one point.
struct JointRows {
  std::array<JointRow, 6> rows;
  int count = 0;
  Vector3 point_W = Vector3::Zero();
};

/// Collects the rows of a joint, in its frames. Axes and directions are unit vectors of the joint frame.
struct JointFrames {
  Matrix3 R_WP, R_WC;
  Vector3 d_W;
  JointRows rows;

  /// A value whose rate is force . (relative velocity at C's origin) + moment . (relative angular velocity).
  void add(const Vector3& force_W, const Vector3& moment_W, double value) {
    rows.rows[rows.count++] = {force_W, moment_W, value};
  }
  /// The distance that the child has gone along a direction of P.
  void add_travel(const Vector3& direction_P) {
    const Vector3 t = R_WP * direction_P;
    rows.rows[rows.count++] = {t, Vector3::Zero(), t.dot(d_W)};
  }
  /// An angle, or a function of angles, whose rate is moment . (relative angular velocity).
  void add_turn(const Vector3& moment_W, double value) { rows.rows[rows.count++] = {Vector3::Zero(), moment_W, value}; }
  /// The cosine between the direction t of P and the direction a of C, or what `value` makes of it.
  void add_turn_between(const Vector3& t_W, const Vector3& a_W, double value) { add_turn(a_W.cross(t_W), value); }

  /// Three rows: the origins coincide.
  void add_point();
  /// Two rows: C's origin is on the axis of P.
  void add_line(const Vector3& axis);
  /// Two rows, sines of the angles between them: the axis of C stays along that of P.
  void add_alignment(const Vector3& axis);
  /// Three rows, the rotation vector: no relative rotation.
  void add_orientation();
  /// The angle about the axis, in (-pi, pi].
  void add_angle(const Vector3& axis);

  /// Orientation of C in P.
  Quaternion relative() const { return Quaternion(R_WP.transpose() * R_WC); }
};

/// Angle of a turn about the unit vector `axis`, in (-pi, pi].
double angle_about(const Vector3& axis, const Quaternion& turn);

/// Its rate per unit of angular velocity, in the frame of `axis`; exact also where the turn is not about the axis
/// alone.
Vector3 angle_gradient(const Vector3& axis, const Quaternion& turn);

}  // namespace stiction
