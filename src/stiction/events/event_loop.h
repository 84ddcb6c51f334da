// Event-driven motion: from event to event with exact times, instead of fixed steps.
//
// Between events the modes of contacts are fixed (contact_modes.h) and the motion is smooth: q' = G(q) v, v' from the
// modes' forces, by smooth_motion.h with error control. An event ends it where, falling through zero,
//
//     the gap of what is open                        something is hit, or a limit reached
//     the margin of the forces                       a contact opens or begins to slip; dry friction gives way
//     the slip along the direction it had            slip ends, in contacts and joints
//
// Then `settle`: everything that touches is collected, impacts are resolved together (event_impact.h) as long as anything
// approaches, and modes are found anew from those before. What already holds goes on where several modes would.
//
// Bounces. A contact that has opened carries its gap as a variable of the motion, from zero at the impact: bounces of
// 1e-18 m are followed where positions resolve 1e-16. A sequence of at least 30 impacts of one contact at ever shorter
// intervals ends when what is left of it, a geometric series, fits into accumulation_time: the last has no restitution.
//
// Closed contacts, sticking ones and closing joints are put right at events and at the end of a step, in velocity and in
// gap; never by more than rounding and the tolerance of the integration.
//
// The step of the scene is only how often motion is reported. Forces reported are those of that instant, impacts apart; the
// certificate judges them as accelerations, and every impact as a step of its own.
#pragma once

#include "stiction/events/contact_modes.h"
#include "stiction/events/events.h"
#include "stiction/stepping/step.h"

namespace stiction {

/// A contact that is open but was closed: its gap since then.
struct TrackedGap {
  std::uint64_t key = 0;
  double gap = 0;  ///< m
  double age = 0;  ///< s
};

/// Impacts of one contact in a row.
struct BounceRow {
  std::uint64_t key = 0;
  int count = 0;         ///< with ever shorter intervals
  double last = 0;       ///< s: time of the last
  double interval = -1;  ///< s: before it
  long step = -1;        ///< number of the step that `in_step` counts in
  int in_step = 0;
};

/// What goes on from step to step; scratch besides.
struct EventMemory {
  ModeSet modes;
  std::vector<TrackedGap> tracked;  ///< sorted by key
  std::vector<BounceRow> bounces;   ///< sorted by key
  StepEvents last;                  ///< of the last step
  Instant now, scratch;
  InstantRows rows;
  contact::Islands islands;
};

/// Memory for a model.
std::shared_ptr<EventMemory> make_event_memory(const Model& model);

/// Advances `state` by h; `index` is the number of the step.
StepOutcome advance_by_events(const Model& model, methods::Method& method, double h, State& state, StepWorkspace& w,
                              long index);

}  // namespace stiction
