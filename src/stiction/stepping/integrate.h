// What follows contacts that were handled first: loads move the bodies from (q, v+) to the end of the step.
#pragma once

#include "stiction/stepping/step.h"

namespace stiction {

/// All generalised forces that callers and controllers add at (state, kinematics), into w.applied_force.
void gather_applied_forces(const Model& model, const State& state, const Kinematics& kinematics, StepWorkspace& w);

/// From state.q and the velocities `v_plus` that the contacts left to w.q_next and w.v_next. Leaves w.kinematics at
/// state.q and v_plus; uses w.free_motion. Returns the joint whose orientation is singular, as integrate_positions does.
std::optional<int> integrate_loads(const Model& model, methods::Integrator integrator, Representation representation,
                                   const State& state, const VectorX& v_plus, double h, StepWorkspace& w);

}  // namespace stiction
