// CPU time of this thread, for time limits: other threads and other programs do not count.
#pragma once

#include <ctime>

namespace stiction::solvers {

/// Seconds of CPU time of the calling thread.
inline double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace stiction::solvers
