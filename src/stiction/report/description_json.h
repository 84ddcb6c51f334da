// Methods as they describe themselves, in JSON: what `stiction list methods --json` and `list options --json` print.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "stiction/methods/description.h"

namespace stiction::report {

/// Everything that the description knows: name, source, sentence, properties of surfaces that it takes into account,
/// treatment of overlap, solvers, options.
nlohmann::ordered_json method_json(const methods::MethodDescription& method);

/// Name, type, unit, default, range of numbers, choices, meaning. Infinity is the text "inf"; a bound that is not there
/// is null.
nlohmann::ordered_json option_json(const methods::Option& option);

}  // namespace stiction::report
