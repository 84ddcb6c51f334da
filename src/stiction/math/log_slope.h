// Orders of convergence and growth: the slope of a line through points in logarithmic axes.
#pragma once

#include <cmath>
#include <limits>
#include <span>

namespace stiction {

/// Slope of log y over log x by least squares; points with a y that is not positive are left out. NaN where fewer than
/// two different x remain.
inline double log_slope(std::span<const double> x, std::span<const double> y) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!(y[i] > 0)) continue;
    const double a = std::log(x[i]), b = std::log(y[i]);
    n += 1, sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  const double spread = n * sxx - sx * sx;
  return n < 2 || spread <= 0 ? std::numeric_limits<double>::quiet_NaN() : (n * sxy - sx * sy) / spread;
}

}  // namespace stiction
