// Friction sets other than ellipses in a model and in an island: which methods can have them is theirs to say.
#pragma once

#include "stiction/contact/islands.h"
#include "stiction/model/model.h"
#include "stiction/problem/step_problem.h"

namespace stiction::methods {

/// A material, or else a pair, with a friction set other than an ellipse; null: there is none.
const Material* find_general_set(const Model& model);

/// Does a contact of the island have a friction set other than an ellipse?
bool has_general_set(const StepProblem& problem, const contact::Island& island);

}  // namespace stiction::methods
