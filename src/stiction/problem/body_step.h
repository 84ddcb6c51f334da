// A time step, whole or one island of it, as a friction problem in body space: trees become bodies, nothing is
// eliminated.
//
//     v = v_free + M^-1 J^T r,    u = J v + c
//
// with c the row's constant velocity, as in condense_step.h: bias of bilateral and scalar rows, surface of contacts
// and, on their normal row, normal_bias too. Compliant layers are left out: steps that have them belong to other
// solvers. Allocates only for larger problems than before.
#pragma once

#include <span>
#include <vector>

#include "stiction/problem/body_friction_problem.h"
#include "stiction/problem/step_problem.h"

namespace stiction {

/// A part of a step: indices into its arrays. A contact brings its rolling rows along; every tree that a row touches
/// must be among `trees`.
struct StepPart {
  std::span<const int> trees;
  std::span<const int> bilaterals;
  std::span<const int> scalars;
  std::span<const int> contacts;
};

/// The problem, and how to read it. Blocks stand in the order bilaterals, scalars, contacts, each contact followed by
/// its rolling rows.
struct BodyStep {
  BodyFrictionProblem problem;
  std::vector<int> step_row;       ///< of each row: its index in StepAnswer::impulse
  std::vector<int> step_velocity;  ///< of each velocity: its index in StepAnswer::v_end
  std::vector<int> body_of_tree;   ///< of each tree of the step: its body, or -1
};

/// One part. Limits become contacts of one row, dry joint friction bounded blocks, rolling friction bounded blocks
/// linked to their contact; a friction row whose axis is zero is left out where the contact has friction along others.
void body_form(const StepProblem& step, const StepPart& part, BodyStep& result);

/// All of it.
void body_form(const StepProblem& step, BodyStep& result);

}  // namespace stiction
