#include "stiction/base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace stiction {

void assertion_failed(const char* expression, const char* file, int line, const char* message) {
  std::fprintf(stderr, "stiction: internal error at %s:%d: %s (%s)\n", file, line, message, expression);
  std::abort();
}

}  // namespace stiction
