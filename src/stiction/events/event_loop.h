// Event-driven motion: from event to event with exact times, instead of fixed steps.
//
// Between events the modes of contacts are fixed (contact_modes.h) and the motion is smooth: q' = G(q) v, v' from the
// modes' forces, by smooth_motion.h with error control. An event ends it where, falling through zero,
//
//     the gap of what is open                        something is hit, or a limit reached
//     the margin of the forces                       a contact opens or begins to slip; dry friction gives way
//     the slip along the direction it had            slip ends, in contacts and joints
//
// Then `settle`: everything that touches is collected, impacts are resolved together (event_impact.h) as long as
// anything approaches; new modes are found from those before. What already holds goes on where several modes would.
//
// Bounces. A contact that has opened carries its gap as a variable of the motion, from zero at the impact: bounces of
// 1e-18 m are followed where positions resolve 1e-16. A sequence of at least 30 impacts of one contact at ever shorter
// intervals ends when what is left of it, a geometric series, fits into accumulation_time: the last has no restitution.
//
// Closed contacts, sticking ones and closing joints are put right at events and at the end of a step, in velocity and
// in gap; never by more than rounding and the tolerance of the integration.
//
// The step of the scene is only how often motion is reported. Forces reported are those of that instant, impacts apart;
// the certificate judges them as accelerations, and every impact as a step of its own.
#pragma once

#include <string>

#include "stiction/events/contact_modes.h"
#include "stiction/events/event_options.h"
#include "stiction/events/events.h"
#include "stiction/stepping/applied_forces.h"
#include "stiction/stepping/projection.h"
#include "stiction/stepping/stepper.h"

namespace stiction {

using contact::BounceRow;
using contact::TrackedGap;

/// What a step works with: the modes that it goes on from and leaves behind, its events, and scratch.
struct EventWork : contact::ModeMemory {
  StepEvents last;  ///< events of the step
  Instant now, scratch;
  InstantRows rows;
  contact::Islands islands;
  AppliedForces forces;
  certify::CertifyWorkspace certify;
  ProjectionWorkspace projection;

  explicit EventWork(const Model& model);
};

/// One step from event to event: `state` advances by input.h. `instants` solves what neither modes nor the impact law
/// resolve. False: `failure` says why, and state and work are of no use.
bool advance_by_events(const Model& model, const EventDrivenOptions& options, IslandSolver& instants,
                       const StepInput& input, const contact::ContactMemory& memory, State& state, EventWork& work,
                       StepRecord& record, StepOutcome& outcome);

}  // namespace stiction
