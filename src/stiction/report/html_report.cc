#include "stiction/report/html_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <numeric>

#include <fmt/format.h>

#include "stiction/base/version.h"
#include "stiction/certify/certificate_values.h"
#include "stiction/io/output_file.h"
#include "stiction/methods/registry.h"
#include "stiction/report/event_json.h"
#include "stiction/report/html_page.h"
#include "stiction/report/markup.h"
#include "stiction/report/svg/svg_plot.h"

namespace stiction::report {

namespace {

using certify::CertificateValue;
using recording::RunTrace;
using recording::TracedEvent;
using recording::TraceSample;

// Zeros have no place on a log axis and rounding is noise there: smaller values are drawn at these.
constexpr double least_ratio = 1e-16;     // dimensionless: the rounding of numbers of size one
constexpr double least_quantity = 1e-12;  // m, rad or J

struct Row {
  std::string name, value;
};

std::string table(const std::vector<Row>& rows) {
  std::string html = "<table>\n";
  for (const Row& row : rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(row.name),
                        escape_markup(row.value));
  }
  return html + "</table>\n";
}

std::string number(double value) {
  return fmt::format("{:.6g}", value);
}

std::string summary_table(const RunSummary& summary) {
  const double rate = summary.wall_seconds > 0 ? static_cast<double>(summary.steps) / summary.wall_seconds : 0;
  std::vector<Row> rows = {
      {"Steps", std::to_string(summary.steps)},
      {"Simulated time", number(summary.time) + " s"},
      {"Wall time", number(summary.wall_seconds) + " s"},
      {"Steps per second", number(rate)},
      {"Contacts, mean and largest", fmt::format("{:.3g}, {}", summary.mean_contacts, summary.max_contacts)},
      {"Solver iterations", std::to_string(summary.iterations)}};
  for (const auto& [name, count] : summary.fallback_names())
    rows.push_back({"Fallback " + name, std::to_string(count)});
  if (summary.events.any()) rows.push_back({"Events", describe_events(summary.events)});
  if (summary.existence.checked > 0) rows.push_back({"Existence", describe_existence(summary.existence)});
  return table(rows);
}

std::string certificate_table(const RunSummary& summary, double tolerance) {
  std::string html =
      "<table>\n<tr><th>Value</th><th>Worst of all steps</th><th>Unit</th><th>What it measures; zero is "
      "perfect</th></tr>\n";
  for (const CertificateValue& row : certify::certificate_values) {
    const double value = summary.certificate.*row.member;
    const char* judged = !row.in_worst ? "n" : value <= tolerance ? "n good" : "n bad";
    html += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"{}\">{:.3g}</td><td>{}</td><td>{}</td></tr>\n",
                        row.name, judged, value, row.unit, escape_markup(row.meaning));
  }
  html += "</table>\n";
  return html + fmt::format("<p class=\"{}\">{} of {} steps exceed the tolerance {:g} in {}.</p>\n",
                            summary.steps_over_tolerance > 0 ? "bad" : "good", summary.steps_over_tolerance,
                            summary.steps, tolerance, certify::names_in_worst());
}

std::vector<double> column(const RunTrace& trace, const std::function<double(const TraceSample&)>& value) {
  std::vector<double> values;
  for (const TraceSample& sample : trace.samples()) values.push_back(value(sample));
  return values;
}

// A certificate value over time, on a log axis; the initial state, which no step judged, is left out.
Series certificate_series(const RunTrace& trace, const CertificateValue& row, const std::vector<double>& time) {
  const double least = row.dimensionless() ? least_ratio : least_quantity;
  std::vector<double> values =
      column(trace, [&](const TraceSample& s) { return std::max(s.certificate.*row.member, least); });
  values.front() = std::nan("");
  return line(row.name, time, std::move(values));
}

Plot plot_of(std::string title, std::string y_label) {
  return {.title = std::move(title), .x_label = "time [s]", .y_label = std::move(y_label), .series = {}};
}

std::vector<Plot> make_plots(const RunTrace& trace, double tolerance) {
  const std::vector<double> time = column(trace, [](const TraceSample& s) { return s.time; });
  Plot energy = plot_of("Energy", "energy [J]");
  energy.series = {line("kinetic", time, column(trace, [](const TraceSample& s) { return s.energies.kinetic; })),
                   line("potential", time, column(trace, [](const TraceSample& s) { return s.energies.potential; })),
                   line("total", time,
                        column(trace, [](const TraceSample& s) { return s.energies.kinetic + s.energies.potential; }))};
  Plot contacts = plot_of("Contacts and solver", "count");
  contacts.series = {
      step_line("contacts", time, column(trace, [](const TraceSample& s) { return double(s.contacts); })),
      step_line("solver iterations", time, column(trace, [](const TraceSample& s) { return double(s.iterations); }))};
  Plot certificate = plot_of("Certificate", "violation [1]");
  Plot quantities = plot_of("Penetration, energy gain, joint limits", "with its unit");
  certificate.y_log = quantities.y_log = true;
  for (const CertificateValue& row : certify::certificate_values) {
    Plot& plot = row.dimensionless() ? certificate : quantities;
    plot.series.push_back(certificate_series(trace, row, time));
    if (!row.dimensionless()) plot.series.back().name += fmt::format(" [{}]", row.unit);
  }
  certificate.series.push_back(dashed_line("tolerance", {time.front(), time.back()}, {tolerance, tolerance}));
  Plot heights = plot_of("Height of the bodies' frames", "z [m]");
  for (size_t b = 0; b < trace.body_names().size(); ++b) {
    std::vector<double> z;
    for (const std::vector<double>& row : trace.heights()) z.push_back(row[b]);
    heights.series.push_back(line(trace.body_names()[b], time, std::move(z)));
  }
  return {energy, contacts, certificate, quantities, heights};
}

// Why friction is not at rounding where the method replaces the round cone, and what helps.
std::string polygon_note(const SimulationSettings& settings, const RunSummary& summary) {
  const methods::MethodDescription& method = *methods::find_method(settings.method);
  const int edges = method.polygon == nullptr ? 0 : method.polygon(settings.options);
  if (edges == 0 || summary.certificate.friction <= settings.certificate_tolerance) return "";
  return fmt::format(
      "<p>The certificate judges the round friction cone; this run used a polygon of {} directions in its place. More "
      "<code>friction_directions</code> bring <b>friction</b> down.</p>\n",
      edges);
}

std::string settings_table(const Simulation& simulation) {
  const SimulationSettings& s = simulation.settings();
  const Model& model = simulation.model();
  const bool maximal = s.options.coordinates == methods::Coordinates::maximal;
  return table({{"Method", s.method},
                {"Solver", s.solver},
                {"Step", number(s.step) + " s"},
                {"Duration", number(s.duration) + " s"},
                {"Coordinates", maximal ? "maximal" : "reduced"},
                {"Threads", std::to_string(s.threads)},
                {"Certificate tolerance", number(s.certificate_tolerance)},
                {"Gravity",
                 fmt::format("[{:g}, {:g}, {:g}] m/s\u00b2", model.gravity.x(), model.gravity.y(), model.gravity.z())},
                {"Bodies", std::to_string(model.bodies.size())},
                {"Degrees of freedom", std::to_string(model.v_size)},
                {"Loop joints", std::to_string(model.loop_joints.size())}});
}

// The first events of a run, with whom they were about.
std::string event_table(const Model& model, const RunSummary& summary, const RunTrace& trace) {
  if (!summary.events.any()) return "";
  std::string html =
      "<h2>Events</h2>\n<table>\n<tr><th>Time [s]</th><th>Event</th><th>Of</th><th>Speed [m/s]</th>"
      "<th>Outcomes</th></tr>\n";
  for (const TracedEvent& traced : trace.events()) {
    const bool impact = traced.event.impact >= 0;
    html += fmt::format(
        "<tr><td class=\"n\">{:.12g}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td></tr>\n",
        traced.event.time, event_kind_name(traced.event.kind), escape_markup(event_subject(model, traced.event)),
        impact ? number(traced.event.speed) : "", impact ? std::to_string(traced.outcomes) : "");
  }
  html += "</table>\n";
  const long all = std::accumulate(summary.events.count.begin(), summary.events.count.end(), 0L);
  const long left_out = all - static_cast<long>(trace.events().size());
  if (left_out > 0) html += fmt::format("<p class=\"note\">{} later events are not shown.</p>\n", left_out);
  return html;
}

std::string plot_notes(const RunTrace& trace) {
  std::string notes = fmt::format(
      "<p class=\"note\">Each point stands for {} step{}: counts and certificate are the worst of them. Certificate "
      "values below {:g} (those with a unit: {:g}) are drawn there.",
      trace.steps_per_sample(), trace.steps_per_sample() == 1 ? "" : "s", least_ratio, least_quantity);
  if (trace.bodies_left_out() > 0) notes += fmt::format(" {} more bodies are not drawn.", trace.bodies_left_out());
  return notes + "</p>\n";
}

}  // namespace

std::string render_report(const Simulation& simulation, const RunSummary& summary, const recording::RunTrace& trace,
                          const std::string& scene) {
  const double tolerance = simulation.settings().certificate_tolerance;
  std::string page = html_head(scene, "stiction run");
  page += fmt::format("<p>{}, step {:g} s, stiction {}</p>\n", escape_markup(simulation.settings().method),
                      simulation.settings().step, version());
  if (!summary.ok) page += fmt::format("<p class=\"bad\">Stopped early: {}</p>\n", escape_markup(summary.failure));
  page += "<h2>Summary</h2>\n" + summary_table(summary);
  page += "<h2>Certificate</h2>\n" + certificate_table(summary, tolerance);
  page += polygon_note(simulation.settings(), summary);
  page += "<h2>Over time</h2>\n" + plot_notes(trace);
  const std::vector<Plot> plots = make_plots(trace, tolerance);
  page += render_svg(plots, {.panel_height = 200, .id = "run"});
  page += event_table(simulation.model(), summary, trace);
  page += "<h2>Settings</h2>\n" + settings_table(simulation);
  return page + html_tail();
}

Result<void> write_report(const std::string& path, const Simulation& simulation, const RunSummary& summary,
                          const recording::RunTrace& trace, const std::string& scene) {
  return write_text_file(path, render_report(simulation, summary, trace, scene));
}

}  // namespace stiction::report
