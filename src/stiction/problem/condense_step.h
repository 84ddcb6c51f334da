// A time step as a frictional contact problem: velocities eliminated, W = J M^-1 J^T by blocks.
//
//     v = v_free + M^-1 J^T r    =>    u = J v + c = W r + q,    q = J v_free + c
//
// with c the row's constant velocity: bias of bilateral and scalar rows, surface of contacts and, on their normal row,
// normal_bias too (the unilateral law is on u_n + normal_bias). A plain conversion for files and checks: it allocates.
#pragma once

#include <vector>

#include "stiction/problem/friction_problem.h"
#include "stiction/problem/step_problem.h"

namespace stiction {

/// The whole step, all islands together.
struct CondensedStep {
  FrictionProblem problem;
  std::vector<int> step_row;  ///< of each row of the problem: its index in StepAnswer::impulse

  /// The step's impulses in the rows of the problem.
  std::vector<double> impulses(const StepAnswer& answer) const;
};

/// Blocks keep the order of the step's. Limits become contacts of one row, dry joint friction bounded blocks, rolling
/// friction bounded blocks linked to their contact; a friction row whose axis is zero, which can carry no impulse, is
/// left out where the contact has friction along others.
CondensedStep condense_step(const StepProblem& step);

}  // namespace stiction
