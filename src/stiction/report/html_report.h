// The report of a run: one page of HTML that needs nothing but itself.
#pragma once

#include <string>

#include "stiction/recording/run_trace.h"
#include "stiction/simulation/run.h"

namespace stiction::report {

/// The page: summary, certificate with the meaning of each value, plots over time, settings.
std::string render_report(const Simulation& simulation, const RunSummary& summary, const recording::RunTrace& trace,
                          const std::string& scene);

/// Writes the page to a file.
Result<void> write_report(const std::string& path, const Simulation& simulation, const RunSummary& summary,
                          const recording::RunTrace& trace, const std::string& scene);

}  // namespace stiction::report
