// Solves with the factors of one front.
#include <algorithm>

#include "stiction/math/linear/front_kernels.h"
#include "stiction/math/linear/quad.h"

namespace stiction {
namespace {

// y := L_P^-1 y, four rows at a time: first what the pivots above them do, then the triangle on the diagonal.
STICTION_INLINE void solve_pivots_forward(const FrontFactors& f, double* y) {
  const int stride = front_stride(f.pivots);
  for (int first = 0; first < f.pivots; first += front_lane) {
    Quad four = *quad(y + first);
    for (int k = 0; k < first; ++k) four -= *quad(f.P + k * stride + first) * y[k];
    *quad(y + first) = four;
    const int end = std::min(first + front_lane, f.pivots);
    for (int k = first; k < end; ++k) {
      const double* column = f.P + k * stride;
      if (f.symmetric) y[k] *= column[k];
      for (int i = k + 1; i < end; ++i) y[i] -= column[i] * y[k];
    }
  }
}

STICTION_INLINE void solve_forward(const FrontFactors& f, double* y, double* below) {
  const int m = front_stride(f.rows);
  solve_pivots_forward(f, y);
  for (int first = 0; first < m; first += front_lane) {
    Quad sum = {};
    for (int k = 0; k < f.pivots; ++k) sum -= *quad(f.L + k * m + first) * y[k];
    *quad(below + first) = sum;
  }
}

STICTION_INLINE double dot(int m, const double* a, const double* b) {  // m: a multiple of front_lane
  Quad sum = {};
  for (int i = 0; i < m; i += front_lane) sum += *quad(a + i) * *quad(b + i);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y := U_P^-1 y, or L_P^-T y where symmetric.
STICTION_INLINE void solve_pivots_backward(const FrontFactors& f, double* y) {
  const int stride = front_stride(f.pivots);
  for (int k = f.pivots - 1; k >= 0; --k) {
    const double* column = f.P + k * stride;
    if (f.symmetric) {
      const int whole = (f.pivots - k - 1) / front_lane * front_lane;
      for (int i = k + 1 + whole; i < f.pivots; ++i) y[k] -= column[i] * y[i];
      y[k] = (y[k] - dot(whole, column + k + 1, y + k + 1)) * column[k];
      continue;
    }
    y[k] *= column[k];
    const int whole = k / front_lane * front_lane;
    for (int i = 0; i < whole; i += front_lane) *quad(y + i) -= *quad(column + i) * y[k];
    for (int i = whole; i < k; ++i) y[i] -= column[i] * y[k];
  }
}

STICTION_INLINE void solve_backward(const FrontFactors& f, const double* below, double* y) {
  const int m = front_stride(f.rows);
  for (int j = 0; j < f.pivots; ++j) y[j] -= dot(m, f.U + j * m, below);
  solve_pivots_backward(f, y);
}

// The same for registers of four doubles, where the processor has them.
STICTION_WIDE void solve_forward_wide(const FrontFactors& f, double* y, double* below) {
  solve_forward(f, y, below);
}
STICTION_WIDE void solve_backward_wide(const FrontFactors& f, const double* below, double* y) {
  solve_backward(f, below, y);
}

}  // namespace

void solve_front_forward(const FrontFactors& f, double* y, double* below) {
  use_wide_registers ? solve_forward_wide(f, y, below) : solve_forward(f, y, below);
}

void solve_front_backward(const FrontFactors& f, const double* below, double* y) {
  use_wide_registers ? solve_backward_wide(f, below, y) : solve_backward(f, below, y);
}

}  // namespace stiction
