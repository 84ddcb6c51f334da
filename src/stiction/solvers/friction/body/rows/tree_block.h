// Kernels for rows on trees of joints, whose velocities come in fours (body_side.h). N rows of `width` numbers.
//
// To be compiled twice: see math/linear/quad.h.
#pragma once

#include <cmath>

#include "stiction/math/linear/quad.h"
#include "stiction/solvers/friction/body/rows/body_side.h"

namespace stiction::solvers::tree {

STICTION_INLINE double sum(const Quad& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// u += H x.
template <int N>
STICTION_INLINE void add_rates(const SideRows& H, const double* x, double* u) {
  Quad sums[N] = {};
  for (int k = 0; k < H.width; k += quad_size) {
    const Quad own = *quad(x + H.columns[k]);
#pragma GCC unroll 6
    for (int r = 0; r < N; ++r) sums[r] += own * *quad(H.values + r * H.width + k);
  }
#pragma GCC unroll 6
  for (int r = 0; r < N; ++r) u[r] += sum(sums[r]);
}

/// x += H^T z.
template <int N>
STICTION_INLINE void add_impulse(const SideRows& H, const double* z, double* x) {
  for (int k = 0; k < H.width; k += quad_size) {
    Quad own = *quad(x + H.columns[k]);
#pragma GCC unroll 6
    for (int r = 0; r < N; ++r) own += z[r] * *quad(H.values + r * H.width + k);
    *quad(x + H.columns[k]) = own;
  }
}

/// out = scale G H, rows of H.width numbers; G is row-major.
template <int N>
STICTION_INLINE void multiply(const double* G, double scale, const SideRows& H, double* out) {
  double scaled[N * N];
#pragma GCC unroll 36
  for (int i = 0; i < N * N; ++i) scaled[i] = scale * G[i];
  for (int k = 0; k < H.width; k += quad_size) {
#pragma GCC unroll 6
    for (int r = 0; r < N; ++r) {
      Quad row = {};
#pragma GCC unroll 6
      for (int j = 0; j < N; ++j) row += scaled[r * N + j] * *quad(H.values + j * H.width + k);
      *quad(out + r * H.width + k) = row;
    }
  }
}

/// out += left^T right, column-major with `stride` rows. `lower`: left and right have the same columns; of each column
/// only the quads from the diagonal on.
template <int N>
STICTION_INLINE void add_product(const SideRows& left, const SideRows& right, bool lower, int stride, double* out) {
  for (int j = 0; j < right.width; ++j) {
    double factor[N], size = 0;
#pragma GCC unroll 6
    for (int r = 0; r < N; ++r) {
      factor[r] = right.values[r * right.width + j];
      size += factor[r] * factor[r];
    }
    if (size == 0) continue;
    double* column = out + static_cast<long>(right.columns[j]) * stride;
    for (int k = lower ? j / quad_size * quad_size : 0; k < left.width; k += quad_size) {
      Quad entries = *quad(column + left.columns[k]);
#pragma GCC unroll 6
      for (int r = 0; r < N; ++r) entries += factor[r] * *quad(left.values + r * left.width + k);
      *quad(column + left.columns[k]) = entries;
    }
  }
}

/// H := H U^-T of a tree of n velocities; U is column-major, in the upper triangle, `inverse` one over its diagonal.
template <int N>
STICTION_INLINE void solve(const double* U, const double* inverse, int n, const int* columns, int width, double* H) {
  for (int k = width - 1; k >= 0; --k) {
    double x[N], size = 0;
#pragma GCC unroll 6
    for (int r = 0; r < N; ++r) size += std::abs(H[r * width + k]);
    if (size == 0) continue;  // of another branch, or behind the last velocity
    const double* column = U + static_cast<long>(columns[k]) * n;
#pragma GCC unroll 6
    for (int r = 0; r < N; ++r) x[r] = H[r * width + k] *= inverse[columns[k]];
    const int whole = k / quad_size * quad_size;
    for (int i = whole; i < k; ++i) {
#pragma GCC unroll 6
      for (int r = 0; r < N; ++r) H[r * width + i] -= x[r] * column[columns[i]];
    }
    for (int i = 0; i < whole; i += quad_size) {
      const Quad entries = *quad(column + columns[i]);
#pragma GCC unroll 6
      for (int r = 0; r < N; ++r) *quad(H + r * width + i) -= x[r] * entries;
    }
  }
}

/// Row r of H times factor[r].
template <int N>
STICTION_INLINE void scale(const double* factor, int width, double* H) {
#pragma GCC unroll 6
  for (int r = 0; r < N; ++r, H += width) {
    for (int k = 0; k < width; k += quad_size) *quad(H + k) *= factor[r];
  }
}

/// product += H H^T, both triangles, row-major.
template <int N>
STICTION_INLINE void add_square(const double* H, int width, double* product) {
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
    Quad sums[N] = {};
    for (int k = 0; k < width; k += quad_size) {
      const Quad own = *quad(H + i * width + k);
#pragma GCC unroll 6
      for (int j = i; j < N; ++j) sums[j] += own * *quad(H + j * width + k);
    }
#pragma GCC unroll 6
    for (int j = i; j < N; ++j) {
      product[i * N + j] += sum(sums[j]);
      product[j * N + i] = product[i * N + j];
    }
  }
}

}  // namespace stiction::solvers::tree
