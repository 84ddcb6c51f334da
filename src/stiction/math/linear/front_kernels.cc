#include "stiction/math/linear/front_kernels.h"

#include <algorithm>
#include <cmath>

namespace stiction {
namespace {

constexpr int group = 8;                // pivots factored together: a multiple of front_lane
constexpr double exchange_below = 0.1;  // of the largest candidate: a pivot smaller than that gives way
constexpr double singular = 1e-16;      // of the largest entry of the group's columns before they were factored

// Four doubles; the compiler splits it in two where registers are narrow. Elementwise, so the result is the same.
using Quad = double __attribute__((vector_size(32), aligned(8), may_alias));

#define STICTION_INLINE __attribute__((always_inline)) inline

STICTION_INLINE const Quad* quad(const double* p) {
  return reinterpret_cast<const Quad*>(p);
}
STICTION_INLINE Quad* quad(double* p) {
  return reinterpret_cast<Quad*>(p);
}

// A tile of 4 Q rows and N columns of C -= A B^T.
template <int Q, int N>
STICTION_INLINE void subtract_tile(int k, const double* a, int stride_a, const double* b, int step_n, int step_k,
                                   double* c, int stride_c) {
  Quad sum[N][Q] = {};
  for (int l = 0; l < k; ++l, a += stride_a, b += step_k) {
    Quad column[Q];
#pragma GCC unroll 4
    for (int i = 0; i < Q; ++i) column[i] = *quad(a + 4 * i);
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) {  // unrolled, so that the sums stay in registers
      const double factor = b[j * step_n];
#pragma GCC unroll 4
      for (int i = 0; i < Q; ++i) sum[j][i] += factor * column[i];
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < N; ++j) {
#pragma GCC unroll 4
    for (int i = 0; i < Q; ++i) *quad(c + j * stride_c + 4 * i) -= sum[j][i];
  }
}

// N columns, from row `first` on, Q quads at a time.
template <int Q, int N>
STICTION_INLINE void subtract_columns(int first, int m, int k, const double* a, int stride_a, const double* b,
                                      int step_n, int step_k, double* c, int stride_c) {
  int i = first;
  for (; i + 4 * Q <= m; i += 4 * Q) {
    subtract_tile<Q, N>(k, a + i, stride_a, b, step_n, step_k, c + i, stride_c);
  }
  for (; i < m; i += 4) subtract_tile<1, N>(k, a + i, stride_a, b, step_n, step_k, c + i, stride_c);
}

// `lower`: the lower triangle alone, rows from the multiple of four at or above the diagonal.
template <int Q>
STICTION_INLINE void subtract_body(bool lower, int m, int n, int k, const double* a, int stride_a, const double* b,
                                   int step_n, int step_k, double* c, int stride_c) {
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    subtract_columns<Q, 4>(lower ? j : 0, m, k, a, stride_a, b + j * step_n, step_n, step_k, c + j * stride_c,
                           stride_c);
  }
  for (; j < n; ++j) {
    subtract_columns<Q, 1>(lower ? j / 4 * 4 : 0, m, k, a, stride_a, b + j * step_n, step_n, step_k, c + j * stride_c,
                           stride_c);
  }
}

// Four sums side by side, whatever the registers.
STICTION_INLINE void subtract_dots(int m, int n, const double* b, const double* x, double* y) {
  for (int j = 0; j < n; ++j, b += m) {
    Quad sum = {};
    for (int i = 0; i < m; i += 4) sum += *quad(b + i) * *quad(x + i);
    y[j] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

// X := X T^-1 with X m x n and T upper triangular, T(k, c) at t[k * step_k + c * step_c]; unit: ones on its diagonal.
template <int Q>
STICTION_INLINE void solve_right(bool unit, int m, int n, const double* t, int step_k, int step_c, double* x,
                                 int stride) {
  for (int c = 0; c < n; ++c) {
    double* column = x + c * stride;
    if (c > 0) subtract_columns<Q, 1>(0, m, c, x, stride, t + c * step_c, 0, step_k, column, stride);
    if (unit) continue;
    const double inverse = 1 / t[c * step_k + c * step_c];
    for (int i = 0; i < m; i += front_lane) *quad(column + i) *= inverse;
  }
}

// The lower triangle of an n x n matrix, n <= group, becomes L with L L^T.
STICTION_INLINE bool factor_small_symmetric(int n, double* D, int stride) {
  for (int k = 0; k < n; ++k) {
    double pivot = D[k * stride + k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    pivot = std::sqrt(pivot);
    D[k * stride + k] = pivot;
    for (int i = k + 1; i < n; ++i) D[k * stride + i] /= pivot;
    for (int j = k + 1; j < n; ++j) {
      for (int i = j; i < n; ++i) D[j * stride + i] -= D[k * stride + i] * D[k * stride + j];
    }
  }
  return true;
}

// Rows k and r of P, and of U^T, change places.
void exchange_rows(const Front& f, int k, int r) {
  const int stride = front_stride(f.pivots), stride_m = front_stride(f.rows);
  for (int c = 0; c < f.pivots; ++c) std::swap(f.P[c * stride + k], f.P[c * stride + r]);
  std::swap_ranges(f.U + k * stride_m, f.U + k * stride_m + f.rows, f.U + r * stride_m);
}

// Row of the group's k-th pivot: k, or the row of the largest candidate; -1 where all are zero.
STICTION_INLINE int choose_pivot(const Front& f, int k, int end, double tiny) {
  const double* column = f.P + k * front_stride(f.pivots);
  int best = k;
  for (int i = k; i < end; ++i) {
    if (!std::isfinite(column[i])) return -1;
    if (std::abs(column[i]) > std::abs(column[best])) best = i;
  }
  if (!(std::abs(column[best]) > tiny)) return -1;
  return std::abs(column[k]) >= exchange_below * std::abs(column[best]) ? k : best;
}

// The group [first, end) of P becomes L (ones on the diagonal) and U.
STICTION_INLINE bool factor_small_general(const Front& f, int first, int end, double tiny) {
  const int stride = front_stride(f.pivots);
  for (int k = first; k < end; ++k) {
    const int row = choose_pivot(f, k, end, tiny);
    if (row < 0) return false;
    f.exchange[k] = row;
    if (row != k) exchange_rows(f, k, row);
    double* column = f.P + k * stride;
    for (int i = k + 1; i < end; ++i) column[i] /= column[k];
    for (int j = k + 1; j < end; ++j) {
      for (int i = k + 1; i < end; ++i) f.P[j * stride + i] -= column[i] * f.P[j * stride + k];
    }
  }
  return true;
}

// X := L^-1 X for the rows [first, end) of P and its columns from `end` on.
STICTION_INLINE void solve_pivot_rows(const Front& f, int first, int end) {
  const int stride = front_stride(f.pivots);
  for (int c = end; c < f.pivots; ++c) {
    double* column = f.P + c * stride;
    for (int k = first; k < end; ++k) {
      for (int i = k + 1; i < end; ++i) column[i] -= f.P[k * stride + i] * column[k];
    }
  }
}

STICTION_INLINE double largest_entry(const Front& f, int first, int end) {
  double largest = 0;
  for (int c = first; c < end; ++c) {
    const double* column = f.P + c * front_stride(f.pivots);
    for (int i = first; i < end; ++i) largest = std::max(largest, std::abs(column[i]));
  }
  return largest;
}

template <int Q>
STICTION_INLINE bool factor_symmetric(const Front& f) {
  const int p = f.pivots, stride = front_stride(p), m = front_stride(f.rows);
  for (int first = 0; first < p; first += group) {
    const int end = std::min(first + group, p), width = end - first, left = p - end;
    double* D = f.P + first * stride + first;
    if (!factor_small_symmetric(width, D, stride)) return false;
    solve_right<Q>(false, m, width, D, stride, 1, f.L + first * m, m);
    if (left == 0) break;
    double* below = f.P + first * stride + end;  // P below the group
    solve_right<Q>(false, stride - end, width, D, stride, 1, below, stride);
    subtract_body<Q>(true, stride - end, left, width, below, stride, below, 1, stride, f.P + end * stride + end,
                     stride);
    subtract_body<Q>(false, m, left, width, f.L + first * m, m, below, 1, stride, f.L + end * m, m);
  }
  subtract_body<Q>(true, m, f.rows, p, f.L, m, f.L, 1, m, f.S, m);
  return true;
}

template <int Q>
STICTION_INLINE bool factor_general(const Front& f) {
  const int p = f.pivots, stride = front_stride(p), m = front_stride(f.rows);
  for (int first = 0; first < p; first += group) {
    const int end = std::min(first + group, p), width = end - first, left = p - end;
    double* D = f.P + first * stride + first;
    if (!factor_small_general(f, first, end, singular * largest_entry(f, first, end))) return false;
    solve_right<Q>(false, m, width, D, 1, stride, f.L + first * m, m);
    solve_right<Q>(true, m, width, D, stride, 1, f.U + first * m, m);
    if (left == 0) break;
    double *below = f.P + first * stride + end, *right = f.P + end * stride + first;
    solve_right<Q>(false, stride - end, width, D, 1, stride, below, stride);
    solve_pivot_rows(f, first, end);
    subtract_body<Q>(false, stride - end, left, width, below, stride, right, stride, 1, f.P + end * stride + end,
                     stride);
    subtract_body<Q>(false, m, left, width, f.L + first * m, m, right, stride, 1, f.L + end * m, m);
    subtract_body<Q>(false, m, left, width, f.U + first * m, m, below, 1, stride, f.U + end * m, m);
  }
  subtract_body<Q>(false, m, f.rows, p, f.L, m, f.U, 1, m, f.S, m);
  return true;
}

// The same for registers of four doubles, where the processor has them.
#if defined(__x86_64__)
#define STICTION_WIDE __attribute__((target("avx2")))
const bool has_wide = __builtin_cpu_supports("avx2");
#else
#define STICTION_WIDE
constexpr bool has_wide = false;
#endif

STICTION_WIDE void subtract_dots_wide(int m, int n, const double* b, const double* x, double* y) {
  subtract_dots(m, n, b, x, y);
}
STICTION_WIDE void subtract_wide(bool lower, int m, int n, int k, const double* a, int stride_a, const double* b,
                                 int step_n, int step_k, double* c, int stride_c) {
  subtract_body<2>(lower, m, n, k, a, stride_a, b, step_n, step_k, c, stride_c);
}
STICTION_WIDE bool factor_symmetric_wide(const Front& f) {
  return factor_symmetric<2>(f);
}
STICTION_WIDE bool factor_general_wide(const Front& f) {
  return factor_general<2>(f);
}

}  // namespace

void subtract_product(int m, int n, int k, const double* a, int stride_a, const double* b, int step_n, int step_k,
                      double* c, int stride_c) {
  if (has_wide) return subtract_wide(false, m, n, k, a, stride_a, b, step_n, step_k, c, stride_c);
  subtract_body<1>(false, m, n, k, a, stride_a, b, step_n, step_k, c, stride_c);
}

void subtract_transposed_product(int m, int n, const double* b, const double* x, double* y) {
  has_wide ? subtract_dots_wide(m, n, b, x, y) : subtract_dots(m, n, b, x, y);
}

bool factor_symmetric_front(const Front& f) {
  return has_wide ? factor_symmetric_wide(f) : factor_symmetric<1>(f);
}

bool factor_general_front(const Front& f) {
  return has_wide ? factor_general_wide(f) : factor_general<1>(f);
}

}  // namespace stiction
