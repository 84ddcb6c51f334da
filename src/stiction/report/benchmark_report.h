// Results of benchmarks as tables, plots and JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "stiction/report/svg/svg_plot.h"
#include "stiction/report/table.h"
#include "stiction/study/benchmark/benchmark_run.h"

namespace stiction::report {

/// A step as people say it: "1/240" or "0.001".
std::string step_text(double step);

/// One row per result, all of one scene: who, step, time per step, certificate, figures. The time of a run that ended
/// early, which is that of its first steps, stands in parentheses.
Table benchmark_table(const BenchmarkScene& scene, std::span<const BenchmarkResult> results);

/// Of every scene, with its first step: the fastest peer, the one whose first figure is the smallest, and ours under
/// `fast` and `exact`. Times of piles are those of the last simulated second. Runs that ended early do not count.
Table benchmark_overview(std::span<const BenchmarkResult> results);

/// Heading, table and notes of every scene that has results, and the overview where there are peers, at most `width`
/// columns.
std::string benchmark_text(std::span<const BenchmarkResult> results, int width);

/// A panel per figure of a scene: the figure against the time per step, a mark per result. A figure below 1e-16 is
/// drawn there.
std::vector<Plot> benchmark_plots(const BenchmarkScene& scene, std::span<const BenchmarkResult> results);

/// The results of one scene.
std::vector<BenchmarkResult> results_of(const std::string& scene, std::span<const BenchmarkResult> results);

/// One entry of "results" of `bench --json`.
nlohmann::ordered_json benchmark_json(const BenchmarkResult& result);

/// Reads what benchmark_json() made. Throws nlohmann::json::exception where it is something else.
BenchmarkResult read_benchmark_json(const nlohmann::ordered_json& json);

}  // namespace stiction::report
