#include "stiction/report/benchmark_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stiction/report/comparison.h"
#include "stiction/report/json_numbers.h"

namespace stiction::report {

namespace {

using Json = nlohmann::ordered_json;

// Three digits, and never an exponent.
std::string three_digits(double value) {
  return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

struct TimeUnit {
  const char* name;
  double per_second;
};

// Many bodies in ms, few in us.
TimeUnit time_unit(const BenchmarkScene& scene) {
  return scene.bodies >= 100 ? TimeUnit{"ms", 1e3} : TimeUnit{"us", 1e6};
}

// Names and units of the figures of all results, in the order of their first appearance.
std::vector<BenchmarkFigure> figure_names(std::span<const BenchmarkResult> results) {
  std::vector<BenchmarkFigure> names;
  for (const BenchmarkResult& result : results) {
    for (const BenchmarkFigure& figure : result.figures) {
      const auto same = [&](const BenchmarkFigure& f) { return f.name == figure.name; };
      if (std::none_of(names.begin(), names.end(), same)) names.push_back(figure);
    }
  }
  return names;
}

const BenchmarkFigure* find_figure(const BenchmarkResult& result, const std::string& name) {
  const auto found = std::find_if(result.figures.begin(), result.figures.end(),
                                  [&](const BenchmarkFigure& f) { return f.name == name; });
  return found == result.figures.end() ? nullptr : &*found;
}

// "speed error" [m/s] -> heading "speed", "error [m/s]": two lines of about the same length.
Column figure_column(const BenchmarkFigure& figure) {
  const size_t space = figure.name.find(' ');
  const std::string unit = figure.unit == "1" ? "" : fmt::format("[{}]", figure.unit);
  if (space == std::string::npos) return {figure.name, unit};
  return {figure.name.substr(0, space), figure.name.substr(space + 1) + (unit.empty() ? "" : " " + unit)};
}

std::string value_text(const BenchmarkFigure* figure) {
  if (figure == nullptr) return "-";
  return std::isfinite(figure->value) ? short_number(figure->value) : "never";
}

std::string who(const BenchmarkResult& result) {
  return fmt::format("{} {}", result.engine, result.setting);
}

// Where a figure is drawn on a logarithmic axis; never reached: nowhere.
double drawn_value(double value) {
  constexpr double least = 1e-16;
  return std::isfinite(value) ? std::max(least, value) : value;
}

// The series of an engine with a setting, added where it is new. An engine has one colour; its settings, which follow
// each other, differ by their marks.
Series& series_of(const BenchmarkResult& result, std::vector<std::string>& engines, Plot& plot) {
  const std::string name = who(result);
  const auto known =
      std::find_if(plot.series.begin(), plot.series.end(), [&](const Series& s) { return s.name == name; });
  if (known != plot.series.end()) return *known;
  auto engine = std::find(engines.begin(), engines.end(), result.engine);
  if (engine == engines.end()) engine = engines.insert(engines.end(), result.engine);
  plot.series.push_back(markers(name, {}, {}));
  plot.series.back().color = static_cast<int>(engine - engines.begin());
  return plot.series.back();
}

}  // namespace

std::string step_text(double step) {
  const double inverse = std::round(1 / step);
  const bool decimal = std::abs(std::log10(step) - std::round(std::log10(step))) < 1e-9;
  return decimal || std::abs(1 / step - inverse) > 1e-6 ? fmt::format("{:g}", step) : fmt::format("1/{:g}", inverse);
}

Table benchmark_table(const BenchmarkScene& scene, std::span<const BenchmarkResult> results) {
  const TimeUnit unit = time_unit(scene);
  const auto time = [&](double seconds) { return three_digits(unit.per_second * seconds); };
  const std::vector<BenchmarkFigure> names = figure_names(results);
  Table table;
  table.columns = {{"engine", "", true}, {"step", "[s]"}, {"time", fmt::format("[{}]", unit.name)}};
  if (scene.last_second) table.columns.push_back({"last s", fmt::format("[{}]", unit.name)});
  table.columns.push_back({"certi-", "ficate"});
  for (const BenchmarkFigure& figure : names) table.columns.push_back(figure_column(figure));
  for (const BenchmarkResult& result : results) {
    const std::string mean = time(result.time_per_step);
    std::vector<std::string> row = {who(result), step_text(result.step),
                                    result.completed ? mean : fmt::format("({})", mean)};
    if (scene.last_second) row.push_back(result.time_per_step_end ? time(*result.time_per_step_end) : "-");
    row.push_back(result.certificate ? short_number(*result.certificate) : "-");
    for (const BenchmarkFigure& figure : names) row.push_back(value_text(find_figure(result, figure.name)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

constexpr const char* our_name = "stiction";

// Times of piles and figures are those of the last second.
double headline_time(const BenchmarkResult& result) {
  return result.time_per_step_end.value_or(result.time_per_step);
}

// The best of those that came to their end with the scene's first step; null: there is none.
template <class Belongs, class Value>
const BenchmarkResult* best_of(const BenchmarkScene& scene, std::span<const BenchmarkResult> results, Belongs&& belongs,
                               Value&& value) {
  const BenchmarkResult* best = nullptr;
  for (const BenchmarkResult& result : results) {
    if (result.scene != scene.name || result.step != scene.steps.front() || !result.completed) continue;
    if (result.figures.empty() || !belongs(result)) continue;
    if (best == nullptr || value(result) < value(*best)) best = &result;
  }
  return best;
}

constexpr size_t overview_figures = 2;

// "incline: creep [m/s], acceleration error": what the numbers below are.
std::vector<std::string> overview_heading(const std::string& scene, const BenchmarkResult& result) {
  std::vector<std::string> names;
  for (size_t i = 0; i < std::min(overview_figures, result.figures.size()); ++i) {
    const BenchmarkFigure& figure = result.figures[i];
    names.push_back(figure.unit == "1" ? figure.name : fmt::format("{} [{}]", figure.name, figure.unit));
  }
  return {fmt::format("{}: {}", scene, fmt::join(names, ", ")), "", "", "", ""};
}

std::vector<std::string> overview_row(const TimeUnit& unit, const char* role, const BenchmarkResult& result) {
  std::vector<std::string> row = {fmt::format("  {}{}", role, who(result)),
                                  three_digits(unit.per_second * headline_time(result)) + " " + unit.name,
                                  result.certificate ? short_number(*result.certificate) : "-"};
  for (size_t i = 0; i < overview_figures; ++i) {
    row.push_back(i < result.figures.size() ? value_text(&result.figures[i]) : "");
  }
  return row;
}

}  // namespace

Table benchmark_overview(std::span<const BenchmarkResult> results) {
  Table table;
  table.columns = {{"", "", true}, {"time"}, {"certi-", "ficate"}, {"first", "figure"}, {"second", "figure"}};
  for (const std::string& name : benchmark_names()) {
    const BenchmarkScene scene = benchmark_scene(name);
    bool begun = false;
    const auto add = [&](const char* role, const BenchmarkResult* result) {
      if (result == nullptr) return;
      if (!std::exchange(begun, true)) table.rows.push_back(overview_heading(name, *result));
      table.rows.push_back(overview_row(time_unit(scene), role, *result));
    };
    const auto is_peer = [](const BenchmarkResult& r) { return r.engine != our_name; };
    const auto is_ours = [](const char* setting) {
      return [setting](const BenchmarkResult& r) { return r.engine == our_name && r.setting == setting; };
    };
    const auto error = [](const BenchmarkResult& r) { return r.figures.front().value; };
    const BenchmarkResult* fastest = best_of(scene, results, is_peer, headline_time);
    const BenchmarkResult* most_accurate = best_of(scene, results, is_peer, error);
    add(fastest == most_accurate ? "fastest and nearest: " : "fastest: ", fastest);
    if (fastest != most_accurate) add("nearest: ", most_accurate);
    add("", best_of(scene, results, is_ours("fast"), headline_time));
    add("", best_of(scene, results, is_ours("exact"), headline_time));
  }
  return table;
}

std::string benchmark_text(std::span<const BenchmarkResult> results, int width) {
  std::string text;
  for (const std::string& name : benchmark_names()) {
    const std::vector<BenchmarkResult> own = results_of(name, results);
    if (own.empty()) continue;
    const BenchmarkScene scene = benchmark_scene(name);
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", scene.name, scene.sentence);
    text += text_table(benchmark_table(scene, own), width);
    for (const BenchmarkResult& result : own) {
      if (!result.note.empty()) {
        text += fmt::format("  {}, step {}: {}\n", who(result), step_text(result.step), result.note);
      }
    }
  }
  const bool has_peers =
      std::any_of(results.begin(), results.end(), [](const BenchmarkResult& r) { return r.engine != our_name; });
  if (!has_peers) return text;
  return text + "\noverview: the fastest peer, the one with the smallest first figure, and ours\n" +
         text_table(benchmark_overview(results), width);
}

std::vector<Plot> benchmark_plots(const BenchmarkScene& scene, std::span<const BenchmarkResult> results) {
  const TimeUnit unit = time_unit(scene);
  std::vector<Plot> plots;
  for (const BenchmarkFigure& figure : figure_names(results)) {
    Plot plot{.title = fmt::format("{}: {}", scene.name, figure.name),
              .x_label = fmt::format("CPU time per step [{}]", unit.name),
              .y_label = figure.unit == "1" ? figure.name : fmt::format("{} [{}]", figure.name, figure.unit),
              .x_log = true,
              .y_log = true,
              .series = {}};
    std::vector<std::string> engines;
    for (const BenchmarkResult& result : results) {
      const BenchmarkFigure* value = find_figure(result, figure.name);
      if (value == nullptr) continue;
      Series& series = series_of(result, engines, plot);
      series.x.push_back(unit.per_second * result.time_per_step);
      series.y.push_back(drawn_value(value->value));
    }
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<BenchmarkResult> results_of(const std::string& scene, std::span<const BenchmarkResult> results) {
  std::vector<BenchmarkResult> own;
  std::copy_if(results.begin(), results.end(), std::back_inserter(own),
               [&](const BenchmarkResult& result) { return result.scene == scene; });
  return own;
}

Json benchmark_json(const BenchmarkResult& result) {
  Numbers numbers;
  const auto optional = [&](const std::optional<double>& value, const char* where) {
    return value ? numbers.number(*value, where) : Json(nullptr);
  };
  Json figures = Json::array();
  for (const BenchmarkFigure& figure : result.figures) {
    figures.push_back(
        {{"name", figure.name}, {"unit", figure.unit}, {"value", numbers.number(figure.value, figure.name)}});
  }
  return {{"scene", result.scene},
          {"engine", result.engine},
          {"setting", result.setting},
          {"step", result.step},
          {"steps", result.steps},
          {"completed", result.completed},
          {"note", result.note},
          {"seconds_per_step", result.time_per_step},
          {"seconds_per_step_end", optional(result.time_per_step_end, "seconds_per_step_end")},
          {"certificate", optional(result.certificate, "certificate")},
          {"figures", figures}};
}

BenchmarkResult read_benchmark_json(const Json& json) {
  const auto optional = [&](const char* key) {
    return json.at(key).is_null() ? std::nullopt : std::optional<double>(json.at(key).get<double>());
  };
  BenchmarkResult result{.scene = json.at("scene"), .engine = json.at("engine"), .setting = json.at("setting")};
  result.step = json.at("step");
  result.steps = json.at("steps");
  result.completed = json.at("completed");
  result.note = json.at("note");
  result.time_per_step = json.at("seconds_per_step");
  result.time_per_step_end = optional("seconds_per_step_end");
  result.certificate = optional("certificate");
  for (const Json& figure : json.at("figures")) {
    const Json& value = figure.at("value");
    result.figures.push_back({figure.at("name"), figure.at("unit"),
                              value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>()});
  }
  return result;
}

}  // namespace stiction::report
