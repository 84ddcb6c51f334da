#include "stiction/report/comparison_report.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "stiction/base/version.h"
#include "stiction/io/output_file.h"
#include "stiction/report/comparison.h"
#include "stiction/report/html_page.h"
#include "stiction/report/markup.h"
#include "stiction/report/method_style.h"
#include "stiction/report/svg/svg_bars.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::report {

namespace {

// Zeros have no place on a log axis, and what is smaller is rounding: drawn here [m].
constexpr double least_length = 1e-12;

Series method_series(const MethodRun& run, const std::function<double(const CompareSample&)>& value) {
  Series series = method_line(run.method);
  for (const CompareSample& sample : run.samples) {
    series.x.push_back(sample.time);
    series.y.push_back(value(sample));
  }
  return series;
}

Plot plot_over_time(std::string title, std::string y_label, bool log) {
  return {.title = std::move(title), .x_label = "time [s]", .y_label = std::move(y_label), .y_log = log, .series = {}};
}

Plot drift_plot(std::span<const MethodRun> runs, const PairDrift& drift, size_t p) {
  const std::string reference = fmt::format("{}", fmt::join(drift.pair.reference, " and "));
  Plot plot =
      plot_over_time(fmt::format("Drift of {} in the frame of {}", drift.pair.body, reference), "drift [m]", true);
  double end = 0;
  for (const MethodRun& run : runs) {
    if (!run.started) continue;
    plot.series.push_back(
        method_series(run, [&](const CompareSample& s) { return std::max(s.drift[p], least_length); }));
    end = std::max(end, run.samples.back().time);
  }
  plot.series.push_back(dashed_line("counts as dropped", {0, end}, {drift.limit, drift.limit}));
  return plot;
}

std::vector<Plot> make_plots(std::span<const MethodRun> runs) {
  std::vector<Plot> plots;
  const auto started = std::find_if(runs.begin(), runs.end(), [](const MethodRun& run) { return run.started; });
  if (started == runs.end()) return plots;
  for (size_t p = 0; p < started->drifts.size(); ++p) plots.push_back(drift_plot(runs, started->drifts[p], p));
  Plot energy = plot_over_time("Energy since the start", "change [J]", false);
  Plot overlap = plot_over_time("Deepest overlap", "overlap [m]", true);
  for (const MethodRun& run : runs) {
    if (!run.started) continue;
    energy.series.push_back(method_series(run, [&](const CompareSample& s) { return s.energy - run.energy_start; }));
    overlap.series.push_back(
        method_series(run, [](const CompareSample& s) { return std::max(s.penetration, least_length); }));
  }
  plots.push_back(std::move(energy));
  plots.push_back(std::move(overlap));
  return plots;
}

std::string time_bars(std::span<const MethodRun> runs) {
  std::vector<Bar> bars;
  for (const MethodRun& run : runs) {
    const double microseconds = 1e6 * run.seconds_per_step();
    bars.push_back({run.method, microseconds, run.started ? fmt::format("{:.3g}", microseconds) : "none"});
  }
  return render_bars("Time per step [\u00b5s]", bars);
}

std::string remarks(std::span<const MethodRun> runs) {
  std::string html;
  for (const std::string& text : failure_lines(runs)) {
    html += fmt::format("<p class=\"bad\">{}</p>\n", escape_markup(text));
  }
  return html;
}

std::string timing_note(int at_once) {
  if (at_once <= 1) return "";
  return fmt::format("<p class=\"note\">{} methods ran at the same time: times were measured beside other runs.</p>\n",
                     at_once);
}

std::string fallback_note(std::span<const MethodRun> runs) {
  std::string html;
  for (const std::string& text : fallback_lines(runs)) html += fmt::format("<li>{}</li>\n", escape_markup(text));
  return html.empty() ? "" : "<h2>Fallbacks</h2>\n<ul>\n" + html + "</ul>\n";
}

}  // namespace

std::string render_comparison(std::span<const MethodRun> runs, const SimulationSettings& settings,
                              const std::string& scene, int at_once) {
  std::string page = html_head(scene, "stiction compare");
  page += fmt::format("<p>{} methods, step {:g} s, {:g} s, stiction {}</p>\n", runs.size(), settings.step,
                      settings.duration, version());
  page += "<h2>Overview</h2>\n" + html_table(overview_table(runs)) + remarks(runs) + timing_note(at_once);
  page +=
      "<p class=\"note\">Drift: largest distance of a body from where it stood in the frame of the other. Overlap: "
      "deepest of two shapes, by their geometry; compliant layers count as shape. Violation: the worst of the "
      "certificate's normal, friction, cone and momentum. Times are those of the steps alone.</p>\n";
  const Table drifts = drift_table(runs);
  if (!drifts.rows.empty()) page += "<h2>Drift</h2>\n" + html_table(drifts);
  page += "<h2>Over time</h2>\n";
  page += fmt::format(
      "<p class=\"note\">Drift and overlap are the largest since the point before; values below {:g} m are drawn "
      "there.</p>\n",
      least_length);
  page += render_svg(make_plots(runs), {.panel_height = 220, .id = "compare"});
  page += "<h2>Time</h2>\n" + time_bars(runs);
  page += "<h2>Certificate</h2>\n" + html_table(certificate_table(runs));
  return page + fallback_note(runs) + html_tail();
}

Result<void> write_comparison(const std::string& path, std::span<const MethodRun> runs,
                              const SimulationSettings& settings, const std::string& scene, int at_once) {
  return write_text_file(path, render_comparison(runs, settings, scene, at_once));
}

}  // namespace stiction::report
