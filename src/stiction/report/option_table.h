// Options of a method and keys of a shape as tables: what docs/scene.md and `stiction list options` show, made from
// what methods and shapes say of themselves.
#pragma once

#include "stiction/geometry/shapes/shape.h"
#include "stiction/methods/description.h"
#include "stiction/report/table.h"

namespace stiction::report {

/// What the section [method.NAME] of a scene may say: `coordinates`, which every method has, then the method's own.
std::vector<methods::Option> options_of(const methods::MethodDescription& method);

/// "true or false", "integer", "number" or "string".
std::string_view type_name(const methods::OptionValue& value);

/// Columns key, type and unit, default, range, meaning. Code is marked by backquotes, as in Markdown.
Table option_table(const methods::MethodDescription& method);

/// The same columns for the keys that a kind of shapes describes.
Table key_table(const geometry::ShapeKind& kind);

}  // namespace stiction::report
