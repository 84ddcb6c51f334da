#include "stiction/report/svg/svg_bars.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stiction/report/markup.h"

namespace stiction::report {

namespace {

constexpr double row_height = 22, bar_height = 13, names_width = 150, text_space = 90, top = 38;

// Decades that the bars span: from the power of ten below the least value to the one above the largest.
struct Decades {
  int low = 0, high = 1;

  double fraction(double value) const { return (std::log10(value) - low) / (high - low); }
};

Decades decades_of(const std::vector<Bar>& bars) {
  double least = INFINITY, most = 0;
  for (const Bar& bar : bars) {
    if (!(bar.value > 0) || !std::isfinite(bar.value)) continue;
    least = std::min(least, bar.value);
    most = std::max(most, bar.value);
  }
  if (most == 0) return {};
  Decades decades{static_cast<int>(std::floor(std::log10(least))), static_cast<int>(std::ceil(std::log10(most)))};
  if (std::log10(least) - decades.low < 0.05) --decades.low;  // the shortest bar can be seen
  decades.high = std::max(decades.high, decades.low + 1);
  return decades;
}

std::string grid(const Decades& decades, double left, double width, double bottom) {
  std::string svg;
  for (int d = decades.low; d <= decades.high; ++d) {
    const double x = left + width * (d - decades.low) / (decades.high - decades.low);
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#dedede\"/>\n<text x=\"{0:.1f}\" y=\"{3:.1f}\" "
        "text-anchor=\"middle\">10<tspan dy=\"-5\" font-size=\"9\">{4}</tspan></text>\n",
        x, top - 4, bottom, bottom + 15, d);
  }
  return svg;
}

}  // namespace

std::string render_bars(const std::string& title, const std::vector<Bar>& bars, double width) {
  const Decades decades = decades_of(bars);
  const double left = names_width, room = width - names_width - text_space;
  const double bottom = top + row_height * static_cast<double>(bars.size());
  std::string body = grid(decades, left, room, bottom);
  for (size_t b = 0; b < bars.size(); ++b) {
    const Bar& bar = bars[b];
    const double y = top + row_height * static_cast<double>(b);
    const bool drawn = bar.value > 0 && std::isfinite(bar.value);
    const double length = drawn ? room * decades.fraction(bar.value) : 0;
    body += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", left - 8, y + 11,
                        escape_markup(bar.name));
    if (drawn) {
      body += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#0072B2\"/>\n", left,
                          y, length, bar_height);
    }
    body +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", left + length + 6, y + 11, escape_markup(bar.text));
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
      "<title>{2}</title>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n"
      "<text x=\"14\" y=\"20\" font-size=\"14.5\" font-weight=\"600\">{2}</text>\n{3}</svg>\n",
      width, bottom + 24, escape_markup(title), body);
}

}  // namespace stiction::report
