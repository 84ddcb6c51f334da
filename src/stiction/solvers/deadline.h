// A time limit on the CPU time of the calling thread, checked between iterations. Without a limit no clock is read, so
// that results depend on counted work alone.
#pragma once

#include <ctime>

#include "stiction/base/infinity.h"

namespace stiction::solvers {

/// When to give up; infinite by default.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(double seconds) : end_(seconds < infinity ? now() + seconds : infinity) {}
  /// Seconds left, negative once the limit is over; infinite without a limit.
  double left() const { return end_ < infinity ? end_ - now() : infinity; }
  /// True once the limit is over.
  bool passed() const { return end_ < infinity && now() > end_; }

 private:
  static double now() {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double end_ = infinity;
};

}  // namespace stiction::solvers
