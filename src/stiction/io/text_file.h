// Whole files as text.
#pragma once

#include <string>

#include "stiction/base/error.h"

namespace stiction {

/// The file's content; the Error says whether it is missing, a directory, or unreadable.
Result<std::string> read_text_file(const std::string& path);

}  // namespace stiction
