// Contacts of the end of a step, measured there with all of the bodies.
#pragma once

#include "stiction/stepping/step_scratch.h"
#include "stiction/stepping/stepper.h"

namespace stiction {

/// Replaces the contacts of `record` by those at the end of the step (scratch.q_next): their places, gaps and rows.
/// `end` is scratch. Returns the deepest overlap of rigid contacts there [m].
double restate_at_end(const Model& model, const State& start, double h, StepScratch& scratch, Kinematics& end,
                      StepRecord& record);

/// True when two bodies that move far in the step, with record.v_position, overlap deeply on the way. `end` and `q` are
/// scratch.
bool passes_through(const Model& model, const State& start, double h, const StepScratch& scratch,
                    const StepRecord& record, Kinematics& end, VectorX& q);

}  // namespace stiction
