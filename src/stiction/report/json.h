// The result of a run as JSON: the object of `stiction run --json` (INTERFACE; docs/recording.md lists the extra keys).
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "stiction/simulation/run.h"

namespace stiction::report {

/// The object of `run --json`, keys in the order of the interface, extra keys after them. A number that is not finite
/// is null, and `notes` says which and why.
nlohmann::ordered_json run_json(Simulation& simulation, const RunSummary& summary, const std::string& scene);

}  // namespace stiction::report
