// Plots for reports as self-contained SVG: white ground, no scripts, no fonts or files from elsewhere, colours that
// colour-blind readers can tell apart (the palette of Okabe and Ito).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stiction/base/error.h"

namespace stiction::report {

/// How a series is drawn.
enum class SeriesStyle {
  line,     ///< straight from point to point
  dashed,   ///< a reference curve
  markers,  ///< a mark at each point
  step,     ///< y[k] holds over the whole interval from x[k - 1] to x[k], as a step's mean force does
  region,   ///< the area within, shaded under everything else; cut off at the frame, which it does not widen
};

/// A named row of points; a point that is not finite (or not positive on a log axis) leaves a gap.
struct Series {
  std::string name;  ///< in the legend; empty: none
  std::vector<double> x, y;
  SeriesStyle style = SeriesStyle::line;
  int color = -1;  ///< palette index; -1: the next free one. A dashed series "NAME ..." takes the colour of series
                   ///< NAME, or grey
  int dash = 0;  ///< of a line: 0 unbroken, 1, 2, ... patterns in turn; more lines than colours change it by themselves
};

/// One panel.
struct Plot {
  std::string title;
  std::string x_label, y_label;  ///< with unit: "time [s]"
  bool x_log = false, y_log = false;
  std::vector<Series> series;
  bool equal_scale = false;  ///< a unit is as long upwards as across: the height of the panel follows from its width
};

/// The series of each style.
Series line(std::string name, std::vector<double> x, std::vector<double> y);
Series dashed_line(std::string name, std::vector<double> x, std::vector<double> y);
Series markers(std::string name, std::vector<double> x, std::vector<double> y);
Series step_line(std::string name, std::vector<double> x, std::vector<double> y);
Series region(std::string name, std::vector<double> x, std::vector<double> y);

/// Sizes of a figure.
struct SvgOptions {
  double width = 720;         ///< px
  double panel_height = 260;  ///< px, of the framed area of each panel
  std::string id = "plot";    ///< prefix of the ids in the document: unique where several figures share a page
};

/// The SVG document with the panels one above the other.
std::string render_svg(std::span<const Plot> panels, const SvgOptions& options = {});

/// Writes one panel, or several stacked, to a file.
Result<void> write_svg(const Plot& plot, const std::filesystem::path& path, const SvgOptions& options = {});
Result<void> write_svg(std::span<const Plot> panels, const std::filesystem::path& path, const SvgOptions& options = {});

}  // namespace stiction::report
