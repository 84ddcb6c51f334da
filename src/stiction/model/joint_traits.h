// What a joint type is: the one place that tells one type from another. Everything else asks the traits.
//
// J(q) is the joint frame on the child seen from the joint frame on the parent, so X_WB(child) = X_WB(parent) X_PJ J(q)
// X_CJ^-1. Every joint but the free one is a sequence of travels followed by turns about the child's joint origin; the
// turn of a screw takes that origin along its axis.
// A new type is an enumerator of JointType and, in joint_traits.cc, its functions and its row of the table.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "stiction/model/joint_frames.h"
#include "stiction/model/model.h"

namespace stiction {

class Checker;
struct Item;

/// What the key `axis2` means to a joint type.
enum class SecondAxis {
  unused,
  turn,   ///< the second axis of turning, which the first turn carries along; required, not parallel to `axis`
  travel  ///< the first direction of travel, made orthogonal to `axis`; any where the scene gives none
};

/// One joint type. Coordinates are `vector_size` plain numbers, lengths before angles, followed by a unit quaternion
/// where `quaternion` says so; velocities are the numbers' rates, followed by an angular velocity.
struct JointTraits {
  JointType type;
  std::string_view name;      ///< in scene files
  std::string_view sentence;  ///< what it lets the child do, for lists
  int vector_size = 0;        ///< coordinates that are plain numbers: each can have a limit, a reference, a controller
  int travels = 0;            ///< how many of them, the first ones, are lengths [m]; the others are angles [rad]
  bool quaternion = false;    ///< an orientation follows; its coordinates for springs and actuators: a rotation vector
  bool has_axis = false;      ///< uses the key `axis`
  bool has_pitch = false;     ///< uses the key `pitch`: every turn travels along its axis, too
  SecondAxis second_axis = SecondAxis::unused;
  Pose (*pose)(const Joint& joint, const double* q);                    ///< J(q)
  std::array<Vector3, 3> (*axes)(const Joint& joint, const double* q);  ///< see JointAxes
  void (*add_held_rows)(const Joint& joint, JointFrames& frames);       ///< 6 - v_size() constraints, value psi
  void (*add_freed_rows)(const Joint& joint, JointFrames& frames);      ///< one row per velocity, value its coordinate

  int v_size() const { return vector_size + (quaternion ? 3 : 0); }
  int q_size() const { return vector_size + (quaternion ? 4 : 0); }
  bool is_travel(int coordinate) const { return coordinate < travels; }
};

extern const JointTraits joint_traits_table[];  ///< by JointType

/// The traits of a type.
inline const JointTraits& joint_traits(JointType type) {
  return joint_traits_table[static_cast<size_t>(type)];
}

/// All types, in the order of JointType.
std::span<const JointTraits> all_joint_traits();

/// The name used in scene files.
inline std::string_view joint_type_name(JointType type) {
  return joint_traits(type).name;
}

/// A free joint constrains nothing, and its coordinates are a pose in the world: the recursions start anew at it.
inline bool is_free(JointType type) {
  return type == JointType::free;
}

/// The directions of a joint's velocities, in the joint frame on the parent: first travels, then turns about the joint
/// origin on the child.
struct JointAxes {
  std::array<Vector3, 3> axis;
  int linear_count = 0;  ///< travels
  int count = 0;         ///< all
  double lead = 0;       ///< m/rad: what a turn travels along its own axis
};

/// J(q); `q` are the joint's own coordinates. Not for free joints, whose coordinates are world poses.
inline Pose joint_pose(const Joint& joint, const double* q) {
  return joint_traits(joint.type).pose(joint, q);
}

/// Directions at q. Not for free joints.
JointAxes joint_axes(const Joint& joint, const double* q);

/// Writes one column per velocity, the twist of the child's centre of mass (world axes, linear first), to `columns` (6
/// numbers per column). R_WJ is the joint frame on the parent, `arm` leads from the joint origin on the child to its
/// centre of mass.
void write_motion_subspace(const JointAxes& axes, const Matrix3& R_WJ, const Vector3& arm, double* columns);

/// One number per velocity: travels and angles as they are, orientations as rotation vectors. This is what limits,
/// springs and actuators of the joint act on.
void joint_coordinates(const Joint& joint, const double* q, double* values);

/// The coordinates of a joint at the scene's poses: `reference` (empty: zero), and no turn where it has a quaternion.
void reference_coordinates(const JointTraits& traits, std::span<const double> reference, double* q);

/// Checks the numbers of a description that shape J(q) and gives them to the joint: unit axes, axis2 as SecondAxis
/// says, pitch.
void set_joint_constants(const JointDescription& description, const Item& item, Checker& check, Joint& joint);

/// Those numbers, for hashes.
std::vector<double> joint_constants(const Joint& joint);

}  // namespace stiction
