// What a person reads of a comparison: tables for the terminal and the documentation, plots, a page of HTML.
#pragma once

#include <string>
#include <vector>

#include "comparison.h"
#include "stiction/base/error.h"

namespace stiction::bench {

/// A table whose first row is its head; printed as aligned Markdown, so that it can be pasted into docs/.
using Table = std::vector<std::vector<std::string>>;

std::string markdown(const Table& table);

/// One row per problem: our time, rung and residual, the quickest peer and its time, the ratio.
Table problem_table(const Comparison& comparison, int target);

/// Solved, geometric mean and largest ratio, one row per target.
Table verdict_table(const Comparison& comparison);

/// Fractions within factors of the quickest, one row per solver.
Table profile_table(const Comparison& comparison, int target, Field field);

/// Whether more than one of our solvers was measured.
bool has_field_of_ours(const Comparison& comparison);

/// Writes index.html with all tables and plots, and each plot as an SVG file of its own, into a folder.
Result<void> write_report(const Comparison& comparison, const std::vector<std::string>& work_precision_problems,
                          const std::string& folder);

}  // namespace stiction::bench
