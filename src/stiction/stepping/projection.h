// Puts closing joints right by moving positions alone: anitescu1998 section 2.5.
//
// Newton's equations  grad g(q) d = -g(q)  for the smallest d, in the metric of kinetic energy: d = M^-1 J^T l with
// J M^-1 J^T l = -g, so that the correction does not depend on units or on the choice of coordinates. Rows that depend
// on others (a plane loop of revolute joints) are left to those.
#pragma once

#include "stiction/contact/island_delassus.h"
#include "stiction/stepping/stepper.h"

namespace stiction {

/// Scratch, sized for a model.
struct ProjectionWorkspace {
  Kinematics kinematics;
  FreeMotion free_motion;
  StepProblem problem;
  contact::AssemblyWorkspace assembly;
  contact::Islands islands;
  contact::IslandDelassus delassus;
  std::vector<int> blocks, pivots;
  std::vector<double> value, scale, multiplier;
  VectorX change, q;

  explicit ProjectionWorkspace(const Model& model);
};

/// Largest violation of a closing joint at `state` (m or rad).
double constraint_violation(const Model& model, const State& state, ProjectionWorkspace& w);

/// The closing joint (index in Model::loop_joints) with that largest violation at `state`; -1 if there is none.
int most_violated_joint(const Model& model, const State& state, ProjectionWorkspace& w);

/// Newton steps on g(q) = 0 until it is below `tolerance`, at most `steps` of them; state.q moves, state.v stays.
/// Returns the largest violation left.
double project_constraints(const Model& model, State& state, double tolerance, int steps, ProjectionWorkspace& w);

}  // namespace stiction
