// The solvers of Siconos (INRIA, Apache 2.0) for frictional contact in local form as contestants. Needs
// libsiconos_numerics, which is linked into benchmarks only.
#pragma once

#include "contestant.h"

namespace stiction::bench {

/// Every solver and setting of Siconos that takes part, quickest on most problems first; empty when built without it.
/// A name is FAMILY or FAMILY/SETTING: a family counts by its quickest setting.
Contestants siconos_contestants();

/// "4.4.0", or empty when built without it.
std::string siconos_version();

}  // namespace stiction::bench
