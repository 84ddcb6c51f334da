// A comparison of methods as tables and as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "stiction/report/table.h"
#include "stiction/study/compare.h"

namespace stiction::report {

/// A number as the tables show it: two digits and an exponent, "0" for zero.
std::string short_number(double value);

/// One row per method: largest drift of all pairs (where there are pairs), overlap, energy, certificate, time.
Table overview_table(std::span<const MethodRun> runs);

/// One row per method and pair: displacement, largest drift and when, when dropped.
Table drift_table(std::span<const MethodRun> runs);

/// One row per method: every value of the certificate.
Table certificate_table(std::span<const MethodRun> runs);

/// "METHOD: ..." for each run that could not start or go on, a line each.
std::vector<std::string> failure_lines(std::span<const MethodRun> runs);

/// "METHOD: fallback NAME: N times" for each, a line each.
std::vector<std::string> fallback_lines(std::span<const MethodRun> runs);

/// One object of `compare --json`; `at_once` is how many methods ran at the same time.
nlohmann::ordered_json method_run_json(const MethodRun& run, const SimulationSettings& settings,
                                       const std::string& scene, int at_once);

}  // namespace stiction::report
