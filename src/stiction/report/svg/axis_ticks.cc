#include "stiction/report/svg/axis_ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace stiction::report {

namespace {

// Below this part of their magnitude the spread of values is rounding, and the axis shows them as one value.
constexpr double rounding_spread = 1e-12;

// The smallest of 1, 2, 5 times a power of ten that is at least `spacing`.
double nice_step(double spacing) {
  const double power = std::pow(10.0, std::floor(std::log10(spacing)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= spacing * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Numbers from 0.001 to 99999 stand as they are; others in units of a power of ten.
int shared_exponent(double largest) {
  if (largest == 0) return 0;
  const int exponent = static_cast<int>(std::floor(std::log10(largest)));
  return exponent >= 5 || exponent < -2 ? exponent : 0;
}

void add_linear_ticks(const AxisRange& range, Axis& axis) {
  double step = nice_step((axis.high - axis.low) / std::max(1, range.max_ticks - 1));
  if (range.whole_numbers) step = std::max(1.0, step);
  axis.exponent = shared_exponent(std::max(std::abs(axis.low), std::abs(axis.high)));
  const double unit = std::pow(10.0, axis.exponent);
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step / unit) + 1e-9)), 0, 15);
  const auto last = static_cast<long>(std::floor(axis.high / step + 1e-9));
  for (auto k = static_cast<long>(std::ceil(axis.low / step - 1e-9)); k <= last; ++k) {
    const double value = static_cast<double>(k) * step;
    axis.ticks.push_back({value, fmt::format("{:.{}f}", value / unit, decimals), false});
  }
}

void add_log_ticks(const AxisRange& range, Axis& axis) {
  const int first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
  const int stride = std::max(1, (last - first + range.max_ticks) / range.max_ticks);
  for (int e = first; e <= last; ++e) {
    // Counted from zero, so that the decades labelled do not depend on the range's ends.
    if (e % stride == 0) axis.ticks.push_back({std::pow(10.0, e), std::to_string(e), true});
  }
  for (int e = first - 1; e <= last; ++e) {
    for (int m = stride == 1 ? 2 : 1; m <= (stride == 1 ? 9 : 1); ++m) {
      const double value = m * std::pow(10.0, e);
      if (value < axis.low || value > axis.high) continue;
      const bool labelled = last - first < 2 && (m == 2 || m == 5) && stride == 1;
      axis.minor_ticks.push_back(value);
      if (labelled) axis.ticks.push_back({value, fmt::format("{:g}", value), false});
    }
  }
  std::sort(axis.ticks.begin(), axis.ticks.end(), [](const Tick& a, const Tick& b) { return a.value < b.value; });
  if (axis.ticks.size() >= 2) return;
  axis.ticks.clear();  // too narrow for 1, 2, 5
  axis.minor_ticks.clear();
  add_linear_ticks(range, axis);
}

}  // namespace

double Axis::fraction(double value) const {
  if (!log) return (value - low) / (high - low);
  if (!(value > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::log(value / low) / std::log(high / low);
}

Axis make_axis(const AxisRange& range) {
  Axis axis{.low = range.low, .high = range.high, .log = range.log};
  if (!(range.low <= range.high) || !std::isfinite(range.low) || !std::isfinite(range.high) ||
      (range.log && range.low <= 0)) {
    axis.low = range.log ? 0.1 : 0.0;
    axis.high = 1;
  }
  if (axis.log) {
    if (axis.high < axis.low * 1.01) axis.low /= 10, axis.high *= 10;
    const double pad = std::pow(axis.high / axis.low, range.padding);
    axis.low /= pad;
    axis.high *= pad;
    add_log_ticks(range, axis);
    return axis;
  }
  const double magnitude = std::max(std::abs(axis.low), std::abs(axis.high));
  if (axis.high - axis.low <= rounding_spread * magnitude || magnitude == 0) {
    const double widen = magnitude == 0 ? 1.0 : 0.1 * magnitude;
    axis.low -= widen;
    axis.high += widen;
  }
  const double pad = range.padding * (axis.high - axis.low);
  axis.low -= pad;
  axis.high += pad;
  add_linear_ticks(range, axis);
  return axis;
}

}  // namespace stiction::report
