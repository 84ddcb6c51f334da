// One bar per name, on a logarithmic scale: which method takes how long.
#pragma once

#include <string>
#include <vector>

namespace stiction::report {

/// One bar; a value that is not positive has none, only its text.
struct Bar {
  std::string name;
  double value = 0;
  std::string text;  ///< written at the bar's end
};

/// An SVG document with the bars one under the other; they start at the power of ten below the least value.
std::string render_bars(const std::string& title, const std::vector<Bar>& bars, double width = 720);

}  // namespace stiction::report
