// Our solvers as contestants.
#pragma once

#include "contestant.h"

namespace stiction::bench {

/// The portfolio alone, or with every solver that it may choose from.
Contestants our_contestants(bool all);

}  // namespace stiction::bench
