#include "stiction/report/comparison.h"

#include <algorithm>

#include <fmt/format.h>

#include "stiction/certify/certificate_values.h"
#include "stiction/report/json_numbers.h"

namespace stiction::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* none = "-";

std::string signed_number(double value) {
  return value == 0 ? "0" : fmt::format("{:+.1e}", value);
}

std::string time_text(const std::optional<double>& time) {
  return time ? fmt::format("{:.4g}", *time) : none;
}

double largest_drift(const MethodRun& run) {
  double largest = 0;
  for (const PairDrift& drift : run.drifts) largest = std::max(largest, drift.largest);
  return largest;
}

bool any_pairs(std::span<const MethodRun> runs) {
  return std::any_of(runs.begin(), runs.end(), [](const MethodRun& run) { return !run.drifts.empty(); });
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json drift_json(const PairDrift& drift, size_t index, Numbers& numbers) {
  const std::string where = fmt::format("drift[{}]", index);
  Json json = {{"reference", drift.pair.reference},
               {"body", drift.pair.body},
               {"normal", nullptr},
               {"displacement", numbers.vector(drift.displacement, where + ".displacement")},
               {"end", numbers.number(drift.end(), where + ".end")},
               {"largest", numbers.number(drift.largest, where + ".largest")},
               {"largest_time", drift.largest_time},
               {"drop_distance", drift.limit},
               {"dropped_at", optional_json(drift.dropped_at)}};
  if (drift.pair.normal) json["normal"] = numbers.vector(*drift.pair.normal, where + ".normal");
  return json;
}

}  // namespace

std::string short_number(double value) {
  return value == 0 ? "0" : fmt::format("{:.1e}", value);
}

Table overview_table(std::span<const MethodRun> runs) {
  const bool pairs = any_pairs(runs);
  Table table;
  table.columns = {{"method", "", true}};
  if (pairs) table.columns.insert(table.columns.end(), {{"drift", "[m]"}, {"dropped", "at [s]"}});
  table.columns.insert(table.columns.end(), {{"overlap", "[m]"},
                                             {"energy", "[J]"},
                                             {"worst", "violation"},
                                             {"steps", "over tol."},
                                             {"fallbacks"},
                                             {"time", "[us/step]"}});
  for (const MethodRun& run : runs) {
    std::vector<std::string> row = {run.method};
    if (!run.started) {
      row.resize(table.columns.size(), none);
      table.rows.push_back(std::move(row));
      continue;
    }
    if (pairs) row.insert(row.end(), {short_number(largest_drift(run)), time_text(run.dropped_at())});
    const RunSummary& s = run.summary;
    row.insert(row.end(), {short_number(run.penetration), signed_number(run.energy_end - run.energy_start),
                           short_number(s.certificate.worst()), std::to_string(s.steps_over_tolerance),
                           std::to_string(run.fallback_count()), fmt::format("{:.1f}", 1e6 * run.seconds_per_step())});
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table drift_table(std::span<const MethodRun> runs) {
  Table table;
  table.columns = {{"pair", "", true}, {"method", "", true}, {"end", "x [m]"}, {"end", "y [m]"},
                   {"end", "z [m]"},   {"largest", "[m]"},   {"at", "[s]"},    {"dropped", "at [s]"}};
  const size_t pairs = runs.empty() ? 0 : std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
                                            return a.drifts.size() < b.drifts.size();
                                          })->drifts.size();
  for (size_t p = 0; p < pairs; ++p) {
    for (const MethodRun& run : runs) {
      if (p >= run.drifts.size()) continue;
      const PairDrift& drift = run.drifts[p];
      const Vector3& d = drift.displacement;
      table.rows.push_back({drift.pair.name(), run.method, signed_number(d.x()), signed_number(d.y()),
                            signed_number(d.z()), short_number(drift.largest),
                            fmt::format("{:.4g}", drift.largest_time), time_text(drift.dropped_at)});
    }
  }
  return table;
}

Table certificate_table(std::span<const MethodRun> runs) {
  Table table;
  table.columns = {{"method", "", true}};
  for (const certify::CertificateValue& value : certify::certificate_values) {
    const std::string unit = value.dimensionless() ? "" : fmt::format("[{}]", value.unit);
    table.columns.push_back({certify::spoken_name(value), unit});
  }
  table.columns.push_back({"steps over", "tolerance"});
  for (const MethodRun& run : runs) {
    if (!run.started) continue;
    std::vector<std::string> row = {run.method};
    for (const certify::CertificateValue& value : certify::certificate_values) {
      row.push_back(short_number(run.summary.certificate.*value.member));
    }
    row.push_back(fmt::format("{} of {}", run.summary.steps_over_tolerance, run.summary.steps));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> failure_lines(std::span<const MethodRun> runs) {
  std::vector<std::string> lines;
  for (const MethodRun& run : runs) {
    if (run.completed()) continue;
    lines.push_back(run.started ? fmt::format("{}: stopped at t = {:g} s: {}", run.method, run.failed_at.value_or(0),
                                              run.summary.failure)
                                : fmt::format("{}: cannot take this scene: {}", run.method, run.summary.failure));
  }
  return lines;
}

std::vector<std::string> fallback_lines(std::span<const MethodRun> runs) {
  std::vector<std::string> lines;
  for (const MethodRun& run : runs) {
    for (const auto& [name, count] : run.summary.fallback_names()) {
      lines.push_back(fmt::format("{}: fallback {}: {} times", run.method, name, count));
    }
  }
  return lines;
}

Json method_run_json(const MethodRun& run, const SimulationSettings& settings, const std::string& scene, int at_once) {
  Numbers numbers;
  const RunSummary& s = run.summary;
  Json json = {{"scene", scene},
               {"method", run.method},
               {"solver", run.solver},
               {"integrator", run.integrator},
               {"step", settings.step},
               {"steps", s.steps},
               {"time", numbers.number(s.time, "time")},
               {"started", run.started},
               {"ok", run.completed()},
               {"failure", run.completed() ? Json(nullptr) : Json(s.failure)},
               {"failed_at", optional_json(run.failed_at)},
               {"penetration", numbers.number(run.penetration, "penetration")},
               {"energy",
                {{"start", numbers.number(run.energy_start, "energy.start")},
                 {"end", numbers.number(run.energy_end, "energy.end")},
                 {"largest_gain", numbers.number(run.energy_gain, "energy.largest_gain")}}},
               {"certificate", certificate_json(s, numbers)},
               {"certificate_tolerance", settings.certificate_tolerance},
               {"fallbacks", Json::object()},
               {"contacts", {{"mean", s.mean_contacts}, {"max", s.max_contacts}}},
               {"iterations", s.iterations},
               {"drift", Json::array()},
               {"wall_seconds", s.wall_seconds},
               {"seconds_per_step", run.seconds_per_step()},
               {"methods_at_once", at_once},
               {"notes", Json::array()}};
  for (const auto& [name, count] : s.fallback_names()) json["fallbacks"][name] = count;
  for (size_t p = 0; p < run.drifts.size(); ++p) json["drift"].push_back(drift_json(run.drifts[p], p, numbers));
  json["notes"] = numbers.notes();
  return json;
}

}  // namespace stiction::report
