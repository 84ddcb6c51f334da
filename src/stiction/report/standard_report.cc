#include "stiction/report/standard_report.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "stiction/base/version.h"
#include "stiction/io/output_file.h"
#include "stiction/report/comparison.h"
#include "stiction/report/html_page.h"
#include "stiction/report/json_numbers.h"
#include "stiction/report/markup.h"
#include "stiction/report/method_style.h"
#include "stiction/study/standard_scenes.h"

namespace stiction::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* none = "-";

std::string optional_text(const std::optional<double>& value, const char* digits) {
  if (!value) return none;
  return *digits == 'e' ? short_number(*value) : fmt::format("{:.2f}", *value + 0.0);
}

// Three digits, and never an exponent.
std::string microseconds(double seconds) {
  const double us = 1e6 * seconds;
  return us < 100 ? fmt::format("{:.3g}", us) : fmt::format("{:.0f}", us);
}

// "semi-implicit-euler" -> "semi-implicit": the column says what it is.
std::string short_integrator(const std::string& name) {
  const size_t euler = name.find("-euler");
  return name.empty() ? none : name.substr(0, euler);
}

std::vector<std::string> failure_texts(std::span<const StandardFigures> figures) {
  std::vector<std::string> lines;
  for (const StandardFigures& f : figures) {
    for (const std::string& text : f.failures) lines.push_back(fmt::format("{}: {}", f.method, text));
  }
  return lines;
}

Plot cost_plot(std::span<const StandardFigures> figures) {
  Plot plot{.title = "Time per step against contacts",
            .x_label = "contacts",
            .y_label = "time [\u00b5s]",
            .x_log = true,
            .y_log = true,
            .series = {}};
  for (const StandardFigures& f : figures) {
    Series series = method_line(f.method);
    for (const CostPoint& point : f.cost) {
      series.x.push_back(point.contacts);
      series.y.push_back(1e6 * point.seconds);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

Json optional_json(const std::optional<double>& value, const char* where, Numbers& numbers) {
  return value ? numbers.number(*value, where) : Json(nullptr);
}

}  // namespace

Table standard_table(std::span<const StandardFigures> figures) {
  Table table;
  table.columns = {{"method", "", true}, {"overlap", "[m]"},      {"not con-", "verged"}, {"fall-", "backs"},
                   {"law", "missed"},    {"stack", "[m/s]"},      {"grasp", "[m/s]"},     {"rebound", "of 0.5"},
                   {"cost", "n^p"},      {"integrator", "", true}};
  for (const StandardFigures& f : figures) {
    table.rows.push_back(
        {f.method, short_number(f.penetration), std::to_string(f.not_converged), std::to_string(f.fallbacks),
         std::to_string(f.steps_over_tolerance), optional_text(f.stack_creep, "e"), optional_text(f.grasp_creep, "e"),
         optional_text(f.restitution, "f"), optional_text(f.exponent, "f"), short_integrator(f.integrator)});
  }
  return table;
}

Table cost_table(std::span<const StandardFigures> figures) {
  std::set<int> counts;
  for (const StandardFigures& f : figures) {
    for (const CostPoint& point : f.cost) counts.insert(point.contacts);
  }
  Table table;
  table.columns = {{"contacts", "", true}};
  for (const int count : counts) table.columns.push_back({std::to_string(count)});
  for (const StandardFigures& f : figures) {
    std::vector<std::string> row = {f.method};
    for (const int count : counts) {
      const auto point = std::find_if(f.cost.begin(), f.cost.end(), [&](const auto& p) { return p.contacts == count; });
      row.push_back(point == f.cost.end() ? none : microseconds(point->seconds));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Data of the paper, row by row; its kinds of methods go by the names of ours, which a test finds in the registry.
Table published_table() {
  Table table;
  table.columns = {{"method", "", true},        {"prevents", "overlap", true}, {"convergence", "guaranteed", true},
                   {"stable", "contact", true}, {"impacts", "", true},         {"time", "", true},
                   {"integrator", "", true}};
  table.rows = {{"penalty", "no", "n/a", "no", "yes", "O(1)", "any"},
                {"acceleration-lcp", "yes", "no", "yes", "no", "O(n^3)", "any"},
                {"impulse-hahn", "no", "n/a", "no", "yes", "O(n)", "any"},
                {"impulse-mirtich", "no", "n/a", "no", "yes", "O(n)", "any"},
                {"sequential-impulse", "yes", "yes", "no", "yes", "O(n^3)", "symplectic"},
                {"stewart-trinkle", "yes", "under conditions", "yes", "no", "O(n^3)", "Euler, first order"},
                {"convex-impulse", "yes", "yes", "yes", "yes", "O(n^3)", "any"}};
  return table;
}

std::vector<std::string> standard_notes(std::span<const StandardFigures> figures) {
  const long steps = figures.empty() ? 0 : std::max_element(figures.begin(), figures.end(), [](auto& a, auto& b) {
                                             return a.steps < b.steps;
                                           })->steps;
  return {fmt::format("overlap: deepest in the four scenes stack, grasp, impact and heap ({} steps of 0.001 s)", steps),
          "not converged: steps that failed, and islands whose answer was taken though its tolerance was missed",
          "fallbacks: islands that another algorithm or a shorter step solved",
          "law missed: steps whose normal, friction, cone or momentum the certificate finds beyond 1e-8",
          "stack: creep of the worst of five cubes at rest on each other, over the second half of the run",
          "grasp: creep of a ball at rest between two jaws, likewise",
          "rebound: speed after over speed before the impact of a ball; the scene states 0.5",
          "penalty has 3e4 N/m and 20 N s/m, normal and tangential: the best gains of a sweep on a grasp",
          "cost: p of time per step ~ contacts^p, fitted to a slab that slides on n feet, one island"};
}

std::string standard_markdown(std::span<const StandardFigures> figures) {
  std::string text = markdown_table(standard_table(figures)) + "\n";
  for (const std::string& note : standard_notes(figures)) text += fmt::format("- {}\n", note);
  for (const std::string& line : failure_texts(figures)) text += fmt::format("- {}\n", line);
  text += "\nTime per step [us] of the slab, by its number of contacts:\n\n" + markdown_table(cost_table(figures));
  text += "\nWhat the table of drumwright2009 (section 2.6) states, not measured here:\n\n";
  return text + markdown_table(published_table());
}

std::string render_standard(std::span<const StandardFigures> figures) {
  std::string page = html_head("Contact methods, measured", "stiction compare --standard");
  page += fmt::format("<p>{} methods, stiction {}</p>\n", figures.size(), version());
  page += "<h2>Measured</h2>\n" + html_table(standard_table(figures)) + "<ul>\n";
  for (const std::string& note : standard_notes(figures)) page += fmt::format("<li>{}</li>\n", escape_markup(note));
  page += "</ul>\n";
  for (const std::string& text : failure_texts(figures)) {
    page += fmt::format("<p class=\"bad\">{}</p>\n", escape_markup(text));
  }
  const std::vector<Plot> plots = {cost_plot(figures)};
  page +=
      "<h2>Cost</h2>\n<p>Time per step [\u00b5s], by the number of contacts:</p>\n" + html_table(cost_table(figures));
  page += render_svg(plots, {.panel_height = 320, .id = "cost"});
  page += "<h2>Published</h2>\n<p>What the table of drumwright2009 (section 2.6) states, not measured here:</p>\n";
  return page + html_table(published_table()) + html_tail();
}

Result<void> write_standard(const std::string& path, std::span<const StandardFigures> figures) {
  return write_text_file(path, render_standard(figures));
}

Json standard_json(const StandardFigures& f) {
  Numbers numbers;
  Json json = {{"method", f.method},
               {"integrator", f.integrator},
               {"penetration", numbers.number(f.penetration, "penetration")},
               {"steps", f.steps},
               {"not_converged", f.not_converged},
               {"fallbacks", f.fallbacks},
               {"steps_over_tolerance", f.steps_over_tolerance},
               {"stack_creep", optional_json(f.stack_creep, "stack_creep", numbers)},
               {"grasp_creep", optional_json(f.grasp_creep, "grasp_creep", numbers)},
               {"restitution", optional_json(f.restitution, "restitution", numbers)},
               {"restitution_stated", standard_restitution},
               {"cost_exponent", optional_json(f.exponent, "cost_exponent", numbers)},
               {"cost", Json::array()},
               {"failures", f.failures},
               {"notes", Json::array()}};
  for (const CostPoint& p : f.cost) json["cost"].push_back({{"contacts", p.contacts}, {"seconds", p.seconds}});
  json["notes"] = numbers.notes();
  return json;
}

}  // namespace stiction::report
