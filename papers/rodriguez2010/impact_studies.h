// The parts of the examples "impacts" and "landing".
#pragma once

#include "papers/paper.h"

namespace stiction::papers::rodriguez2010 {

/// Two and three balls in a row, at once and in turn.
Result<void> study_balls(const Context& context);
/// The same as scenes: touching, and 1e-6 m apart.
Result<void> study_ball_rows(const Context& context);

}  // namespace stiction::papers::rodriguez2010
