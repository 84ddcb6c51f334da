// A step whose contacts are those of its end, as the certificate and reports see it: measured anew, by the general distance.
#pragma once

#include "stiction/simulation/step.h"

namespace stiction {

/// Replaces w.contacts and the contacts' rows and gaps of w.problem by those at w.q_next, with velocities v_end. Every
/// contact keeps its number and key; its place is that of the manifold of its shapes there, found without the method.
/// Returns the deepest overlap [m] of the rigid pairs that have contacts, at any of their points.
double restate_at_end(const Model& model, const State& start, double h, StepWorkspace& w);

}  // namespace stiction
