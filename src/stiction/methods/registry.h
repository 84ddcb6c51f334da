// The methods there are: one line each. Adding a method is one file, one line in registry.cc, one test, one page.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/methods/description.h"

namespace stiction::methods {

/// All methods, the default first.
std::span<const MethodDescription* const> all_methods();

/// The method of that name, or nullptr.
const MethodDescription* find_method(std::string_view name);

/// The method that runs when a scene names none.
const MethodDescription& default_method();

/// Names of all methods, for messages.
std::vector<std::string> method_names();

}  // namespace stiction::methods
