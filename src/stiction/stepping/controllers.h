// Controllers: joints that follow trajectories, or accelerate, by inverse dynamics.
//
//     tau = RNEA(q, v, vdot_wanted) + stiffness (q_wanted - q) + damping (v_wanted - v)
//
// RNEA knows no contact: what a gripper holds is left to stiffness and damping. Coordinates of the same tree that no
// controller drives count with acceleration zero, and get no force.
#pragma once

#include "stiction/dynamics/rnea.h"

namespace stiction {

/// Scratch, sized by make_controller_workspace.
struct ControllerWorkspace {
  VectorX wanted, tau;  ///< v_size: accelerations asked for, forces that they take
  Recursion recursion;
};

/// Memory for a model.
ControllerWorkspace make_controller_workspace(const Model& model);

/// Where a controller wants its coordinate at a time.
struct Wanted {
  double position = 0, velocity = 0, acceleration = 0;
};

/// A trajectory's point; for a controller of an acceleration position and velocity are zero and not asked for.
Wanted wanted_motion(const Controller& controller, double time);

/// Adds the forces of all controllers to `force` (v_size numbers). Kinematics must be those of the state.
void add_controller_forces(const Model& model, const State& state, const Kinematics& kinematics,
                           ControllerWorkspace& workspace, std::span<double> force);

}  // namespace stiction
