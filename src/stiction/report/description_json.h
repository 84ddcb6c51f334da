// Methods and shapes as they describe themselves, in JSON: what `stiction list WHAT --json` prints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "stiction/geometry/shapes/shape.h"
#include "stiction/methods/description.h"

namespace stiction::report {

/// Everything that the description knows: name, source, sentence, properties of surfaces that it takes into account,
/// treatment of overlap, solvers, options.
nlohmann::ordered_json method_json(const methods::MethodDescription& method);

/// Name, type, unit, default, range of numbers, choices, meaning. Infinity is the text "inf"; a bound that is not there
/// is null.
nlohmann::ordered_json option_json(const methods::Option& option);

/// The keys that a kind of shapes describes, an array: name, unit, how many numbers, whether required, range, meaning.
nlohmann::ordered_json keys_json(const geometry::ShapeKind& kind);

}  // namespace stiction::report
