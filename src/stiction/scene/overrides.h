// KEY=VALUE from the command line, written into the parsed scene before it is checked.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "stiction/base/error.h"

namespace stiction::scene {

/// The file that messages about overrides name.
inline constexpr std::string_view override_source = "--set";

/// One KEY=VALUE, taken apart.
struct Override {
  std::string text;               ///< as given
  std::vector<std::string> path;  ///< the parts of the dotted key; a part in quotes may hold dots
  std::string value;              ///< TOML, or text to be taken as a string where it is not TOML
};

/// Overrides of names that an [[include]] brings in, by its index, with the prefix taken off.
using IncludeOverrides = std::map<size_t, std::vector<Override>>;

/// Takes KEY=VALUE apart.
Result<Override> parse_override(const std::string& text);

/// Writes the overrides into the scene. Entries of arrays are found by `name` or by index; a key that is not there is
/// created, an entry that is not there is an Error unless an included file may hold it.
Result<IncludeOverrides> apply_overrides(toml::table& root, const std::vector<Override>& overrides);

}  // namespace stiction::scene
