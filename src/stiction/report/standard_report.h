// The measured table of methods as text, Markdown, HTML and JSON.
#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "stiction/report/table.h"
#include "stiction/study/standard_measures.h"

namespace stiction::report {

/// One row per method.
Table standard_table(std::span<const StandardFigures> figures);

/// Time per step [us] for each number of contacts, one row per method.
Table cost_table(std::span<const StandardFigures> figures);

/// What the table of drumwright2009, section 2.6, states, under our names of the methods.
Table published_table();

/// What the columns of standard_table() mean, one line each.
std::vector<std::string> standard_notes(std::span<const StandardFigures> figures);

/// Tables and notes for docs/methods.md.
std::string standard_markdown(std::span<const StandardFigures> figures);

/// The page: tables, notes, time against contacts.
std::string render_standard(std::span<const StandardFigures> figures);

/// Writes the page to a file.
Result<void> write_standard(const std::string& path, std::span<const StandardFigures> figures);

/// One object of `compare --standard --json`.
nlohmann::ordered_json standard_json(const StandardFigures& figures);

}  // namespace stiction::report
