// An island's friction problem as a problem of general convex cones, dense (problem/cone_problem.h).
#pragma once

#include <vector>

#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/problem/cone_problem.h"

namespace stiction::methods {

/// A ConeProblem with the cones that it points to; keeps its capacity.
struct IslandConeProblem {
  ConeProblem problem;
  std::vector<FrictionCone> cones;  ///< one per contact
};

/// Fills `result` from the island's velocity problem, same rows in the same order; friction sets of contacts that state
/// one, ellipsoids elsewhere. False where a block is neither a contact nor a joint: rolling or dry joint friction.
bool form_cone_problem(const StepProblem& step, const contact::Island& island, const FrictionProblem& velocity,
                       IslandConeProblem& result);

}  // namespace stiction::methods
