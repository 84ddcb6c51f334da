// How event-driven motion is followed (scene: [method.event-driven]).
#pragma once

#include "stiction/events/impacts/simultaneous_impact.h"

namespace stiction {

/// Options of EventStepper.
struct EventDrivenOptions {
  ImpactRule rule = ImpactRule::coulomb;  ///< of simultaneous impacts
  double tolerance = 1e-10;               ///< 1e-13..1e-3: relative error of the motion between events
  double simultaneous_gap = 1e-9;         ///< m, > 0: what is no farther apart than this when something hits, hits too
  double accumulation_time = 1e-9;  ///< s, > 0: impacts that follow each other ever faster have ended when all that are
                                    ///< left fit into this time, and there were 30 of them
  int max_impacts = 5000;           ///< >= 1: a pair that hits more often in one step does so without restitution
  /// >= 1000: of accelerations in one step, of up to ten contacts; the work of more grows with the cube of their
  /// number. Beyond it exact-cone takes the step.
  int max_evaluations = 50000;
  int max_choices = 64;  ///< >= 1: of constrained velocities that an impact is resolved with
};

}  // namespace stiction
