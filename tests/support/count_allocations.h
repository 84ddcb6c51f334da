// Counts heap allocations of the whole test program. Include from ONE file of a program: it replaces malloc, through
// which operator new and Eigen allocate. Sanitizers replace malloc themselves; there, counting is off.
#pragma once

#include <atomic>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STICTION_COUNTS_ALLOCATIONS 0
#else
#define STICTION_COUNTS_ALLOCATIONS 1
#endif

namespace stiction::testing {

inline std::atomic<long> allocation_count{0};

/// Allocations while `work` runs.
template <class Work>
long allocations_during(Work work) {
  const long before = allocation_count.load();
  work();
  return allocation_count.load() - before;
}

}  // namespace stiction::testing

#if STICTION_COUNTS_ALLOCATIONS
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) noexcept {
  stiction::testing::allocation_count.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif
