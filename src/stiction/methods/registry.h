// The published methods: one line each. Adding a method is one file, one line here, one test.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stiction::methods {

/// A method as users see it.
struct MethodInfo {
  std::string_view name;      ///< in scene files and on the command line
  std::string_view source;    ///< short name of the paper, or where it comes from
  std::string_view sentence;  ///< what it does
  bool solves_law = true;     ///< false: by its nature it misses the contact law; there for comparison
};

/// All methods, the default first.
std::span<const MethodInfo> method_infos();

/// The method of that name, or nullptr.
const MethodInfo* find_method(std::string_view name);

/// The method that runs when a scene names none.
std::string_view default_method();

/// Can the method's problems be solved by that solver (a name of the solvers' registry)?
bool method_takes_solver(std::string_view method, std::string_view solver);

/// Names of all methods, for messages.
std::vector<std::string> available_method_names();

}  // namespace stiction::methods
