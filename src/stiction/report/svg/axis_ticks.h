// Where an axis has its ticks, and what they say.
#pragma once

#include <string>
#include <vector>

namespace stiction::report {

/// One tick; minor ticks have no label.
struct Tick {
  double value = 0;
  std::string label;
  bool power_of_ten = false;  ///< `label` is the exponent of ten
};

/// A range and its ticks.
struct Axis {
  double low = 0, high = 1;
  bool log = false;
  std::vector<Tick> ticks = {};
  std::vector<double> minor_ticks = {};  ///< log axes: 2, 3, .. 9 of each decade
  int exponent = 0;                      ///< labels of a linear axis are in units of 10^exponent

  /// Position of a value along the axis, 0 at `low`, 1 at `high`; not finite where it has none (log of zero).
  double fraction(double value) const;
};

/// What an axis must show.
struct AxisRange {
  double low = 0, high = 0;  ///< of the values; for log axes of the positive ones
  bool log = false;
  bool whole_numbers = false;  ///< ticks at whole numbers only
  double padding = 0.05;       ///< part of the range added at either end
  int max_ticks = 8;           ///< labels that find room, >= 2
};

/// An axis over a range: ticks at 1, 2 or 5 times a power of ten, or at powers of ten. A range of one value is widened.
Axis make_axis(const AxisRange& range);

}  // namespace stiction::report
