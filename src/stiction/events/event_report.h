// An instant of event-driven motion as a step that was solved: what reports and the certificate look at.
//
// Accelerations stand in place of velocities, forces in place of impulses, and the step is one second. Where a contact
// or a joint slips, its velocity stands for its acceleration: friction must be against that.
#pragma once

#include "stiction/events/event_motion.h"

namespace stiction {

/// Fills contacts, problem, islands and answer of `record` from the motion's last accelerate() at `state`.
void write_instant(const Model& model, const State& state, const Accelerations& at, EventMotion& motion,
                   EventWork& work, StepRecord& record);

}  // namespace stiction
