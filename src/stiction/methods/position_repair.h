// Overlap and drift repaired at position level: a velocity w that moves positions in this step and is then forgotten.
//
// Driving bodies apart by their velocity (gap/h in the normal law) leaves them with that velocity: a box that starts 1 mm
// inside the ground jumps. Here velocities are already right, and w, of the least kinetic energy, does
//
//     bilateral rows:          J w = 0
//     contacts and limits:     0 <= r_n  orthogonal to  J_n w + max(u_n + gap/h, -recovery speed) >= 0
//     sticking contacts:       J_f w + drift/h = 0 as far as r_f in the friction set of the step's own p_n allows
//     sticking joint friction: J w = 0 as far as the bound allows
//
// with u of the step's answer: the gap at the end is not negative, to first order, and what sticks returns to where it
// stuck, within the cone. This is a FrictionProblem with the step's own W plus a thousandth of its diagonal: contacts may
// be redundant and their drifts disagree by rounding, which a rigid answer would meet with large impulses against each
// other. What compliance leaves, the next step measures and repairs.
#pragma once

#include "stiction/methods/island_friction_problem.h"

namespace stiction::methods {

/// What to repair, and how fast.
struct RepairOptions {
  double max_recovery_speed = 0.5;  ///< m/s or rad/s
  double tolerance = 1e-6;          ///< overlap and drift below this fraction of what the bodies would move in the step
                                    ///< without impulses are left alone
  bool close_drift = true;          ///< of sticking contacts
};

/// Fills `result` with the problem above; false when there is nothing to repair. `answer` holds the island's step.
bool form_repair_problem(const StepProblem& step, const contact::Island& island, std::span<const int> blocks,
                         const IslandRows& rows, const StepAnswer& answer, const RepairOptions& options,
                         IslandFrictionProblem& result);

}  // namespace stiction::methods
