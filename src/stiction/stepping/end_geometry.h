// A step whose contacts are those of its end, as the certificate and reports see it: measured anew, by the general distance.
#pragma once

#include "stiction/stepping/step.h"

namespace stiction {

/// Replaces w.contacts and the contacts' rows and gaps of w.problem by those at w.q_next, with velocities v_end. Every
/// contact keeps its number and key; its place is that of the manifold of its shapes there, found without the method.
/// Returns the deepest overlap [m] of the rigid pairs that have contacts, at any of their points.
double restate_at_end(const Model& model, const State& start, double h, StepWorkspace& w);

/// Whether some rigid pair with a contact, moving a good part of its size within the step, has passed through itself on
/// the way from `start` to w.q_next, or ends deep in the other: sampled along the step's own motion. Uses
/// w.end_kinematics.
bool passes_through(const Model& model, const State& start, double h, StepWorkspace& w);

}  // namespace stiction
