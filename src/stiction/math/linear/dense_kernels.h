// The inner loops of the dense solvers: columns minus multiples of columns. The same bits on every machine: wider
// registers where the processor has them, never a fused multiply-add.
#pragma once

namespace stiction {

/// Columns are padded to a multiple of this many doubles (one cache line), so that kernels have no tail.
inline constexpr int lane_width = 8;

/// n rounded up to whole lanes.
inline constexpr int padded(int n) {
  return (n + lane_width - 1) / lane_width * lane_width;
}

/// y -= a x over n values.
void subtract_scaled(int n, double a, const double* x, double* y);

/// y -= a[0] x[0] + a[1] x[1] + a[2] x[2] + a[3] x[3] over n values, where x[i] starts at x + i * stride.
void subtract_scaled_4(int n, const double* a, const double* x, int stride, double* y);

/// y -= a x on the lanes listed: lane l covers [l * lane_width, (l + 1) * lane_width).
void subtract_scaled_lanes(const int* lanes, int lane_count, double a, const double* x, double* y);

}  // namespace stiction
