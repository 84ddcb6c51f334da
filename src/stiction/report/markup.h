// Text inside SVG and HTML.
#pragma once

#include <string>
#include <string_view>

namespace stiction::report {

/// `text` with the characters that markup takes for its own written as entities; control characters become spaces.
std::string escape_markup(std::string_view text);

}  // namespace stiction::report
