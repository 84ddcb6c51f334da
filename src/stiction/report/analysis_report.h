// What `stiction analyze` says, as JSON and as a page.
#pragma once

#include <string>

#include "stiction/study/analyze.h"

namespace stiction::report {

/// One JSON object on one line; docs/analyze.md names its keys.
std::string analysis_json(const std::string& scene, const Analysis& analysis);

/// A self-contained page: contacts, ranks, patterns and answers as tables, answers and patterns drawn.
Result<void> write_analysis_report(const std::string& scene, const Analysis& analysis, const std::string& path);

}  // namespace stiction::report
