#include "stiction/math/linear/front_kernels.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/quad.h"

namespace stiction {
namespace {

constexpr int group = 8;                // pivots factored together: a multiple of front_lane
constexpr double exchange_below = 0.1;  // of the largest candidate: a pivot smaller than that gives way
constexpr double singular = 1e-16;      // of the largest entry of the group's columns before they were factored

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
  const auto columns = [&]<int N>(int j) __attribute__((always_inline)) {
    const int row = lower ? j / 4 * 4 : 0;
    subtract_columns<Q, N>(row, m, k, a, stride_a, b + j * step_n, step_n, step_k, c + j * stride_c, stride_c);
  };
  int j = 0;
  for (; j + 4 <= n; j += 4) columns.template operator()<4>(j);
  if (n - j == 3) return columns.template operator()<3>(j);
  if (n - j == 2) return columns.template operator()<2>(j);
  if (n - j == 1) return columns.template operator()<1>(j);
}

// X := X T^-1 with X m x N and T upper triangular, T(k, c) at t[k * step_k + c * step_c]; unit: ones on its diagonal,
// which has inverses otherwise. Four rows at a time, which stay in registers.
template <int N>
STICTION_INLINE void solve_right_columns(bool unit, int m, const double* t, int step_k, int step_c, double* x,
                                         int stride) {
  double inverse[N];
  for (int c = 0; c < N; ++c) inverse[c] = unit ? 1.0 : t[c * step_k + c * step_c];
  for (int i = 0; i < m; i += front_lane) {
    Quad row[N];
#pragma GCC unroll 8
    for (int c = 0; c < N; ++c) {
      Quad sum = {};
#pragma GCC unroll 8
      for (int k = 0; k < c; ++k) sum += t[k * step_k + c * step_c] * row[k];
      row[c] = *quad(x + c * stride + i) - sum;
      if (!unit) row[c] *= inverse[c];
      *quad(x + c * stride + i) = row[c];
    }
  }
}

// The same for n columns, n <= group.
STICTION_INLINE void solve_right(bool unit, int m, int n, const double* t, int step_k, int step_c, double* x,
                                 int stride) {
  const auto solve = [&]<int N>() __attribute__((always_inline)) {
    solve_right_columns<N>(unit, m, t, step_k, step_c, x, stride);
  };
  switch (n) {
    case 1:
      return solve.template operator()<1>();
    case 2:
      return solve.template operator()<2>();
    case 3:
      return solve.template operator()<3>();
    case 4:
      return solve.template operator()<4>();
    case 5:
      return solve.template operator()<5>();
    case 6:
      return solve.template operator()<6>();
    case 7:
      return solve.template operator()<7>();
    default:
      return solve.template operator()<8>();
  }
}

// A group of pivots in a place of its own: columns of eight rows, those beyond `width` zero.
struct Group {
  int width = 0;
  Quad column[group][2];
  Quad below[group][2];  // L without its diagonal; zeros elsewhere

  double* of(int c) { return reinterpret_cast<double*>(column[c]); }
};

using Lanes = long long __attribute__((vector_size(32)));

// a in the lanes of rows below k, b in the others.
STICTION_INLINE Quad select_below(int half, int k, Quad a, Quad b) {
  const Lanes row = {4 * half, 4 * half + 1, 4 * half + 2, 4 * half + 3};
  return row > k ? a : b;
}

STICTION_INLINE double largest_of(Quad x, Quad y) {
  const Quad larger = x > y ? x : y;
  return std::max(std::max(larger[0], larger[1]), std::max(larger[2], larger[3]));
}

// Rows from `first` on; there are eight of them, or the columns end with zeros.
STICTION_INLINE void load_group(const double* P, int stride, int first, int width, Group& g) {
  g.width = width;
  for (int c = 0; c < width; ++c) {
    const double* from = P + (first + c) * stride + first;
    g.column[c][0] = *quad(from);
    g.column[c][1] = first + front_lane < stride ? *quad(from + front_lane) : Quad{};
  }
}

STICTION_INLINE void store_group(Group& g, int stride, int first, double* P) {
  for (int c = 0; c < g.width; ++c) {
    double* to = P + (first + c) * stride + first;
    *quad(to) = g.column[c][0];
    if (first + front_lane < stride) *quad(to + front_lane) = g.column[c][1];
  }
}

// Zero, or not a number where an entry is not finite.
STICTION_INLINE double not_finite(const Group& g) {
  Quad sum = {};
  for (int c = 0; c < g.width; ++c) sum += 0.0 * g.column[c][0] + 0.0 * g.column[c][1];
  return sum[0] + sum[1] + sum[2] + sum[3];
}

STICTION_INLINE double largest_entry(const Group& g) {
  double largest = 0;
  for (int c = 0; c < g.width; ++c) {
    largest = std::max(largest, largest_of(absolute(g.column[c][0]), absolute(g.column[c][1])));
  }
  return largest;
}

// Column k over its pivot goes into `below`; what it does to the columns behind it, by the factors `of_column`.
template <class Factor>
STICTION_INLINE void eliminate(Group& g, int k, double pivot, Factor of_column) {
  for (int half = 0; half < 2; ++half) {
    g.below[k][half] = select_below(half, k, g.column[k][half] / pivot, Quad{});
    g.column[k][half] = select_below(half, k, g.below[k][half], g.column[k][half]);
  }
  for (int j = k + 1; j < g.width; ++j) {
    const double factor = of_column(j);
    g.column[j][0] -= g.below[k][0] * factor;
    g.column[j][1] -= g.below[k][1] * factor;
  }
}

// The lower triangle of the group becomes L with L L^T, the diagonal inverted; what is above it is of no use.
STICTION_INLINE bool factor_small_symmetric(Group& g) {
  for (int k = 0; k < g.width; ++k) {
    double* column = g.of(k);
    if (!(column[k] > 0) || !std::isfinite(column[k])) return false;
    column[k] = std::sqrt(column[k]);
    eliminate(
        g, k,
        column[k], [&](int j) __attribute__((always_inline)) { return reinterpret_cast<double*>(g.below[k])[j]; });
    column[k] = 1 / column[k];
  }
  return true;
}

// Rows k and r of the group that starts at `first`, of the rest of P, and of U^T, change places.
void exchange_rows(const Front& f, int first, int k, int r, Group& g) {
  const int stride = front_stride(f.pivots), stride_m = front_stride(f.rows);
  for (int c = 0; c < g.width; ++c) std::swap(g.of(c)[k], g.of(c)[r]);
  for (int c = 0; c < k; ++c)
    std::swap(reinterpret_cast<double*>(g.below[c])[k], reinterpret_cast<double*>(g.below[c])[r]);
  for (int c = 0; c < f.pivots; ++c) {
    if (c < first || c >= first + g.width) std::swap(f.P[c * stride + first + k], f.P[c * stride + first + r]);
  }
  double *row = f.U + (first + k) * stride_m, *other = f.U + (first + r) * stride_m;
  std::swap_ranges(row, row + f.rows, other);
}

// Row of the group's k-th pivot: k, or the row of the largest candidate; -1 where all are zero.
STICTION_INLINE int choose_pivot(Group& g, int k, double tiny) {
  const double *column = g.of(k), own = std::abs(column[k]);
  const Quad low = select_below(0, k, absolute(g.column[k][0]), Quad{});
  const double best = std::max(own, largest_of(low, select_below(1, k, absolute(g.column[k][1]), Quad{})));
  if (!(best > tiny)) return -1;
  if (own >= exchange_below * best) return k;
  int row = k;
  while (std::abs(column[row]) != best) ++row;
  return row;
}

// The group becomes L (ones on the diagonal) and U (its diagonal inverted).
STICTION_INLINE bool factor_small_general(const Front& f, int first, Group& g) {
  const double tiny = singular * largest_entry(g);
  for (int k = 0; k < g.width; ++k) {
    const int row = choose_pivot(g, k, tiny);
    if (row < 0) return false;
    f.exchange[first + k] = first + row;
    if (row != k) exchange_rows(f, first, k, row, g);
    double& pivot = g.of(k)[k];
    eliminate(
        g, k, pivot, [&](int j) __attribute__((always_inline)) { return g.of(j)[k]; });
    pivot = 1 / pivot;
  }
  return not_finite(g) == 0;
}

// X := L^-1 X for eight rows of P from `first` on and its columns behind the group.
STICTION_INLINE void solve_pivot_rows(const Front& f, int first, const Group& g) {
  const int stride = front_stride(f.pivots);
  for (int c = first + group; c < f.pivots; ++c) {
    double* column = f.P + c * stride + first;
    Quad low = *quad(column), high = *quad(column + front_lane);
#pragma GCC unroll 8
    for (int k = 0; k < group; ++k) {
      const double factor = k < front_lane ? low[k % front_lane] : high[k % front_lane];
      if (k < front_lane) low -= g.below[k][0] * factor;
      high -= g.below[k][1] * factor;
    }
    *quad(column) = low;
    *quad(column + front_lane) = high;
  }
}

template <int Q>
STICTION_INLINE bool factor_symmetric(const Front& f) {
  const int p = f.pivots, stride = front_stride(p), m = front_stride(f.rows);
  Group g;
  for (int first = 0; first < p; first += group) {
    const int end = std::min(first + group, p), width = end - first, left = p - end;
    double* D = f.P + first * stride + first;
    load_group(f.P, stride, first, width, g);
    if (!factor_small_symmetric(g)) return false;
    store_group(g, stride, first, f.P);
    solve_right(false, m, width, D, stride, 1, f.L + first * m, m);
    if (left == 0) break;
    double* below = f.P + first * stride + end;  // P below the group
    solve_right(false, stride - end, width, D, stride, 1, below, stride);
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
  Group g;
  for (int first = 0; first < p; first += group) {
    const int end = std::min(first + group, p), width = end - first, left = p - end;
    double* D = f.P + first * stride + first;
    load_group(f.P, stride, first, width, g);
    if (!factor_small_general(f, first, g)) return false;
    store_group(g, stride, first, f.P);
    solve_right(false, m, width, D, 1, stride, f.L + first * m, m);
    solve_right(true, m, width, D, stride, 1, f.U + first * m, m);
    if (left == 0) break;
    double *below = f.P + first * stride + end, *right = f.P + end * stride + first;
    solve_right(false, stride - end, width, D, 1, stride, below, stride);
    solve_pivot_rows(f, first, g);
    subtract_body<Q>(false, stride - end, left, width, below, stride, right, stride, 1, f.P + end * stride + end,
                     stride);
    subtract_body<Q>(false, m, left, width, f.L + first * m, m, right, stride, 1, f.L + end * m, m);
    subtract_body<Q>(false, m, left, width, f.U + first * m, m, below, 1, stride, f.U + end * m, m);
  }
  subtract_body<Q>(false, m, f.rows, p, f.L, m, f.U, 1, m, f.S, m);
  return true;
}

// The same for registers of four doubles, where the processor has them.
STICTION_WIDE bool factor_symmetric_wide(const Front& f) {
  return factor_symmetric<2>(f);
}
STICTION_WIDE bool factor_general_wide(const Front& f) {
  return factor_general<2>(f);
}

}  // namespace

bool factor_symmetric_front(const Front& f) {
  return use_wide_registers ? factor_symmetric_wide(f) : factor_symmetric<1>(f);
}

bool factor_general_front(const Front& f) {
  return use_wide_registers ? factor_general_wide(f) : factor_general<1>(f);
}

}  // namespace stiction
