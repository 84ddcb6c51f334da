#include "stiction/report/svg/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "stiction/io/output_file.h"
#include "stiction/report/markup.h"
#include "stiction/report/svg/svg_layout.h"

namespace stiction::report {

namespace {

class Drawing {
 public:
  Drawing(const Panel& panel, std::string id) : panel_(panel), frame_(panel.frame), id_(std::move(id)) {}

  std::string draw(double top) {
    if (!panel_.plot->title.empty()) {
      text(frame_.left, top + outer + title_size - 2, panel_.plot->title, "start",
           fmt::format("font-size=\"{}\" font-weight=\"600\"", title_size));
    }
    draw_legend(top);
    draw_grid();
    draw_series();
    draw_frame();
    draw_labels();
    return std::move(svg_);
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    svg_ += fmt::format(format, std::forward<Arguments>(arguments)...);
    svg_ += '\n';
  }

  void text(double x, double y, const std::string& content, const char* anchor, const std::string& more = {}) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>", x, y, anchor, more, escape_markup(content));
  }

  void power_of_ten(double x, double y, const char* anchor, const std::string& prefix, const std::string& exponent) {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}10<tspan dy=\"-5\" font-size=\"9\">{}</tspan></text>", x,
        y, anchor, prefix, sign_of(exponent));
  }

  // A true minus sign.
  static std::string sign_of(std::string label) {
    if (!label.empty() && label[0] == '-') label.replace(0, 1, "\u2212");
    return label;
  }

  // Far beyond the frame is near enough to it for programs that draw with 24 bits.
  static double near_by(double pixel) {
    constexpr double far = 2e4;
    return std::isfinite(pixel) ? std::clamp(pixel, -far, far) : pixel;
  }

  double x_pixel(double value) const { return frame_.left + panel_.x.fraction(value) * frame_.width; }
  double y_pixel(double value) const { return frame_.bottom() - panel_.y.fraction(value) * frame_.height; }

  void draw_grid() {
    const auto vertical = [&](double value, const char* color) {
      add("<path d=\"M{0:.2f} {1:.2f}V{2:.2f}\" stroke=\"{3}\"/>", x_pixel(value), frame_.top, frame_.bottom(), color);
    };
    const auto horizontal = [&](double value, const char* color) {
      add("<path d=\"M{0:.2f} {1:.2f}H{2:.2f}\" stroke=\"{3}\"/>", frame_.left, y_pixel(value), frame_.right(), color);
    };
    add("<g fill=\"none\" stroke-width=\"1\">");
    for (const double value : panel_.x.minor_ticks) vertical(value, "#f2f2f2");
    for (const double value : panel_.y.minor_ticks) horizontal(value, "#f2f2f2");
    for (const Tick& tick : panel_.x.ticks) vertical(tick.value, "#dedede");
    for (const Tick& tick : panel_.y.ticks) horizontal(tick.value, "#dedede");
    add("</g>");
  }

  void draw_frame() {
    add("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" stroke=\"#333333\"/>",
        frame_.left, frame_.top, frame_.width, frame_.height);
    for (const Tick& tick : panel_.x.ticks) {
      add("<path d=\"M{:.2f} {:.2f}v{}\" stroke=\"#333333\"/>", x_pixel(tick.value), frame_.bottom(), tick_length);
    }
    for (const Tick& tick : panel_.y.ticks) {
      add("<path d=\"M{:.2f} {:.2f}h-{}\" stroke=\"#333333\"/>", frame_.left, y_pixel(tick.value), tick_length);
    }
  }

  void draw_tick(const Tick& tick, double x, double y, const char* anchor) {
    if (tick.power_of_ten)
      power_of_ten(x, y, anchor, "", tick.label);
    else
      text(x, y, sign_of(tick.label), anchor);
  }

  void draw_labels() {
    const double below = frame_.bottom() + tick_length + label_size + 3;
    for (const Tick& tick : panel_.x.ticks) draw_tick(tick, x_pixel(tick.value), below, "middle");
    for (const Tick& tick : panel_.y.ticks) {
      draw_tick(tick, frame_.left - tick_length - 4, y_pixel(tick.value) + 4, "end");
    }
    if (panel_.x.exponent != 0) {
      power_of_ten(frame_.right(), below + 20, "end", "\u00d7", std::to_string(panel_.x.exponent));
    }
    if (panel_.y.exponent != 0) {
      power_of_ten(frame_.left - 4, frame_.top - 8, "start", "\u00d7", std::to_string(panel_.y.exponent));
    }
    text(frame_.left + frame_.width / 2, below + 20, panel_.plot->x_label, "middle");
    const double x = outer + 6, y = frame_.top + frame_.height / 2;
    text(x, y, panel_.plot->y_label, "middle", fmt::format("transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y));
  }

  // Mark number k: circle, square, triangle, diamond.
  void draw_mark(double x, double y, double r, const Styled& styled) {
    static constexpr const char* look = "stroke=\"#ffffff\" stroke-width=\"0.8\"";
    const char* color = styled.color;
    switch (styled.mark % 4) {
      case 0:
        return add("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" fill=\"{}\" {}/>", x, y, r, color, look);
      case 1:
        return add("<path d=\"M{:.2f} {:.2f}h{w}v{w}h-{w}z\" fill=\"{c}\" {l}/>", x - 0.9 * r, y - 0.9 * r,
                   fmt::arg("w", 1.8 * r), fmt::arg("c", color), fmt::arg("l", look));
      case 2:
        return add("<path d=\"M{:.2f} {:.2f}l{} {}h{}z\" fill=\"{}\" {}/>", x, y - 1.2 * r, 1.15 * r, 2 * r, -2.3 * r,
                   color, look);
      default:
        return add("<path d=\"M{:.2f} {:.2f}l{r} {r}l-{r} {r}l-{r} -{r}z\" fill=\"{c}\" {l}/>", x, y - 1.3 * r,
                   fmt::arg("r", 1.3 * r), fmt::arg("c", color), fmt::arg("l", look));
    }
  }

  // The path of a line; a missing point lifts the pen.
  std::string path_of(const Series& series) const {
    std::string path;
    bool down = false;
    for (size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      const double x = near_by(x_pixel(series.x[k])), y = near_by(y_pixel(series.y[k]));
      if (!std::isfinite(x) || !std::isfinite(y)) {
        down = false;
        continue;
      }
      if (down && series.style == SeriesStyle::step) {
        path += fmt::format("V{:.2f}H{:.2f}", y, x);
      } else if (down) {
        path += fmt::format("L{:.2f} {:.2f}", x, y);
      } else {
        path += fmt::format("M{:.2f} {:.2f}", x, y);
      }
      down = true;
    }
    return path;
  }

  void draw_series() {
    add("<clipPath id=\"{}\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/></clipPath>", id_,
        frame_.left, frame_.top, frame_.width, frame_.height);
    add("<g clip-path=\"url(#{})\" fill=\"none\" stroke-linejoin=\"round\">", id_);
    for (const Styled& styled : panel_.styled) {
      if (styled.series->style == SeriesStyle::region) draw_region(styled, path_of(*styled.series));
    }
    for (const Styled& styled : panel_.styled) {
      if (is_line(styled)) draw_line(styled, path_of(*styled.series));
    }
    add("</g>");
    for (const Styled& styled : panel_.styled) {
      if (styled.series->style == SeriesStyle::markers) draw_marks(styled);
    }
  }

  static bool is_line(const Styled& styled) {
    return styled.series->style != SeriesStyle::markers && styled.series->style != SeriesStyle::region;
  }

  void draw_region(const Styled& styled, const std::string& path) {
    if (!path.empty()) add("<path d=\"{}Z\" fill=\"{}\" fill-opacity=\"0.2\"/>", path, styled.color);
  }

  void draw_line(const Styled& styled, const std::string& path) {
    const bool dashed = styled.series->style == SeriesStyle::dashed;
    const std::string dashes = *styled.dashes != 0 ? fmt::format(" stroke-dasharray=\"{}\"", styled.dashes) : "";
    if (!path.empty()) {
      add("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{}\"{} fill=\"none\"/>", path, styled.color, dashed ? 1.4 : 1.8,
          dashes);
    }
  }

  void draw_marks(const Styled& styled) {
    const Series& series = *styled.series;
    const double radius = series.x.size() > many_markers ? 0.5 * marker_radius : marker_radius;
    for (size_t k = 0; k < std::min(series.x.size(), series.y.size()); ++k) {
      const double x = x_pixel(series.x[k]), y = y_pixel(series.y[k]);
      if (std::isfinite(x) && std::isfinite(y)) draw_mark(x, y, radius, styled);
    }
  }

  void draw_legend(double top) {
    double y = top + outer + (panel_.plot->title.empty() ? 0 : title_size + 11) + 5;
    for (const std::vector<int>& row : panel_.legend) {
      double x = frame_.left;
      for (const int s : row) {
        const Styled& styled = panel_.styled[s];
        if (styled.series->style == SeriesStyle::markers)
          draw_mark(x + swatch / 2, y, marker_radius, styled);
        else if (styled.series->style == SeriesStyle::region)
          draw_region(styled, fmt::format("M{:.1f} {:.1f}h{w}v10h-{w}", x, y - 5, fmt::arg("w", swatch)));
        else
          draw_line(styled, fmt::format("M{:.1f} {:.1f}h{}", x, y, swatch));
        text(x + swatch + 6, y + 4, styled.series->name, "start");
        x += legend_item_width(styled);
      }
      y += legend_line;
    }
  }

  const Panel& panel_;
  const Rectangle& frame_;
  std::string id_;
  std::string svg_;
};

Series make_series(std::string name, std::vector<double> x, std::vector<double> y, SeriesStyle style) {
  return {.name = std::move(name), .x = std::move(x), .y = std::move(y), .style = style};
}

}  // namespace

Series line(std::string name, std::vector<double> x, std::vector<double> y) {
  return make_series(std::move(name), std::move(x), std::move(y), SeriesStyle::line);
}
Series dashed_line(std::string name, std::vector<double> x, std::vector<double> y) {
  return make_series(std::move(name), std::move(x), std::move(y), SeriesStyle::dashed);
}
Series markers(std::string name, std::vector<double> x, std::vector<double> y) {
  return make_series(std::move(name), std::move(x), std::move(y), SeriesStyle::markers);
}
Series step_line(std::string name, std::vector<double> x, std::vector<double> y) {
  return make_series(std::move(name), std::move(x), std::move(y), SeriesStyle::step);
}
Series region(std::string name, std::vector<double> x, std::vector<double> y) {
  return make_series(std::move(name), std::move(x), std::move(y), SeriesStyle::region);
}

std::string render_svg(std::span<const Plot> panels, const SvgOptions& options) {
  double left = 0;  // one left edge for all panels, wide enough for the widest labels
  for (const Plot& plot : panels) {
    Panel panel{.plot = &plot, .x = {}, .y = {}, .styled = {}, .legend = {}, .frame = {}};
    make_axes(plot, options, panel);
    left = std::max(left, outer + (plot.y_label.empty() ? 0 : 22) + label_column(panel.y) + tick_length + 4);
  }
  std::string body;
  double top = 0;
  for (size_t p = 0; p < panels.size(); ++p) {
    const Panel panel = lay_out(panels[p], top, left, options);
    body += Drawing(panel, fmt::format("{}-{}", options.id, p)).draw(top);
    top += panel.height;
  }
  const std::string title = panels.empty() ? "" : panels.front().title;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "role=\"img\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"{2}\" fill=\"#222222\">\n"
      "<title>{3}</title>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n{4}</svg>\n",
      options.width, std::ceil(top), label_size, escape_markup(title), body);
}

Result<void> write_svg(std::span<const Plot> panels, const std::filesystem::path& path, const SvgOptions& options) {
  return write_text_file(path.string(), render_svg(panels, options));
}

Result<void> write_svg(const Plot& plot, const std::filesystem::path& path, const SvgOptions& options) {
  return write_svg(std::span(&plot, 1), path, options);
}

}  // namespace stiction::report
