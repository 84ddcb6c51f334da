// Frames: P and C are the joint frames on parent and child, d leads from P's origin to C's. A travel along a direction
// t fixed in P has psi = t . d, whose rate is t . (relative velocity at C's origin). Two directions t (fixed in P) and
// a (fixed in C) have psi = t . a, whose rate is (a x t) . (relative angular velocity). Both are exact also away from
// psi = 0.
#include "stiction/dynamics/joint_rows.h"

#include <cmath>

#include "stiction/math/rotation.h"
#include "stiction/model/joint_motion.h"

namespace stiction {
namespace {

struct Frames {
  Matrix3 R_WP, R_WC;
  Vector3 d_W;
  JointRows rows;

  void add_travel(const Vector3& direction_P) {
    const Vector3 t = R_WP * direction_P;
    rows.rows[rows.count++] = {t, Vector3::Zero(), t.dot(d_W)};
  }
  void add_turn(const Vector3& moment_W, double value) { rows.rows[rows.count++] = {Vector3::Zero(), moment_W, value}; }
  void add_turn_between(const Vector3& t_W, const Vector3& a_W, double value) { add_turn(a_W.cross(t_W), value); }
  Quaternion relative() const { return Quaternion(R_WP.transpose() * R_WC); }
};

Pose body_pose(const Kinematics& k, int body) {
  return body == world_index ? Pose{} : k.X_WB[body];
}

Frames make_frames(const Joint& joint, const Kinematics& k) {
  const Pose P = body_pose(k, joint.parent) * joint.X_PJ, C = body_pose(k, joint.child) * joint.X_CJ;
  Frames frames{P.R, C.R, C.p - P.p, {}};
  frames.rows.point_W = C.p;
  return frames;
}

void add_point_rows(Frames& frames) {
  for (int i = 0; i < 3; ++i) frames.add_travel(Vector3::Unit(i));
}

// The axis of the child stays along that of the parent: two rows, sines of the angles between them.
void add_axis_rows(const Joint& joint, Frames& frames) {
  const Vector3 t1 = any_orthogonal(joint.axis), t2 = joint.axis.cross(t1);
  const Vector3 a_W = frames.R_WC * joint.axis;
  for (const Vector3& t : {t1, t2}) {
    const Vector3 t_W = frames.R_WP * t;
    frames.add_turn_between(t_W, a_W, t_W.dot(a_W));
  }
}

// No relative rotation: the rotation vector is zero. Its rate is rotation_vector_rate times the relative angular
// velocity.
void add_orientation_rows(Frames& frames) {
  const Vector3 phi = log_rotation(frames.relative());
  const Matrix3 rate_W = frames.R_WP * rotation_vector_rate(phi).transpose();
  for (int i = 0; i < 3; ++i) frames.add_turn(rate_W.col(i), phi[i]);
}

// Angle of a turn about the unit vector `axis`, in (-pi, pi].
double angle_about(const Vector3& axis, const Quaternion& turn) {
  const double angle = 2.0 * std::atan2(turn.vec().dot(axis), turn.w());
  return angle > M_PI ? angle - 2 * M_PI : angle <= -M_PI ? angle + 2 * M_PI : angle;
}

// Angle about `axis` that takes `from` to `to`, seen along the axis.
double angle_between(const Vector3& axis, const Vector3& from, const Vector3& to) {
  const Vector3 a = from - axis.dot(from) * axis, b = to - axis.dot(to) * axis;
  return std::atan2(axis.dot(a.cross(b)), a.dot(b));
}

void add_universal_constraint(const Joint& joint, Frames& frames) {
  const double scale = 1.0 / joint.axis.cross(joint.axis2).norm();
  const Vector3 t_W = frames.R_WP * joint.axis, a_W = frames.R_WC * joint.axis2;
  frames.add_turn_between(scale * t_W, a_W, scale * (t_W.dot(a_W) - joint.axis.dot(joint.axis2)));
}

// Rows dual to the two axes: each sees its own rate only, also where the axes are not orthogonal.
void add_universal_freedom(const Joint& joint, Frames& frames) {
  const Vector3 a1 = frames.R_WP * joint.axis, a2 = frames.R_WC * joint.axis2;
  const double c = a1.dot(a2), s2 = 1 - c * c;
  const Vector3 axis2_P = frames.R_WP.transpose() * a2, axis_C = frames.R_WC.transpose() * a1;
  frames.add_turn((a1 - c * a2) / s2, angle_between(joint.axis, joint.axis2, axis2_P));
  frames.add_turn((a2 - c * a1) / s2, angle_between(joint.axis2, axis_C, joint.axis));
}

void add_turn_freedom(const Joint& joint, Frames& frames) {
  frames.add_turn(frames.R_WP * joint.axis, angle_about(joint.axis, frames.relative()));
}

}  // namespace

JointRows joint_constraint_rows(const Model&, const Joint& joint, const Kinematics& k) {
  Frames frames = make_frames(joint, k);
  const Vector3 t1 = any_orthogonal(joint.axis), t2 = joint.axis.cross(t1);
  switch (joint.type) {
    case JointType::fixed:
      add_point_rows(frames);
      add_orientation_rows(frames);
      break;
    case JointType::revolute:
      add_point_rows(frames);
      add_axis_rows(joint, frames);
      break;
    case JointType::prismatic:
      frames.add_travel(t1);
      frames.add_travel(t2);
      add_orientation_rows(frames);
      break;
    case JointType::cylindrical:
      frames.add_travel(t1);
      frames.add_travel(t2);
      add_axis_rows(joint, frames);
      break;
    case JointType::universal:
      add_point_rows(frames);
      add_universal_constraint(joint, frames);
      break;
    case JointType::planar:
      frames.add_travel(joint.axis);
      add_axis_rows(joint, frames);
      break;
    case JointType::spherical:
      add_point_rows(frames);
      break;
    case JointType::free:
      break;
  }
  return frames.rows;
}

JointRows joint_freedom_rows(const Model&, const Joint& joint, const Kinematics& k) {
  Frames frames = make_frames(joint, k);
  switch (joint.type) {
    case JointType::revolute:
      add_turn_freedom(joint, frames);
      break;
    case JointType::prismatic:
      frames.add_travel(joint.axis);
      break;
    case JointType::cylindrical:
      frames.add_travel(joint.axis);
      add_turn_freedom(joint, frames);
      break;
    case JointType::universal:
      add_universal_freedom(joint, frames);
      break;
    case JointType::planar:
      frames.add_travel(joint.axis2);
      frames.add_travel(joint.axis.cross(joint.axis2));
      add_turn_freedom(joint, frames);
      break;
    case JointType::spherical: {
      const Vector3 phi = log_rotation(frames.relative());
      for (int i = 0; i < 3; ++i) frames.add_turn(frames.R_WP.col(i), phi[i]);
      break;
    }
    case JointType::fixed:
    case JointType::free:
      break;
  }
  return frames.rows;
}

double joint_row_velocity(const Joint& joint, const JointRow& row, const Vector3& point_W, const Kinematics& k) {
  double rate = 0;
  const auto add = [&](int body, double sign) {
    if (body == world_index) return;
    const Twist& twist = k.velocity[body];
    rate += sign * (row.force.dot(twist.at(point_W - k.com_W[body])) + row.moment.dot(twist.angular));
  };
  add(joint.child, 1);
  add(joint.parent, -1);
  return rate;
}

}  // namespace stiction
