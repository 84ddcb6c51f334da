// A method looks the same in every plot of every comparison: by its place in the registry.
#pragma once

#include <algorithm>
#include <string>

#include "stiction/methods/registry.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::report {

/// An empty line named after the method, with its colour and dashes: six colours in turn, then the dashes change.
inline Series method_line(const std::string& method) {
  constexpr int colors_in_turn = 6;
  const auto methods = methods::all_methods();
  const auto found = std::find(methods.begin(), methods.end(), methods::find_method(method));
  const int place = found == methods.end() ? 0 : static_cast<int>(found - methods.begin());
  Series series = line(method, {}, {});
  series.color = place % colors_in_turn;
  series.dash = place / colors_in_turn;
  return series;
}

}  // namespace stiction::report
