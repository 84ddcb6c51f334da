// The one name for "no bound".
#pragma once

#include <limits>

namespace stiction {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace stiction
