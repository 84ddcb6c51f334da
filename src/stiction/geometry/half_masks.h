// Comparisons of two numbers at a time, for the corners and edges of quadrangles.
#pragma once

#include "stiction/math/linear/quad.h"

namespace stiction::geometry {

using HalfMask = long long __attribute__((vector_size(16)));  ///< what comparing two Halves gives

/// Is x / y clearly not between 0 and 1?
STICTION_INLINE HalfMask is_outside(Half x, Half y) {
  return (x * y < 0) | (x * x > 1.01 * (y * y));
}

/// A bit for each of two numbers: which of them are below the limit?
STICTION_INLINE unsigned bits_below(Half x, double limit) {
  const HalfMask bits = (x < Half{limit, limit}) & HalfMask{1, 2};
  return static_cast<unsigned>(bits[0] | bits[1]);
}

/// The same of four.
STICTION_INLINE unsigned bits_below(Half x, Half y, double limit) {
  return bits_below(x, limit) | bits_below(y, limit) << 2;
}

/// Bit k: do corner k of a quadrangle and the next both have their bits set?
constexpr unsigned with_next(unsigned bits) {
  return bits & ((bits >> 1) | (bits << 3));
}

}  // namespace stiction::geometry
