// Counts every allocation of the program (operator new, Eigen, the C library). One file of a test program includes it
// as it is; others that read the count define STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE first.
#pragma once

#include <atomic>
#include <cstddef>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define STICTION_COUNTS_ALLOCATIONS 1
#else
#define STICTION_COUNTS_ALLOCATIONS 0  // a sanitizer owns malloc: tests that count must skip
#endif

namespace stiction::testing {

inline std::atomic<long> allocation_count = 0;

/// Allocations while `work` runs.
template <class Work>
long allocations_during(Work work) {
  const long before = allocation_count;
  work();
  return allocation_count - before;
}

}  // namespace stiction::testing

#if STICTION_COUNTS_ALLOCATIONS && !defined(STICTION_ALLOCATION_COUNTER_IS_ELSEWHERE)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  ++stiction::testing::allocation_count;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++stiction::testing::allocation_count;
  return __libc_calloc(count, size);
}
void* realloc(void* p, std::size_t size) {
  ++stiction::testing::allocation_count;
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++stiction::testing::allocation_count;
  return __libc_memalign(alignment, size);
}
}
#endif
