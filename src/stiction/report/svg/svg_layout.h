// Where everything of a plot stands and how it looks: axes, frames, legends, colours and dashes. For svg_plot.cc.
#pragma once

#include <string>
#include <vector>

#include "stiction/report/svg/axis_ticks.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::report {

/// Sizes in pixels.
inline constexpr double label_size = 12, title_size = 14.5, legend_line = 19, swatch = 26;
inline constexpr double outer = 14, tick_length = 5;
inline constexpr double marker_radius = 3.6;
inline constexpr size_t many_markers = 150;  // beyond this marks are drawn small

/// Pixels.
struct Rectangle {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// A series with everything decided about how it looks.
struct Styled {
  const Series* series;
  const char* color;
  int mark = 0;
  const char* dashes = "";
};

/// A panel laid out: axes, frame and legend rows.
struct Panel {
  const Plot* plot;
  Axis x, y;
  std::vector<Styled> styled;
  std::vector<std::vector<int>> legend;  // rows of indices into styled
  double height = 0;                     // with title, legend and labels
  Rectangle frame;
};

/// Width of text in the widest of the fonts that viewers substitute for sans-serif.
double text_width(const std::string& text, double size);

/// The axes of a plot, into an empty panel.
void make_axes(const Plot& plot, const SvgOptions& options, Panel& panel);

/// Room for a series in a legend.
double legend_item_width(const Styled& styled);

/// Room for the labels of a vertical axis.
double label_column(const Axis& axis);

/// A panel below `top`, with its frame from `left` on.
Panel lay_out(const Plot& plot, double top, double left, const SvgOptions& options);

}  // namespace stiction::report
