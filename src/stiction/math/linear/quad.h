// Four doubles side by side, for kernels that are compiled twice: for the registers that every x86-64 has, and for
// those of AVX2, chosen when the program starts.
//
// The compiler splits a Quad in two where registers are narrow. Everything is elementwise and no product is fused with
// an addition, so that both give the same bits. A kernel is a STICTION_INLINE function, lambdas in it included (one
// that is not inlined is compiled for narrow registers), called by a STICTION_WIDE one and by a plain one.
#pragma once

// Quads are handed over between functions that are inlined always: there is no convention of calls to keep.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace stiction {

using Quad = double __attribute__((vector_size(32), aligned(8), may_alias));  ///< four doubles, anywhere in memory
using Half = double __attribute__((vector_size(16), aligned(8), may_alias));  ///< two of them

inline constexpr int quad_size = 4;

#define STICTION_INLINE __attribute__((always_inline)) inline

STICTION_INLINE const Quad* quad(const double* p) {
  return reinterpret_cast<const Quad*>(p);
}
STICTION_INLINE Quad* quad(double* p) {
  return reinterpret_cast<Quad*>(p);
}
STICTION_INLINE const Half* half(const double* p) {
  return reinterpret_cast<const Half*>(p);
}
STICTION_INLINE Half* half(double* p) {
  return reinterpret_cast<Half*>(p);
}

STICTION_INLINE Quad absolute(Quad x) {
  using Bits = long long __attribute__((vector_size(32)));
  return reinterpret_cast<Quad>(reinterpret_cast<Bits>(x) & 0x7fffffffffffffffLL);
}
STICTION_INLINE Half absolute(Half x) {
  using Bits = long long __attribute__((vector_size(16)));
  return reinterpret_cast<Half>(reinterpret_cast<Bits>(x) & 0x7fffffffffffffffLL);
}

/// The product of two rows of six numbers.
STICTION_INLINE double dot_six(const double* a, const double* b) {
  const Half sum = (*half(a) * *half(b) + *half(a + 2) * *half(b + 2)) + *half(a + 4) * *half(b + 4);
  return sum[0] + sum[1];
}

#if defined(__x86_64__)
#define STICTION_WIDE __attribute__((target("avx2")))
inline bool use_wide_registers = __builtin_cpu_supports("avx2");  ///< tests turn it off
#else
#define STICTION_WIDE
inline bool use_wide_registers = false;
#endif

}  // namespace stiction
