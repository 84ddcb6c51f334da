#include "solvers_report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stiction/io/output_file.h"
#include "stiction/report/markup.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::bench {

namespace {

using report::Plot;

const std::vector<double> table_factors = {1, 1.2, 2, 5, 10, 50};
constexpr double largest_factor = 100;  // of the plot

std::string milliseconds(double time) {
  return std::isfinite(time) ? fmt::format("{:.{}f}", time, time < 0.1 ? 4 : time < 10 ? 3 : 1) : "-";
}

std::string ratio_text(double ratio) {
  return std::isnan(ratio) ? "-" : fmt::format("{:.2f}", ratio);
}

std::vector<std::size_t> column_widths(const Table& table) {
  std::vector<std::size_t> widths(table.front().size(), 3);
  for (const auto& row : table) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  return widths;
}

/// Of each family the setting that gets furthest, then quickest; of ours every entry of the field.
std::vector<const Entry*> curves(const ProblemResult& problem, Field field) {
  std::vector<const Entry*> chosen;
  const int last = static_cast<int>(problem.entries.front().measurement.by_target.size()) - 1;
  for (const Entry& entry : problem.entries) {
    if (!competes(entry, field)) continue;
    const auto same = [&](const Entry* other) {
      return !entry.ours && !other->ours && family(other->solver) == family(entry.solver);
    };
    const auto rival = std::find_if(chosen.begin(), chosen.end(), same);
    if (rival == chosen.end()) {
      chosen.push_back(&entry);
    } else if (time_at(entry, last) < time_at(**rival, last)) {
      *rival = &entry;
    }
  }
  return chosen;
}

Plot work_precision_plot(const ProblemResult& problem, Field field) {
  Plot plot{.title = fmt::format("{} ({} contacts)", problem.name, problem.contacts),
            .x_label = "CPU time [ms]",
            .y_label = "residual",
            .x_log = true,
            .y_log = true,
            .series = {}};
  for (const Entry* entry : curves(problem, field)) {
    std::vector<Trial> trials = entry->measurement.trials;
    std::sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.tolerance > b.tolerance; });
    std::vector<double> x, y;
    for (const Trial& trial : trials) {
      x.push_back(std::max(least_milliseconds, trial.milliseconds));
      y.push_back(std::max(1e-16, trial.residual));  // an exact zero has no place on a log axis
    }
    if (x.empty()) continue;
    plot.series.push_back(entry->ours ? report::line(entry->solver, x, y) : report::dashed_line(entry->solver, x, y));
    plot.series.back().color = static_cast<int>(plot.series.size()) - 1;
  }
  return plot;
}

Plot profile_plot(const Comparison& comparison, int target, Field field) {
  std::vector<double> factors;
  for (double factor = 1; factor <= largest_factor; factor *= 1.05) factors.push_back(factor);
  const Profile profile = performance_profile(comparison, target, field, factors);
  Plot plot{.title = fmt::format("Problems solved to {:g} within a factor of the quickest", comparison.targets[target]),
            .x_label = "factor",
            .y_label = "fraction of problems",
            .x_log = true,
            .series = {}};
  for (std::size_t s = 0; s < profile.solvers.size(); ++s) {
    plot.series.push_back(report::line(profile.solvers[s], factors, profile.fractions[s]));
  }
  return plot;
}

std::string html_table(const Table& table) {
  std::string html = "<table>\n";
  for (std::size_t r = 0; r < table.size(); ++r) {
    html += "<tr>";
    for (const std::string& cell : table[r]) {
      html += fmt::format("<{0}>{1}</{0}>", r == 0 ? "th" : "td", report::escape_markup(cell));
    }
    html += "</tr>\n";
  }
  return html + "</table>\n";
}

constexpr const char* page_head =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Contact solvers, side by side</title>\n"
    "<style>body{font:15px/1.5 system-ui,Helvetica,Arial,sans-serif;color:#1c1c1c;background:#fff;max-width:64rem;"
    "margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums;display:block;"
    "overflow-x:auto}th,td{text-align:left;padding:.2rem .6rem;border-bottom:1px solid #e3e3e3;white-space:nowrap}"
    "svg{max-width:100%;height:auto}</style></head><body>\n<h1>Contact solvers, side by side</h1>\n"
    "<p>CPU time of one thread from the problem in memory to r. Ours: <code>auto</code>; the others are the solvers of "
    "Siconos, each at the loosest tolerance of its own whose independent residual passes.</p>\n";

/// Collects the page and writes each plot beside it as it comes.
class Page {
 public:
  explicit Page(std::string folder) : folder_(std::move(folder)) {}

  void heading(const std::string& text) { html_ += "<h2>" + report::escape_markup(text) + "</h2>\n"; }
  void table(const Table& table) { html_ += html_table(table); }

  Result<void> plot(const Plot& plot, const std::string& name) {
    const report::SvgOptions options{.id = name};
    html_ += report::render_svg(std::span(&plot, 1), options) + "\n";
    return report::write_svg(plot, folder_ + "/" + name + ".svg", options);
  }

  Result<void> write() const {
    return write_text_file(folder_ + "/index.html", page_head + html_ + "</body></html>\n");
  }

 private:
  std::string folder_;
  std::string html_;
};

/// Plot and tables of one target.
Result<void> add_target(Page& page, const Comparison& comparison, int target) {
  const std::string goal = fmt::format("{:g}", comparison.targets[target]);
  page.heading("To a residual of " + goal);
  auto written = page.plot(profile_plot(comparison, target, Field::ours_and_peers), "profile-" + goal);
  if (!written) return written;
  page.table(profile_table(comparison, target, Field::ours_and_peers));
  if (has_field_of_ours(comparison)) {
    written = page.plot(profile_plot(comparison, target, Field::ours_alone), "profile-ours-" + goal);
    page.table(profile_table(comparison, target, Field::ours_alone));
  }
  page.table(problem_table(comparison, target));
  return written;
}

}  // namespace

bool has_field_of_ours(const Comparison& comparison) {
  if (comparison.problems.empty()) return false;
  const auto& entries = comparison.problems.front().entries;
  return std::count_if(entries.begin(), entries.end(), [](const Entry& entry) { return entry.ours; }) > 1;
}

std::string markdown(const Table& table) {
  const std::vector<std::size_t> widths = column_widths(table);
  std::string text;
  for (std::size_t r = 0; r < table.size(); ++r) {
    for (std::size_t c = 0; c < table[r].size(); ++c) text += fmt::format("| {:<{}} ", table[r][c], widths[c]);
    text += "|\n";
    if (r > 0) continue;
    for (const std::size_t width : widths) text += fmt::format("|{:-<{}}", "", width + 2);
    text += "|\n";
  }
  return text;
}

Table problem_table(const Comparison& comparison, int target) {
  Table table = {{"problem", "contacts", "ours ms", "rung", "residual", "Siconos ms", "by", "own tolerance", "ratio"}};
  for (const ProblemResult& problem : comparison.problems) {
    const Entry* ours = find_entry(problem, our_entry);
    const Entry* peer = best_peer(problem, target);
    const Trial* trial = ours == nullptr ? nullptr : trial_at(*ours, target);
    const double own_tolerance = peer == nullptr ? 0 : trial_at(*peer, target)->tolerance;
    table.push_back(
        {problem.name, std::to_string(problem.contacts), trial == nullptr ? "-" : milliseconds(time_at(*ours, target)),
         trial == nullptr ? "-" : trial->rung, trial == nullptr ? "-" : fmt::format("{:.1e}", trial->residual),
         peer == nullptr ? "-" : milliseconds(time_at(*peer, target)), peer == nullptr ? "-" : peer->solver,
         peer == nullptr ? "-" : fmt::format("{:.0e}", own_tolerance),
         ratio_text(ratio_to_best_peer(problem, target))});
  }
  return table;
}

Table verdict_table(const Comparison& comparison) {
  Table table = {{"residual", "problems", "solved by us", "by any of Siconos", "mean ratio", "largest", "on"}};
  for (int target = 0; target < static_cast<int>(comparison.targets.size()); ++target) {
    const Verdict v = verdict(comparison, target);
    table.push_back({fmt::format("{:.0e}", comparison.targets[target]), std::to_string(comparison.problems.size()),
                     std::to_string(v.solved), std::to_string(v.solved_by_peers), ratio_text(v.mean_ratio),
                     ratio_text(v.worst_ratio), v.worst_problem});
  }
  return table;
}

Table profile_table(const Comparison& comparison, int target, Field field) {
  Table table = {{fmt::format("within ({:.0e})", comparison.targets[target])}};
  for (const double factor : table_factors) table[0].push_back(fmt::format("{:g}x", factor));
  table[0].emplace_back("solved");
  std::vector<double> factors = table_factors;
  factors.push_back(INFINITY);
  const Profile profile = performance_profile(comparison, target, field, factors);
  for (std::size_t s = 0; s < profile.solvers.size(); ++s) {
    table.push_back({profile.solvers[s]});
    for (const double fraction : profile.fractions[s]) table.back().push_back(fmt::format("{:.0f} %", 100 * fraction));
  }
  return table;
}

Result<void> write_report(const Comparison& comparison, const std::vector<std::string>& work_precision_problems,
                          const std::string& folder) {
  std::filesystem::create_directories(folder);
  Page page(folder);
  page.heading("In short");
  page.table(verdict_table(comparison));
  Result<void> written;
  for (int target = 0; target < static_cast<int>(comparison.targets.size()) && written; ++target) {
    written = add_target(page, comparison, target);
  }
  page.heading("Work and precision");
  for (const ProblemResult& problem : comparison.problems) {
    const auto& wanted = work_precision_problems;
    if (!written || std::find(wanted.begin(), wanted.end(), problem.name) == wanted.end()) continue;
    written = page.plot(work_precision_plot(problem, Field::ours_and_peers), "work-" + problem.name);
    if (!written || !has_field_of_ours(comparison)) continue;
    written = page.plot(work_precision_plot(problem, Field::ours_alone), "work-ours-" + problem.name);
  }
  return written ? page.write() : written;
}

}  // namespace stiction::bench
