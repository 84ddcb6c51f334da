// Overlap and drift repaired at position level: positions move with one velocity, velocities keep another.
//
// Driving bodies apart by their velocity (gap/h in the normal law where gap < 0) leaves them with that velocity: a box
// that starts 1 mm inside the ground jumps. And a step that only asks for u_f = 0 lets what sticks drift by the
// curvature of its motion. So where there is something to repair, the step is solved again, with the same W and cones,
//
//     contacts and limits:  0 <= p_n  orthogonal to  u_n + max(gap/h, -recovery speed) >= 0
//     sticking contacts:    u_f + drift/h in place of u_f
//
// and v' of this answer moves the positions of this step and is then forgotten; v of the first answer stays. The gap at
// the end is not negative, to first order, and what sticks returns to where it stuck, within the cone.
//
// The second problem has a compliance on the change of impulses, a millionth of W's diagonal: contacts may be redundant
// and their drifts disagree by rounding, which a rigid answer would meet with large impulses against each other. What
// compliance leaves, the next step measures and repairs.
#pragma once

#include <algorithm>

#include "stiction/contact/anchors.h"
#include "stiction/methods/shared/island_friction_problem.h"

namespace stiction::methods {

/// What to repair, and how fast.
struct RepairOptions {
  double max_recovery_speed = 0.5;  ///< m/s or rad/s
  double tolerance = 1e-6;          ///< overlap and drift below this fraction of what the bodies would move in the step
                                    ///< without impulses are left alone
  double resting_overlap = 0;       ///< the same fraction: what rests does so at this overlap, not at none (body space)
  bool close_drift = true;          ///< of sticking contacts
  double slip_tolerance = contact::stick_fraction;  ///< see contact::sticks
};

/// What is worth a repair in body space, in a step of length h with the fastest motion `speed`.
struct RepairNeed {
  RepairNeed(const RepairOptions& asked, double h, double speed);

  /// Of a contact or limit.
  bool overlaps(double gap) const { return gap < -std::max(2 * rest, 4 * smallest); }
  /// Does the contact overlap, or stick elsewhere than where it stuck, or rest with a gap?
  bool has(const StepProblem& step, const ContactRows& contact, const StepAnswer& answer) const;

  const RepairOptions& options;
  double fastest = 0;   ///< m/s
  double smallest = 0;  ///< m: drifts below are left alone
  double rest = 0;      ///< m: what rests does so at this overlap
};

/// The velocity that closes a drift within a step of length h, or as fast as may be.
Vector2 repair_velocity(const Vector2& drift, double h, const RepairOptions& options);

/// Fills `repair` with the second problem of an island; false when there is nothing to repair. `velocity` is the first
/// one, r its answer, `answer` holds its velocities.
bool form_repair_problem(const StepProblem& step, const contact::Island& island, const StepAnswer& answer,
                         const RepairOptions& options, const IslandFrictionProblem& velocity, std::span<const double> r,
                         IslandFrictionProblem& repair);

}  // namespace stiction::methods
