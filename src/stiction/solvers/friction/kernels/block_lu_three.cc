// The sparse LU where every block has three rows: blocks are padded to rows of four numbers, the fourth zero, so that a
// row of a block is one register. Blocks that are switched off are left out of the lists, not skipped one by one.
#include <algorithm>

#include "stiction/solvers/friction/kernels/block_lu.h"

namespace stiction::solvers {

namespace {

constexpr int lane = 4;           // numbers per row of a block
constexpr int padded = 3 * lane;  // numbers per block

// Four doubles; the compiler splits it in two where registers are narrow. Elementwise, so the result is the same.
using Quad = double __attribute__((vector_size(32), aligned(8), may_alias));

#define STICTION_INLINE __attribute__((always_inline)) inline

STICTION_INLINE const Quad& load(const double* p) {
  return *reinterpret_cast<const Quad*>(p);
}
STICTION_INLINE void store(double* p, const Quad& x) {
  *reinterpret_cast<Quad*>(p) = x;
}

STICTION_INLINE void clear_block(double* A) {
  for (int a = 0; a < padded; a += lane) store(A + a, Quad{});
}

STICTION_INLINE void copy_block(const double* from, double* to) {
  for (int a = 0; a < padded; a += lane) store(to + a, load(from + a));
}

STICTION_INLINE void pad_block(const double* from, double* A) {
  for (int a = 0; a < 3; ++a) store(A + lane * a, Quad{from[3 * a], from[3 * a + 1], from[3 * a + 2], 0.0});
}

// By cofactors, the determinant along the first column.
STICTION_INLINE bool invert_padded(const double* A, double* inverse) {
  const double a = A[0], b = A[1], c = A[2], d = A[4], e = A[5], f = A[6], g = A[8], h = A[9], i = A[10];
  const double first = e * i - f * h, second = c * h - b * i, third = b * f - c * e;
  const double factor = 1 / (a * first + (d * second + g * third));
  store(inverse, Quad{first, second, third, 0.0} * factor);
  store(inverse + lane, Quad{f * g - d * i, a * i - c * g, c * d - a * f, 0.0} * factor);
  store(inverse + 2 * lane, Quad{d * h - e * g, b * g - a * h, a * e - b * d, 0.0} * factor);
  double sum = 0;  // not zero where one of them is not finite
  for (int k = 0; k < padded; ++k) sum += inverse[k] * 0.0;
  return sum == 0;
}

// L = A B.
STICTION_INLINE void product(const double* A, const double* B, double* L) {
  const Quad B0 = load(B), B1 = load(B + lane), B2 = load(B + 2 * lane);
  for (int a = 0; a < padded; a += lane) store(L + a, A[a] * B0 + A[a + 1] * B1 + A[a + 2] * B2);
}

// x_i -= A_e x_column(e), block by block.
STICTION_INLINE void subtract_row(int begin, int end, const int* column, const double* A, const double* x,
                                  double* x_i) {
  double x0 = x_i[0], x1 = x_i[1], x2 = x_i[2];
  for (int e = begin; e < end; ++e) {
    const double *block = A + static_cast<size_t>(padded) * e, *y = x + lane * column[e];
    x0 -= block[0] * y[0] + block[1] * y[1] + block[2] * y[2];
    x1 -= block[4] * y[0] + block[5] * y[1] + block[6] * y[2];
    x2 -= block[8] * y[0] + block[9] * y[1] + block[10] * y[2];
  }
  x_i[0] = x0, x_i[1] = x1, x_i[2] = x2;
}

// The row at hand, scattered by position, loses L times a row of U.
STICTION_INLINE void subtract_upper(const double* L, int begin, int end, const int* column, const double* U,
                                    double* row) {
  const double l00 = L[0], l01 = L[1], l02 = L[2];
  const double l10 = L[4], l11 = L[5], l12 = L[6];
  const double l20 = L[8], l21 = L[9], l22 = L[10];
  for (int f = begin; f < end; ++f) {
    const double* block = U + static_cast<size_t>(padded) * f;
    double* to = row + static_cast<size_t>(padded) * column[f];
    const Quad U0 = load(block), U1 = load(block + lane), U2 = load(block + 2 * lane);
    store(to, load(to) - l00 * U0 - l01 * U1 - l02 * U2);
    store(to + lane, load(to + lane) - l10 * U0 - l11 * U1 - l12 * U2);
    store(to + 2 * lane, load(to + 2 * lane) - l20 * U0 - l21 * U1 - l22 * U2);
  }
}

}  // namespace

// What of row i takes part: its columns in L and U, and its blocks of A scattered by position.
STICTION_INLINE void BlockLu::scatter_three(const ScaledFriction& s, const double* value, int i) {
  ThreeRows& t = three_;
  int lower = t.lower_start[i], upper = t.upper_start[i];
  for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e) {
    if (!active_[lower_[e]]) continue;
    t.lower[lower++] = lower_[e];
    clear_block(t.row.data() + static_cast<size_t>(padded) * lower_[e]);
  }
  for (int e = upper_start_[i]; e < upper_start_[i + 1]; ++e) {
    if (!active_[upper_[e]]) continue;
    t.upper[upper++] = upper_[e];
    clear_block(t.row.data() + static_cast<size_t>(padded) * upper_[e]);
  }
  t.lower_start[i + 1] = lower;
  t.upper_start[i + 1] = upper;
  const int block = order_[i];
  for (int k = s.row_start()[block]; k < s.row_start()[block + 1]; ++k) {
    pad_block(value + 9L * k, t.row.data() + static_cast<size_t>(padded) * position_[s.column()[k]]);
  }
}

STICTION_INLINE bool BlockLu::factor_rows(const ScaledFriction& s, const double* value) {
  ThreeRows& t = three_;
  double *row = t.row.data(), *L = t.lower_value.data(), *U = t.upper_value.data();
  t.lower_start[0] = t.upper_start[0] = 0;
  for (int i = 0; i < n_; ++i) {
    if (!active_[i]) {
      t.lower_start[i + 1] = t.lower_start[i];
      t.upper_start[i + 1] = t.upper_start[i];
      continue;
    }
    scatter_three(s, value, i);
    for (int e = t.lower_start[i]; e < t.lower_start[i + 1]; ++e) {
      const int p = t.lower[e];
      double* L_ip = L + static_cast<size_t>(padded) * e;
      product(row + static_cast<size_t>(padded) * p, t.inverse.data() + static_cast<size_t>(padded) * p, L_ip);
      subtract_upper(L_ip, t.upper_start[p], t.upper_start[p + 1], t.upper.data(), U, row);
    }
    const double* own = row + static_cast<size_t>(padded) * i;
    if (!invert_padded(own, t.inverse.data() + static_cast<size_t>(padded) * i)) return false;
    for (int e = t.upper_start[i]; e < t.upper_start[i + 1]; ++e) {
      copy_block(row + static_cast<size_t>(padded) * t.upper[e], U + static_cast<size_t>(padded) * e);
    }
  }
  return true;
}

STICTION_INLINE void BlockLu::solve_rows(double* x) const {
  const ThreeRows& t = three_;
  double* y = t.x.data();
  for (int i = 0; i < n_; ++i) {
    if (!active_[i]) continue;
    const double* from = x + 3 * order_[i];
    store(y + lane * i, Quad{from[0], from[1], from[2], 0.0});
    subtract_row(t.lower_start[i], t.lower_start[i + 1], t.lower.data(), t.lower_value.data(), y, y + lane * i);
  }
  for (int i = n_ - 1; i >= 0; --i) {
    if (!active_[i]) continue;
    double *y_i = y + lane * i, *to = x + 3 * order_[i];
    subtract_row(t.upper_start[i], t.upper_start[i + 1], t.upper.data(), t.upper_value.data(), y, y_i);
    const double *A = t.inverse.data() + static_cast<size_t>(padded) * i, y0 = y_i[0], y1 = y_i[1], y2 = y_i[2];
    for (int a = 0; a < 3; ++a) to[a] = y_i[a] = A[lane * a] * y0 + A[lane * a + 1] * y1 + A[lane * a + 2] * y2;
  }
}

#if defined(__x86_64__)
#define STICTION_WIDE __attribute__((target("avx2")))
static const bool has_wide = __builtin_cpu_supports("avx2");
#else
#define STICTION_WIDE
static constexpr bool has_wide = false;
#endif

STICTION_WIDE bool BlockLu::factor_rows_wide(const ScaledFriction& s, const double* value) {
  return factor_rows(s, value);
}
STICTION_WIDE void BlockLu::solve_rows_wide(double* x) const {
  solve_rows(x);
}

void BlockLu::lay_out_three() {
  ThreeRows& t = three_;
  for (auto* start : {&t.lower_start, &t.upper_start}) start->resize(n_ + 1);
  for (auto* columns : {&t.lower, &t.upper}) columns->resize(upper_.size());
  for (auto* values : {&t.lower_value, &t.upper_value}) values->resize(padded * upper_.size());
  for (auto* values : {&t.inverse, &t.row}) values->resize(static_cast<size_t>(padded) * n_);
  t.x.resize(static_cast<size_t>(lane) * n_);
}

bool BlockLu::factor_three(const ScaledFriction& s, const double* value) {
  return has_wide ? factor_rows_wide(s, value) : factor_rows(s, value);
}

void BlockLu::solve_three(double* x) const {
  has_wide ? solve_rows_wide(x) : solve_rows(x);
}

}  // namespace stiction::solvers
