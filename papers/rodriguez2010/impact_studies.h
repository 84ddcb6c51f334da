// The parts of the example "impacts".
#pragma once

#include "papers/paper.h"

namespace stiction::papers::rodriguez2010 {

/// Two and three balls in a row, at once and in turn.
Result<void> study_balls(const Context& context);

}  // namespace stiction::papers::rodriguez2010
