#include "stiction/dynamics/joint_rows.h"

#include "stiction/model/joint_traits.h"

namespace stiction {
namespace {

Pose body_pose(const Kinematics& k, int body) {
  return body == world_index ? Pose{} : k.X_WB[body];
}

JointFrames make_frames(const Joint& joint, const Kinematics& k) {
  const Pose P = body_pose(k, joint.parent) * joint.X_PJ, C = body_pose(k, joint.child) * joint.X_CJ;
  JointFrames frames{P.R, C.R, C.p - P.p, {}};
  frames.rows.point_W = C.p;
  return frames;
}

}  // namespace

JointRows joint_constraint_rows(const Model&, const Joint& joint, const Kinematics& k) {
  JointFrames frames = make_frames(joint, k);
  joint_traits(joint.type).add_held_rows(joint, frames);
  return frames.rows;
}

JointRows joint_freedom_rows(const Model&, const Joint& joint, const Kinematics& k) {
  JointFrames frames = make_frames(joint, k);
  joint_traits(joint.type).add_freed_rows(joint, frames);
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
