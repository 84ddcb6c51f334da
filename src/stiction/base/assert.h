// Broken invariants of our own code stop the program, in every build type; users' mistakes are Errors instead.
#pragma once

namespace stiction {

/// Prints expression, place and message on stderr and aborts.
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, const char* message);

}  // namespace stiction

/// Checks an invariant always: cheap conditions at boundaries.
#define STICTION_ASSERT(condition, message)                                                  \
  do {                                                                                       \
    if (!(condition)) ::stiction::assertion_failed(#condition, __FILE__, __LINE__, message); \
  } while (false)

/// Checks an invariant in builds without NDEBUG: conditions inside kernels.
#ifdef NDEBUG
#define STICTION_DASSERT(condition, message) \
  do {                                       \
  } while (false)
#else
#define STICTION_DASSERT(condition, message) STICTION_ASSERT(condition, message)
#endif
