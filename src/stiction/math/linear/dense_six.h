// Small dense kernels for free bodies: six velocities, sizes known to the compiler.
#pragma once

namespace stiction {

/// solve_lower (dense.h) for up to four right-hand sides of six numbers, one after the other in `b`: the same bits.
/// Each division waits for the one before, so that four right-hand sides cost as much as one.
inline void solve_lower_six(const double* L, int count, double* b) {
  double lanes[6][4] = {};
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < 6; ++i) lanes[i][r] = b[6 * r + i];
  }
  for (int k = 0; k < 6; ++k) {
    for (double& x : lanes[k]) x /= L[7 * k];
    for (int i = k + 1; i < 6; ++i) {
      for (int r = 0; r < 4; ++r) lanes[i][r] -= lanes[k][r] * L[6 * k + i];
    }
  }
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < 6; ++i) b[6 * r + i] = lanes[i][r];
  }
}

}  // namespace stiction
