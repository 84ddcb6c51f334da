// The step without contact, joints' closing rows, limits or dry friction: from v to v_free.
//
// Loads are gravity, gyroscopic and Coriolis terms, springs, dampers, actuators. Springs and dampers are implicit
// (their part of the mass matrix is `implicit_diagonal` = h d + h^2 k), so that stiff ones are stable at any step.
// Velocity-product terms:
//  - a free body turns so that its angular momentum half-way through the step is conserved exactly,
//      E(h w+ / 2) I w+ = E(-h w- / 2) I w- + h moment,   E = exponential map, I in world axes at the start of the
//      step,
//    which is symmetric in time, second order, and keeps |L| to rounding when the position turns with w+ (trinkle2003
//    (26));
//  - other trees take them at the mean of v and v_free, by fixed-point iteration.
// An iteration that does not converge (a body that turns by radians within a step) gives way to the explicit value; for
// a free body that one keeps |L| too. Springs, dampers and actuators on loop joints are loads on the two bodies,
// explicit but divided by 1 + (h d + h^2 k) / (effective mass of the two bodies alone), which keeps stiff ones stable
// and changes them by O(h).
#pragma once

#include <cstdint>

#include "stiction/dynamics/aba.h"
#include "stiction/dynamics/crba.h"

namespace stiction {

/// Scratch and results of the free motion; sized by make_free_motion.
struct FreeMotion {
  VectorX v_free;            ///< v_size
  VectorX external_impulse;  ///< v_size: (M + implicit) (v_free - v_start), assembled from the loads by RNEA
  std::vector<double> implicit_diagonal;  ///< v_size: h d + h^2 k of springs, dampers, actuators on tree joints
  VectorX load;                           ///< v_size: generalised forces of joint loads, springs, dampers, actuators
  std::vector<Wrench> external;           ///< bodies: loads of loop joints' springs, dampers, actuators
  std::vector<std::int8_t> saturated;     ///< actuators: sign of the force limit that holds it, or 0
  VectorX vdot, v_mean, tau, zero;        ///< v_size: scratch
  std::vector<std::uint8_t> pending;      ///< trees still to be solved: scratch
  Recursion recursion;
};

/// Memory for a model.
FreeMotion make_free_motion(const Model& model);

/// Expects kinematics updated at (state, h); leaves the velocity part of `kinematics` at state.v again. `joint_load` is
/// an extra generalised force (v_size numbers: controllers, or empty).
void compute_free_motion(const Model& model, const State& state, double h, std::span<const double> joint_load,
                         Kinematics& kinematics, FreeMotion& result);

/// The acceleration at this moment under the same loads, nothing implicit. Expects kinematics of (state, h = 0).
void compute_acceleration(const Model& model, const State& state, std::span<const double> joint_load,
                          const Kinematics& kinematics, FreeMotion& scratch, VectorX& vdot);

}  // namespace stiction
