// Kernels for plain blocks (body_system.h): three rows on one or two free bodies, six numbers per row, row-major.
//
// A row is a quad and half of one. To be compiled twice: see math/linear/quad.h.
#pragma once

#include "stiction/math/linear/quad.h"

namespace stiction::solvers::plain {

inline constexpr int rows = 3, width = 6;

/// Adds H x of one side, not summed up yet, to the products of each row.
struct RowSums {
  Quad most[rows] = {};
  Half rest[rows] = {};

  STICTION_INLINE void add(const double* H, const double* x) {
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) {
      most[r] += *quad(H + width * r) * *quad(x);
      rest[r] += *half(H + width * r + 4) * *half(x + 4);
    }
  }
  /// u += the sums.
  STICTION_INLINE void add_to(double* u) const {
#pragma GCC unroll 3
    for (int r = 0; r < rows; ++r) {
      const Half low = __builtin_shufflevector(most[r], most[r], 0, 1);
      const Half high = __builtin_shufflevector(most[r], most[r], 2, 3);
      const Half sum = (low + high) + rest[r];
      u[r] += sum[0] + sum[1];
    }
  }
};

/// x += H^T z of one side.
STICTION_INLINE void add_impulse(const double* H, const double* z, double* x) {
  const Quad most = z[0] * *quad(H) + z[1] * *quad(H + width) + z[2] * *quad(H + 2 * width);
  const Half rest = z[0] * *half(H + 4) + z[1] * *half(H + width + 4) + z[2] * *half(H + 2 * width + 4);
  *quad(x) += most;
  *half(x + 4) += rest;
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
