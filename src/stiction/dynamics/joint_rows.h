// A joint seen as rows on its two bodies: the constraints it imposes and the coordinates it leaves free.
//
// A row is a pair of loads: psi_dot = row.parent . V_parent + row.child . V_child with the bodies' twists at a common
// point.
#pragma once

#include "stiction/dynamics/kinematics.h"
#include "stiction/model/joint_frames.h"

namespace stiction {

/// The bilateral constraints of a (loop) joint: 6 - freedom rows, value = psi (trinkle2003 (7)).
JointRows joint_constraint_rows(const Model& model, const Joint& joint, const Kinematics& kinematics);

/// The free directions of a (loop) joint with its coordinates, for limits, friction, springs and actuators on it: row .
/// V is the joint's velocity, the one a tree joint of the type has. Angles are within (-pi, pi] unless the
/// type can tell whole turns. Spherical joints give three rows whose values are the rotation vector (whose rate is
/// rotation_vector_rate times the rows); free joints none.
JointRows joint_freedom_rows(const Model& model, const Joint& joint, const Kinematics& kinematics);

/// Rate of a row: what it does with the twists of the joint's two bodies.
double joint_row_velocity(const Joint& joint, const JointRow& row, const Vector3& point_W,
                          const Kinematics& kinematics);

}  // namespace stiction
