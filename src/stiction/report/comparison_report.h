// The report of a comparison: one page of HTML that needs nothing but itself.
#pragma once

#include <span>
#include <string>

#include "stiction/study/compare.h"

namespace stiction::report {

/// The page: overview, what failed, drift of each pair, energy and overlap over time, time per step, certificate.
std::string render_comparison(std::span<const MethodRun> runs, const SimulationSettings& settings,
                              const std::string& scene, int at_once);

/// Writes the page to a file.
Result<void> write_comparison(const std::string& path, std::span<const MethodRun> runs,
                              const SimulationSettings& settings, const std::string& scene, int at_once);

}  // namespace stiction::report
