// Options of a method as a table: what docs/scene.md and `stiction list options` show, made from the method's description.
#pragma once

#include "stiction/methods/description.h"
#include "stiction/report/table.h"

namespace stiction::report {

/// Columns key, type and unit, default, range, meaning; `coordinates`, which every method has, first. Code is marked by
/// backquotes, as in Markdown.
Table option_table(const methods::MethodDescription& method);

}  // namespace stiction::report
