// What a step can run into: the contacts that take part in it.
#pragma once

#include "stiction/contact/contact_memory.h"
#include "stiction/stepping/step_scratch.h"

namespace stiction {

/// Contacts within the reach of detection, with what anchors know of them.
void find_contacts(const Model& model, const contact::ContactMemory& memory, StepScratch& scratch,
                   std::vector<contact::Contact>& contacts);

/// The active set of anitescu1998 (14): f(q + h v) <= 0 with v of the start of the step, in scratch.kinematics.
void keep_active(const Model& model, double h, const StepScratch& scratch, std::vector<contact::Contact>& contacts);

/// True when v_end moves bodies or joints so far that contacts or limits may be missing; `contacts` then has them.
bool missed_something(const Model& model, const State& state, const VectorX& v_end, double h,
                      const contact::ContactMemory& memory, StepScratch& scratch,
                      std::vector<contact::Contact>& contacts);

}  // namespace stiction
