// Where a test finds the repository, its own scratch folder and the program. The paths are compiled into places.cc
// alone, so that checkouts in different folders share one compiler cache.
#pragma once

#include <string>

namespace stiction::testing {

/// The path of a file of the repository, given from its root.
std::string source_path(const std::string& name);

/// The path of a file of the build folder, given from its root.
std::string binary_path(const std::string& name);

/// The path of the program `stiction`; empty where it is not built.
const std::string& program_path();

}  // namespace stiction::testing
