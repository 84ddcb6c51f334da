#include "stiction/report/svg/svg_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace stiction::report {

namespace {

constexpr std::array<const char*, 8> palette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                "#E69F00", "#56B4E9", "#882255", "#555555"};
constexpr const char* reference_color = "#4d4d4d";

constexpr std::array<const char*, 3> dash_patterns = {"6 4", "2 3", "9 3 2 3"};

void include_value(double value, bool log, AxisRange& range) {
  if (!std::isfinite(value) || (log && value <= 0)) return;
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
  range.whole_numbers = range.whole_numbers && value == std::round(value);
}

AxisRange empty_range(bool log) {
  return {.low = std::numeric_limits<double>::infinity(),
          .high = -std::numeric_limits<double>::infinity(),
          .log = log,
          .whole_numbers = true};
}

bool has_markers(const Plot& plot) {
  return std::any_of(plot.series.begin(), plot.series.end(),
                     [](const Series& s) { return s.style == SeriesStyle::markers; });
}

// As many x labels as stand side by side.
Axis make_x_axis(AxisRange range, double width) {
  Axis axis;
  for (range.max_ticks = 9; range.max_ticks >= 2; --range.max_ticks) {
    axis = make_axis(range);
    double widest = 0;
    for (const Tick& tick : axis.ticks) widest = std::max(widest, text_width(tick.label, label_size));
    if ((widest + 14) * static_cast<double>(axis.ticks.size()) <= width) break;
  }
  return axis;
}

// A dashed "v exact" belongs to the series "v".
const Styled* partner_of(const Series& dashed, const std::vector<Styled>& styled) {
  const Styled* best = nullptr;
  for (const Styled& other : styled) {
    const std::string& name = other.series->name;
    if (other.series->style == SeriesStyle::dashed || name.empty() || !dashed.name.starts_with(name + " ")) continue;
    if (best == nullptr || best->series->name.size() < name.size()) best = &other;
  }
  return best;
}

// Pattern of a line of turn `dash`; empty: unbroken.
const char* line_dashes(int dash) {
  return dash <= 0 ? "" : dash_patterns[static_cast<size_t>(dash - 1) % dash_patterns.size()];
}

void choose_styles(const Plot& plot, Panel& panel) {
  size_t next_color = 0;
  int next_mark = 0;
  for (const Series& series : plot.series) {
    Styled styled{.series = &series, .color = reference_color};
    styled.dashes = line_dashes(series.dash);
    if (series.color >= 0) {
      styled.color = palette[series.color % palette.size()];
    } else if (series.style != SeriesStyle::dashed) {
      if (series.dash == 0) styled.dashes = line_dashes(static_cast<int>(next_color / palette.size()));
      styled.color = palette[next_color++ % palette.size()];
    }
    if (series.style == SeriesStyle::markers) styled.mark = next_mark++;
    panel.styled.push_back(styled);
  }
  size_t grey = 0;
  for (Styled& styled : panel.styled) {
    if (styled.series->style != SeriesStyle::dashed) continue;
    const Styled* partner = partner_of(*styled.series, panel.styled);
    styled.dashes = dash_patterns[0];
    if (styled.series->color >= 0) continue;
    if (partner != nullptr)
      styled.color = partner->color;
    else
      styled.dashes = dash_patterns[grey++ % dash_patterns.size()];
  }
}

void break_legend(double width, Panel& panel) {
  double used = width + 1;
  for (size_t s = 0; s < panel.styled.size(); ++s) {
    if (panel.styled[s].series->name.empty()) continue;
    const double item = legend_item_width(panel.styled[s]);
    if (used + item > width) {
      panel.legend.emplace_back();
      used = 0;
    }
    panel.legend.back().push_back(static_cast<int>(s));
    used += item;
  }
}

}  // namespace

// By three classes of letters.
double text_width(const std::string& text, double size) {
  constexpr std::string_view narrow = "iIjlt.,:;'|()[] ", wide = "mwMW@%";
  double ems = 0;
  for (const char c : text) {
    if ((c & 0xC0) == 0x80) continue;  // goes on with the letter before
    ems += narrow.find(c) != narrow.npos ? 0.42 : wide.find(c) != wide.npos ? 1.0 : 0.66;
  }
  return size * ems;
}

void make_axes(const Plot& plot, const SvgOptions& options, Panel& panel) {
  AxisRange x = empty_range(plot.x_log), y = empty_range(plot.y_log);
  for (const Series& series : plot.series) {
    if (series.style == SeriesStyle::region) continue;
    for (const double value : series.x) include_value(value, plot.x_log, x);
    for (const double value : series.y) include_value(value, plot.y_log, y);
  }
  x.whole_numbers = false;
  x.padding = plot.x_log || has_markers(plot) ? 0.03 : 0.0;
  y.max_ticks = std::max(3, static_cast<int>(options.panel_height / 28));
  panel.y = make_axis(y);
  panel.x = make_x_axis(x, options.width - 90);
}

double legend_item_width(const Styled& styled) {
  return swatch + 6 + text_width(styled.series->name, label_size) + 14;
}

double label_column(const Axis& axis) {
  double widest = 0;
  for (const Tick& tick : axis.ticks) {
    const std::string text = tick.power_of_ten ? "10" + tick.label : tick.label;
    widest = std::max(widest, text_width(text, label_size));
  }
  return widest;
}

Panel lay_out(const Plot& plot, double top, double left, const SvgOptions& options) {
  Panel panel{.plot = &plot, .x = {}, .y = {}, .styled = {}, .legend = {}, .frame = {}};
  make_axes(plot, options, panel);
  choose_styles(plot, panel);
  panel.frame.left = left;
  panel.frame.width = options.width - left - outer - 8;
  break_legend(panel.frame.width, panel);
  const double title = plot.title.empty() ? 0 : title_size + 11;
  const double legend = legend_line * static_cast<double>(panel.legend.size()) + (panel.legend.empty() ? 0 : 4);
  const double exponent = panel.y.exponent != 0 ? 16 : 0;
  panel.frame.top = top + outer + title + legend + exponent;
  panel.frame.height = plot.equal_scale
                           ? panel.frame.width * (panel.y.high - panel.y.low) / (panel.x.high - panel.x.low)
                           : options.panel_height;
  panel.height = panel.frame.bottom() - top + tick_length + label_size + 8 + (plot.x_label.empty() ? 0 : 20) + 6;
  return panel;
}

}  // namespace stiction::report
