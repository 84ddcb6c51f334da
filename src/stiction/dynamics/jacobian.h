// Jacobians of body-fixed points: how generalised velocities move them.
#pragma once

#include <array>

#include "stiction/dynamics/kinematics.h"

namespace stiction {

/// Adds to `row` (the v_size of the body's tree numbers) the generalised form of a force and a moment that act on
/// `body`, the force at `point_W`: row += S^T (force, moment). A row of a Jacobian is the generalised form of a unit
/// load. Bodies that are not simulated add nothing.
void add_generalized_load(const Model& model, const Kinematics& kinematics, int body, const Vector3& point_W,
                          const Vector3& force_W, const Vector3& moment_W, double* row);

/// Adds to the rows of a contact, row-major with `stride` numbers each: the velocities of the point of `body` at
/// `point_W` along the three axes, as far as there are rows, then the turn about the first axis, times `sign`.
void add_contact_rows(const Model& model, const Kinematics& kinematics, int body, const Vector3& point_W,
                      const std::array<Vector3, 3>& axes, int row_count, double sign, int stride, double* rows);

/// 6 x v_size Jacobian of the twist of `body` at `point_W` (linear first), for tests and users.
void body_jacobian(const Model& model, const Kinematics& kinematics, int body, const Vector3& point_W, Matrix6X& J);

/// Velocity of the point of `body` at `point_W` caused by prescribed motion alone (zero generalised velocities).
Twist prescribed_twist(const Model& model, const Kinematics& kinematics, int body, const Vector3& point_W);

}  // namespace stiction
