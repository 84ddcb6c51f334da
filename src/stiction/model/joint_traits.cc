// The joint types one after the other, each with its pose, its axes and its rows, and the table that lists them.
#include "stiction/model/joint_traits.h"

#include <cmath>

#include <fmt/format.h>

#include "stiction/base/assert.h"
#include "stiction/math/rotation.h"
#include "stiction/model/checker.h"

namespace stiction {
namespace {

Matrix3 turn(const Vector3& axis, double angle) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

void add_no_rows(const Joint&, JointFrames&) {}

// fixed; a free joint has the same pose and axes, for which nobody asks.

Pose fixed_pose(const Joint&, const double*) {
  return {};
}

std::array<Vector3, 3> fixed_axes(const Joint&, const double*) {
  return {};
}

void add_fixed_held(const Joint&, JointFrames& frames) {
  frames.add_point();
  frames.add_orientation();
}

// revolute: q = angle about axis

Pose revolute_pose(const Joint& joint, const double* q) {
  return {turn(joint.axis, q[0]), Vector3::Zero()};
}

std::array<Vector3, 3> axis_alone(const Joint& joint, const double*) {
  return {joint.axis};
}

void add_revolute_held(const Joint& joint, JointFrames& frames) {
  frames.add_point();
  frames.add_alignment(joint.axis);
}

void add_revolute_freed(const Joint& joint, JointFrames& frames) {
  frames.add_angle(joint.axis);
}

// prismatic: q = travel along axis

Pose prismatic_pose(const Joint& joint, const double* q) {
  return {Matrix3::Identity(), joint.axis * q[0]};
}

void add_prismatic_held(const Joint& joint, JointFrames& frames) {
  frames.add_line(joint.axis);
  frames.add_orientation();
}

void add_prismatic_freed(const Joint& joint, JointFrames& frames) {
  frames.add_travel(joint.axis);
}

// spherical: q = quaternion; velocity in the joint frame on the parent

Pose spherical_pose(const Joint&, const double* q) {
  return {load_quaternion(q).toRotationMatrix(), Vector3::Zero()};
}

std::array<Vector3, 3> spherical_axes(const Joint&, const double*) {
  return {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
}

void add_spherical_held(const Joint&, JointFrames& frames) {
  frames.add_point();
}

void add_spherical_freed(const Joint&, JointFrames& frames) {
  const Vector3 phi = log_rotation(frames.relative());
  for (int i = 0; i < 3; ++i) frames.add_turn(frames.R_WP.col(i), phi[i]);
}

// planar: q = travel along axis2, travel along axis x axis2, angle about axis

Pose planar_pose(const Joint& joint, const double* q) {
  return {turn(joint.axis, q[2]), joint.axis2 * q[0] + joint.axis.cross(joint.axis2) * q[1]};
}

std::array<Vector3, 3> planar_axes(const Joint& joint, const double*) {
  return {joint.axis2, joint.axis.cross(joint.axis2), joint.axis};
}

void add_planar_held(const Joint& joint, JointFrames& frames) {
  frames.add_travel(joint.axis);
  frames.add_alignment(joint.axis);
}

void add_planar_freed(const Joint& joint, JointFrames& frames) {
  frames.add_travel(joint.axis2);
  frames.add_travel(joint.axis.cross(joint.axis2));
  frames.add_angle(joint.axis);
}

// universal: q = angle about axis, angle about axis2, which the first turn carries along

Pose universal_pose(const Joint& joint, const double* q) {
  return {turn(joint.axis, q[0]) * turn(joint.axis2, q[1]), Vector3::Zero()};
}

std::array<Vector3, 3> universal_axes(const Joint& joint, const double* q) {
  return {joint.axis, turn(joint.axis, q[0]) * joint.axis2};
}

void add_universal_held(const Joint& joint, JointFrames& frames) {
  frames.add_point();
  const double scale = 1.0 / joint.axis.cross(joint.axis2).norm();
  const Vector3 t_W = frames.R_WP * joint.axis, a_W = frames.R_WC * joint.axis2;
  frames.add_turn_between(scale * t_W, a_W, scale * (t_W.dot(a_W) - joint.axis.dot(joint.axis2)));
}

// Angle about `axis` that takes `from` to `to`, seen along the axis.
double angle_between(const Vector3& axis, const Vector3& from, const Vector3& to) {
  const Vector3 a = from - axis.dot(from) * axis, b = to - axis.dot(to) * axis;
  return std::atan2(axis.dot(a.cross(b)), a.dot(b));
}

// Rows dual to the two axes: each sees its own rate only, also where the axes are not orthogonal.
void add_universal_freed(const Joint& joint, JointFrames& frames) {
  const Vector3 a1 = frames.R_WP * joint.axis, a2 = frames.R_WC * joint.axis2;
  const double c = a1.dot(a2), s2 = 1 - c * c;
  const Vector3 axis2_P = frames.R_WP.transpose() * a2, axis_C = frames.R_WC.transpose() * a1;
  frames.add_turn((a1 - c * a2) / s2, angle_between(joint.axis, joint.axis2, axis2_P));
  frames.add_turn((a2 - c * a1) / s2, angle_between(joint.axis2, axis_C, joint.axis));
}

// cylindrical: q = travel along axis, angle about it

Pose cylindrical_pose(const Joint& joint, const double* q) {
  return {turn(joint.axis, q[1]), joint.axis * q[0]};
}

std::array<Vector3, 3> axis_twice(const Joint& joint, const double*) {
  return {joint.axis, joint.axis};
}

void add_cylindrical_held(const Joint& joint, JointFrames& frames) {
  frames.add_line(joint.axis);
  frames.add_alignment(joint.axis);
}

void add_cylindrical_freed(const Joint& joint, JointFrames& frames) {
  frames.add_travel(joint.axis);
  frames.add_angle(joint.axis);
}

// screw: q = angle about axis, which travels pitch / (2 pi) along it per radian: right-handed where pitch is positive

double lead_of(const Joint& joint) {
  return joint.pitch / (2 * M_PI);
}

Pose screw_pose(const Joint& joint, const double* q) {
  return {turn(joint.axis, q[0]), joint.axis * (lead_of(joint) * q[0])};
}

// How far the travel is ahead of the angle, and the angle. The frames tell the angle but for whole turns; the travel
// tells those, so that the nut may be half a pitch off before it counts as a turn further.
struct ScrewPosition {
  double ahead, angle;
};

ScrewPosition screw_position(const Joint& joint, const JointFrames& frames) {
  const double angle = angle_about(joint.axis, frames.relative());
  const double travel = (frames.R_WP * joint.axis).dot(frames.d_W) - lead_of(joint) * angle;
  const double ahead = std::remainder(travel, joint.pitch);
  return {ahead, angle + 2 * M_PI * std::round((travel - ahead) / joint.pitch)};
}

void add_screw_held(const Joint& joint, JointFrames& frames) {
  frames.add_line(joint.axis);
  frames.add_alignment(joint.axis);
  const Vector3 gradient_W = frames.R_WP * angle_gradient(joint.axis, frames.relative());
  frames.add(frames.R_WP * joint.axis, -lead_of(joint) * gradient_W, screw_position(joint, frames).ahead);
}

void add_screw_freed(const Joint& joint, JointFrames& frames) {
  frames.add_turn(frames.R_WP * joint.axis, screw_position(joint, frames).angle);
}

}  // namespace

constexpr JointTraits joint_traits_table[] = {
    {.type = JointType::fixed,
     .name = "fixed",
     .sentence = "welds the child to the parent",
     .pose = fixed_pose,
     .axes = fixed_axes,
     .add_held_rows = add_fixed_held,
     .add_freed_rows = add_no_rows},
    {.type = JointType::revolute,
     .name = "revolute",
     .sentence = "turns about axis",
     .vector_size = 1,
     .has_axis = true,
     .pose = revolute_pose,
     .axes = axis_alone,
     .add_held_rows = add_revolute_held,
     .add_freed_rows = add_revolute_freed},
    {.type = JointType::prismatic,
     .name = "prismatic",
     .sentence = "slides along axis",
     .vector_size = 1,
     .travels = 1,
     .has_axis = true,
     .pose = prismatic_pose,
     .axes = axis_alone,
     .add_held_rows = add_prismatic_held,
     .add_freed_rows = add_prismatic_freed},
    {.type = JointType::spherical,
     .name = "spherical",
     .sentence = "turns about a point",
     .quaternion = true,
     .pose = spherical_pose,
     .axes = spherical_axes,
     .add_held_rows = add_spherical_held,
     .add_freed_rows = add_spherical_freed},
    {.type = JointType::planar,
     .name = "planar",
     .sentence = "slides in the plane normal to axis and turns about it",
     .vector_size = 3,
     .travels = 2,
     .has_axis = true,
     .second_axis = SecondAxis::travel,
     .pose = planar_pose,
     .axes = planar_axes,
     .add_held_rows = add_planar_held,
     .add_freed_rows = add_planar_freed},
    {.type = JointType::universal,
     .name = "universal",
     .sentence = "turns about axis, then about axis2",
     .vector_size = 2,
     .has_axis = true,
     .second_axis = SecondAxis::turn,
     .pose = universal_pose,
     .axes = universal_axes,
     .add_held_rows = add_universal_held,
     .add_freed_rows = add_universal_freed},
    {.type = JointType::cylindrical,
     .name = "cylindrical",
     .sentence = "slides along and turns about axis",
     .vector_size = 2,
     .travels = 1,
     .has_axis = true,
     .pose = cylindrical_pose,
     .axes = axis_twice,
     .add_held_rows = add_cylindrical_held,
     .add_freed_rows = add_cylindrical_freed},
    {.type = JointType::free,
     .name = "free",
     .sentence = "moves anywhere",
     .vector_size = 3,
     .travels = 3,
     .quaternion = true,
     .pose = fixed_pose,
     .axes = fixed_axes,
     .add_held_rows = add_no_rows,
     .add_freed_rows = add_no_rows},
    {.type = JointType::screw,
     .name = "screw",
     .sentence = "turns about axis and travels pitch along it per turn",
     .vector_size = 1,
     .has_axis = true,
     .has_pitch = true,
     .pose = screw_pose,
     .axes = axis_alone,
     .add_held_rows = add_screw_held,
     .add_freed_rows = add_screw_freed},
};

namespace {

constexpr bool stands_in_order() {
  size_t index = 0;
  for (const JointTraits& traits : joint_traits_table)
    if (static_cast<size_t>(traits.type) != index++) return false;
  return true;
}
static_assert(stands_in_order(), "joint_traits() finds a type by its place");

}  // namespace

std::span<const JointTraits> all_joint_traits() {
  return joint_traits_table;
}

JointAxes joint_axes(const Joint& joint, const double* q) {
  STICTION_DASSERT(!is_free(joint.type), "a free joint has a pose in the world, and no axes");
  const JointTraits& traits = joint_traits(joint.type);
  return {traits.axes(joint, q), traits.travels, traits.v_size(), traits.has_pitch ? lead_of(joint) : 0};
}

void write_motion_subspace(const JointAxes& axes, const Matrix3& R_WJ, const Vector3& arm, double* columns) {
  for (int k = 0; k < axes.count; ++k) {
    const Vector3 axis_W = R_WJ * axes.axis[k];
    Eigen::Map<Vector3> linear(columns + 6 * k), angular(columns + 6 * k + 3);
    if (k < axes.linear_count) {
      linear = axis_W;
      angular.setZero();
    } else {
      linear = axis_W.cross(arm);
      if (axes.lead != 0) linear += axes.lead * axis_W;
      angular = axis_W;
    }
  }
}

void joint_coordinates(const Joint& joint, const double* q, double* values) {
  const JointTraits& traits = joint_traits(joint.type);
  for (int k = 0; k < traits.vector_size; ++k) values[k] = q[k];
  if (!traits.quaternion) return;
  Eigen::Map<Vector3> rotation(values + traits.vector_size);
  rotation = log_rotation(load_quaternion(q + traits.vector_size));
}

void reference_coordinates(const JointTraits& traits, std::span<const double> reference, double* q) {
  for (int k = 0; k < traits.vector_size; ++k) q[k] = reference.empty() ? 0 : reference[k];
  if (traits.quaternion) store_quaternion(Quaternion::Identity(), q + traits.vector_size);
}

namespace {

void set_pitch(const JointDescription& d, const Item& item, Checker& check, Joint& joint) {
  check.require(std::isfinite(d.pitch), item, "joint pitch is not finite", "Give a finite number of m per turn.");
  check.require(d.pitch != 0, item, "joint has no pitch",
                "Give pitch, the travel in m per turn, such as pitch = 0.005; negative: a left-handed thread.");
  joint.pitch = d.pitch;
}

}  // namespace

void set_joint_constants(const JointDescription& d, const Item& item, Checker& check, Joint& joint) {
  const JointTraits& traits = joint_traits(d.type);
  if (!traits.has_axis) return;
  check.require(d.axis.allFinite(), item, "joint axis is not finite", "Give three finite numbers.");
  check.require(d.axis.norm() > 0, item, "joint axis is zero", "Give a direction, such as axis = [0, 0, 1].");
  if (check.failed()) return;
  joint.axis = d.axis.normalized();
  joint.axis2 = any_orthogonal(joint.axis);
  if (traits.has_pitch) set_pitch(d, item, check, joint);
  if (traits.second_axis == SecondAxis::unused) return;
  if (traits.second_axis == SecondAxis::turn && !d.axis2)
    check.fail(item, fmt::format("{} joint has no axis2", traits.name),
               "Give axis2, the second axis, not parallel to axis.");
  if (!d.axis2) return;
  check.require(d.axis2->allFinite(), item, "joint axis2 is not finite", "Give three finite numbers.");
  check.require(d.axis2->norm() > 0, item, "joint axis2 is zero", "Give a direction, such as axis2 = [1, 0, 0].");
  if (check.failed()) return;
  joint.axis2 = d.axis2->normalized();
  check.require(joint.axis.cross(joint.axis2).norm() > 1e-6, item, "joint axes are parallel",
                "Give an axis2 that is not parallel to axis.");
  if (traits.second_axis == SecondAxis::travel)
    joint.axis2 = (joint.axis2 - joint.axis.dot(joint.axis2) * joint.axis).normalized();
}

std::vector<double> joint_constants(const Joint& joint) {
  std::vector<double> constants(joint.axis.begin(), joint.axis.end());
  constants.insert(constants.end(), joint.axis2.begin(), joint.axis2.end());
  if (joint_traits(joint.type).has_pitch) constants.push_back(joint.pitch);
  return constants;
}

}  // namespace stiction
