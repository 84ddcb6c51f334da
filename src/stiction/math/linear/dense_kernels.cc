#include "stiction/math/linear/dense_kernels.h"

#include "stiction/math/linear/quad.h"

namespace stiction {
namespace {

STICTION_INLINE void subtract_scaled_body(int n, double a, const double* x, double* y) {
  int i = 0;
  for (; i + 4 <= n; i += 4) *quad(y + i) -= a * *quad(x + i);
  for (; i < n; ++i) y[i] -= a * x[i];
}

STICTION_INLINE void subtract_scaled_4_body(int n, const double* a, const double* x, int stride, double* y) {
  const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
  const double *x0 = x, *x1 = x0 + stride, *x2 = x1 + stride, *x3 = x2 + stride;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    *quad(y + i) -= (a0 * *quad(x0 + i) + a1 * *quad(x1 + i)) + (a2 * *quad(x2 + i) + a3 * *quad(x3 + i));
  }
  for (; i < n; ++i) y[i] -= (a0 * x0[i] + a1 * x1[i]) + (a2 * x2[i] + a3 * x3[i]);
}

STICTION_INLINE void subtract_scaled_lanes_body(const int* lanes, int lane_count, double a, const double* x,
                                                double* y) {
  for (int k = 0; k < lane_count; ++k) {
    const int i = lanes[k] * lane_width;
    *quad(y + i) -= a * *quad(x + i);
    *quad(y + i + 4) -= a * *quad(x + i + 4);
  }
}

STICTION_WIDE void subtract_scaled_wide(int n, double a, const double* x, double* y) {
  subtract_scaled_body(n, a, x, y);
}
STICTION_WIDE void subtract_scaled_4_wide(int n, const double* a, const double* x, int stride, double* y) {
  subtract_scaled_4_body(n, a, x, stride, y);
}
STICTION_WIDE void subtract_scaled_lanes_wide(const int* lanes, int lane_count, double a, const double* x, double* y) {
  subtract_scaled_lanes_body(lanes, lane_count, a, x, y);
}

}  // namespace

void subtract_scaled(int n, double a, const double* x, double* y) {
  use_wide_registers ? subtract_scaled_wide(n, a, x, y) : subtract_scaled_body(n, a, x, y);
}

void subtract_scaled_4(int n, const double* a, const double* x, int stride, double* y) {
  use_wide_registers ? subtract_scaled_4_wide(n, a, x, stride, y) : subtract_scaled_4_body(n, a, x, stride, y);
}

void subtract_scaled_lanes(const int* lanes, int lane_count, double a, const double* x, double* y) {
  use_wide_registers ? subtract_scaled_lanes_wide(lanes, lane_count, a, x, y)
                     : subtract_scaled_lanes_body(lanes, lane_count, a, x, y);
}

}  // namespace stiction
