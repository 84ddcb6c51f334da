// Friction sets other than ellipses in a model: which methods can have them is theirs to say.
#pragma once

#include "stiction/model/model.h"

namespace stiction::methods {

/// A material, or else a pair, with a friction set other than an ellipse; null: there is none.
const Material* find_general_set(const Model& model);

}  // namespace stiction::methods
