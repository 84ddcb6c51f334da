#include "support/places.h"

namespace stiction::testing {

std::string source_path(const std::string& name) {
  return std::string(STICTION_SOURCE_DIR).append("/").append(name);
}

std::string binary_path(const std::string& name) {
  return std::string(STICTION_BINARY_DIR).append("/").append(name);
}

const std::string& program_path() {
  static const std::string path = STICTION_PROGRAM;
  return path;
}

}  // namespace stiction::testing
