#include "stiction/model/joint_frames.h"

#include <cmath>

#include "stiction/math/rotation.h"

namespace stiction {

double angle_about(const Vector3& axis, const Quaternion& turn) {
  const double angle = 2.0 * std::atan2(turn.vec().dot(axis), turn.w());
  return angle > M_PI ? angle - 2 * M_PI : angle <= -M_PI ? angle + 2 * M_PI : angle;
}

// With turn = (w, u) and its rate (0, omega) turn / 2, this is the derivative of 2 atan2(u . axis, w).
Vector3 angle_gradient(const Vector3& axis, const Quaternion& turn) {
  const double w = turn.w(), s = turn.vec().dot(axis);
  const Vector3 u = turn.vec();
  return (w * (w * axis + u.cross(axis)) + s * u) / (w * w + s * s);
}

void JointFrames::add_point() {
  for (int i = 0; i < 3; ++i) add_travel(Vector3::Unit(i));
}

void JointFrames::add_line(const Vector3& axis) {
  const Vector3 t1 = any_orthogonal(axis), t2 = axis.cross(t1);
  add_travel(t1);
  add_travel(t2);
}

void JointFrames::add_alignment(const Vector3& axis) {
  const Vector3 t1 = any_orthogonal(axis), t2 = axis.cross(t1);
  const Vector3 a_W = R_WC * axis;
  for (const Vector3& t : {t1, t2}) {
    const Vector3 t_W = R_WP * t;
    add_turn_between(t_W, a_W, t_W.dot(a_W));
  }
}

// The rotation vector's rate is rotation_vector_rate times the relative angular velocity.
void JointFrames::add_orientation() {
  const Vector3 phi = log_rotation(relative());
  const Matrix3 rate_W = R_WP * rotation_vector_rate(phi).transpose();
  for (int i = 0; i < 3; ++i) add_turn(rate_W.col(i), phi[i]);
}

void JointFrames::add_angle(const Vector3& axis) {
  add_turn(R_WP * axis, angle_about(axis, relative()));
}

}  // namespace stiction
