// The rows that assemble.cc is made of: blocks of the Jacobian, and the rows of joints. For contact/ only.
#pragma once

#include <array>

#include "stiction/contact/assemble.h"

namespace stiction::contact {

/// The tree that a body moves with; -1 for the world and bodies that no joint moves.
int tree_of(const Model& model, int body);

/// Appends a block of zero rows over two trees (-1: none) and returns its index.
int add_block(const Model& model, int tree_A, int tree_B, int rows, StepProblem& problem);

/// Adds to row `row` of a block: pushes B with a unit load and A with the opposite one.
void add_pair_load(const Model& model, const Kinematics& kinematics, int block, int row, int A, int B,
                   const Vector3& point, const Vector3& force, const Vector3& moment, StepProblem& problem);

/// The rows of one contact into an empty block: unit forces along the axes n, t, o as far as there are rows, then a
/// unit moment about n, on B and the opposite ones on A.
void write_contact_rows(const Model& model, const Kinematics& kinematics, int block, int A, int B, const Vector3& point,
                        const std::array<Vector3, 3>& axes, StepProblem& problem);

/// Velocity of B over A at a point that prescribed bodies cause.
Twist prescribed_relative(const Model& model, const Kinematics& kinematics, int A, int B, const Vector3& point);

/// Velocity along a row that prescribed bodies cause: the partial time derivative of the gap or constraint.
double prescribed_rate(const Model& model, const Kinematics& kinematics, int A, int B, const Vector3& point,
                       const Vector3& force, const Vector3& moment);

/// trinkle2003 (28), the rows of a loop joint: W_b^T v + psi_b / h + d psi_b / dt = 0.
void add_bilateral(const Model& model, const Kinematics& kinematics, const Joint& joint, double h,
                   const AssemblyOptions& options, StepProblem& problem);

/// Limits that may be reached in the step with the velocities v, and dry friction (38), of all joints' coordinates.
void add_limits_and_joint_friction(const Model& model, const State& state, const Kinematics& kinematics,
                                   const VectorX& v, double h, const AssemblyOptions& options,
                                   AssemblyWorkspace& workspace, StepProblem& problem);

}  // namespace stiction::contact
