#include "comparison_json.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace stiction::bench {

namespace {

using Json = nlohmann::ordered_json;

/// JSON has no infinity: null stands for it.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double number_or_infinity(const Json& json) {
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::infinity();
}

Json to_json(const Measurement& measurement) {
  Json trials = Json::array();
  for (const Trial& trial : measurement.trials) {
    trials.push_back({{"tolerance", trial.tolerance},
                      {"residual", number(trial.residual)},
                      {"milliseconds", trial.milliseconds},
                      {"runs", trial.runs},
                      {"converged", trial.converged},
                      {"rung", trial.rung}});
  }
  return {{"by_target", measurement.by_target}, {"killed", measurement.killed}, {"trials", std::move(trials)}};
}

Measurement from_json(const Json& json) {
  Measurement measurement;
  measurement.by_target = json.at("by_target").get<std::vector<int>>();
  measurement.killed = json.at("killed").get<bool>();
  for (const Json& trial : json.at("trials")) {
    measurement.trials.push_back({.tolerance = trial.at("tolerance").get<double>(),
                                  .residual = number_or_infinity(trial.at("residual")),
                                  .milliseconds = trial.at("milliseconds").get<double>(),
                                  .runs = trial.at("runs").get<int>(),
                                  .converged = trial.at("converged").get<bool>(),
                                  .rung = trial.at("rung").get<std::string>()});
  }
  return measurement;
}

/// Times made with other targets, counts of runs or ranges do not answer the same question.
std::string cache_key(const std::string& problem, const std::string& solver, const TrialOptions& options) {
  std::string key =
      fmt::format("{}|{}|{} runs|{}", problem, solver, options.runs, options.whole_range ? "whole range" : "targets");
  for (const double target : options.targets) key += fmt::format("|{:g}", target);
  return key;
}

}  // namespace

Json comparison_json(const Comparison& comparison) {
  Json problems = Json::array();
  for (const ProblemResult& problem : comparison.problems) {
    Json solvers = Json::object();
    for (const Entry& entry : problem.entries) solvers[entry.solver] = to_json(entry.measurement);
    problems.push_back({{"name", problem.name}, {"contacts", problem.contacts}, {"solvers", std::move(solvers)}});
  }
  Json verdicts = Json::array();
  for (int target = 0; target < static_cast<int>(comparison.targets.size()); ++target) {
    const Verdict v = verdict(comparison, target);
    verdicts.push_back({{"target", comparison.targets[target]},
                        {"solved", v.solved},
                        {"solved_by_peers", v.solved_by_peers},
                        {"mean_ratio", number(v.mean_ratio)},
                        {"worst_ratio", number(v.worst_ratio)},
                        {"worst_problem", v.worst_problem}});
  }
  return {{"verdicts", std::move(verdicts)}, {"problems", std::move(problems)}};
}

PeerCache::PeerCache(std::string path) : path_(std::move(path)) {
  std::ifstream file(path_);
  if (file) entries_ = Json::parse(file);
}

const Measurement* PeerCache::find(const std::string& problem, const std::string& solver, const TrialOptions& options) {
  const auto entry = entries_.find(cache_key(problem, solver, options));
  if (entry == entries_.end()) return nullptr;
  found_ = from_json(*entry);
  return &found_;
}

void PeerCache::store(const std::string& problem, const std::string& solver, const TrialOptions& options,
                      const Measurement& measurement) {
  if (path_.empty()) return;
  entries_[cache_key(problem, solver, options)] = to_json(measurement);
  std::ofstream(path_) << entries_.dump();
}

}  // namespace stiction::bench
