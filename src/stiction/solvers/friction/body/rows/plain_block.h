// Kernels for plain blocks (body_system.h): three rows on one or two free bodies, six numbers per row, row-major.
//
// A row is a quad and half of one. To be compiled twice: see math/linear/quad.h.
#pragma once

#include "stiction/math/linear/quad.h"

namespace stiction::solvers::plain {

inline constexpr int rows = 3, width = 6;

/// The dot product of rows of six numbers, not summed up yet.
struct Dot {
  Quad most = {};
  Half rest = {};

  STICTION_INLINE void add(const double* a, const double* b) {
    most += *quad(a) * *quad(b);
    rest += *half(a + 4) * *half(b + 4);
  }
  STICTION_INLINE double sum() const {
    const Half low = __builtin_shufflevector(most, most, 0, 1), high = __builtin_shufflevector(most, most, 2, 3);
    const Half two = (low + high) + rest;
    return two[0] + two[1];
  }
};

/// H x, one side after the other.
struct RowSums {
  Dot row[rows];

  STICTION_INLINE void add(const double* H, const double* x) {
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) row[r].add(H + width * r, x);
  }
  /// u += the sums.
  STICTION_INLINE void add_to(double* u) const {
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) u[r] += row[r].sum();
  }
};

/// x += H^T z of one side.
STICTION_INLINE void add_impulse(const double* H, const double* z, double* x) {
  const Quad most = z[0] * *quad(H) + z[1] * *quad(H + width) + z[2] * *quad(H + 2 * width);
  const Half rest = z[0] * *half(H + 4) + z[1] * *half(H + width + 4) + z[2] * *half(H + 2 * width + 4);
  *quad(x) += most;
  *half(x + 4) += rest;
}

/// out = L^-1 x; L^-1 is column-major with zeros above its diagonal.
STICTION_INLINE void multiply_lower(const double* inverse, const double* x, double* out) {
  Quad most = {};
  Half rest = {};
#pragma GCC unroll 6
  for (int k = 0; k < width; ++k) {
    if (k < 4) most += x[k] * *quad(inverse + width * k);
    rest += x[k] * *half(inverse + width * k + 4);
  }
  *quad(out) = most;
  *half(out + 4) = rest;
}

/// H = J L^-T of one side.
STICTION_INLINE void whiten(const double* J, const double* inverse, double* H) {
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r) multiply_lower(inverse, J + width * r, H + width * r);
}

/// out = L^-T x.
STICTION_INLINE void multiply_lower_transposed(const double* inverse, const double* x, double* out) {
#pragma GCC unroll 6
  for (int k = 0; k < width; ++k) {
    Dot dot;
    dot.add(inverse + width * k, x);
    out[k] = dot.sum();
  }
}

/// Row r of H times factor[r].
STICTION_INLINE void scale(const double* factor, double* H) {
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r, H += width) {
    *quad(H) *= factor[r];
    *half(H + 4) *= factor[r];
  }
}

/// out = scale G H of one side; G is row-major.
STICTION_INLINE void multiply(const double* G, double scale, const double* H, double* out) {
#pragma GCC unroll 3
  for (int r = 0; r < rows; ++r) {
    const double a = scale * G[rows * r], b = scale * G[rows * r + 1], c = scale * G[rows * r + 2];
    *quad(out + width * r) = a * *quad(H) + b * *quad(H + width) + c * *quad(H + 2 * width);
    *half(out + width * r + 4) = a * *half(H + 4) + b * *half(H + width + 4) + c * *half(H + 2 * width + 4);
  }
}

/// out += left^T right, column-major 6 x 6.
STICTION_INLINE void add_product(const double* left, const double* right, double* out) {
  const Quad most[rows] = {*quad(left), *quad(left + width), *quad(left + 2 * width)};
  const Half rest[rows] = {*half(left + 4), *half(left + width + 4), *half(left + 2 * width + 4)};
#pragma GCC unroll 6
  for (int j = 0; j < width; ++j, out += width) {
    const double a = right[j], b = right[width + j], c = right[2 * width + j];
    *quad(out) += a * most[0] + b * most[1] + c * most[2];
    *half(out + 4) += a * rest[0] + b * rest[1] + c * rest[2];
  }
}

}  // namespace stiction::solvers::plain
