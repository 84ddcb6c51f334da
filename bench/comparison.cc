#include "comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace stiction::bench {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The time of each family on one problem, and ours under its own name.
std::map<std::string, double> times_by_family(const ProblemResult& problem, int target, Field field) {
  std::map<std::string, double> times;
  for (const Entry& entry : problem.entries) {
    if (!competes(entry, field)) continue;
    const std::string name(entry.ours ? entry.solver : family(entry.solver));
    const auto [place, inserted] = times.emplace(name, infinite);
    place->second = std::min(place->second, time_at(entry, target));
  }
  return times;
}

/// Names in the order of the first problem's entries.
std::vector<std::string> family_names(const Comparison& comparison, Field field) {
  std::vector<std::string> names;
  if (comparison.problems.empty()) return names;
  for (const Entry& entry : comparison.problems.front().entries) {
    const std::string name(entry.ours ? entry.solver : family(entry.solver));
    if (competes(entry, field) && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace

std::string_view family(std::string_view solver) {
  return solver.substr(0, solver.find('/'));
}

const Trial* trial_at(const Entry& entry, int target) {
  const int index = entry.measurement.by_target[target];
  return index < 0 ? nullptr : &entry.measurement.trials[index];
}

double time_at(const Entry& entry, int target) {
  const Trial* trial = trial_at(entry, target);
  return trial == nullptr ? infinite : std::max(least_milliseconds, trial->milliseconds);
}

const Entry* find_entry(const ProblemResult& problem, std::string_view solver) {
  const auto match = [&](const Entry& entry) { return entry.solver == solver; };
  const auto found = std::find_if(problem.entries.begin(), problem.entries.end(), match);
  return found == problem.entries.end() ? nullptr : &*found;
}

const Entry* best_peer(const ProblemResult& problem, int target) {
  const Entry* best = nullptr;
  for (const Entry& entry : problem.entries) {
    if (entry.ours || trial_at(entry, target) == nullptr) continue;
    if (best == nullptr || time_at(entry, target) < time_at(*best, target)) best = &entry;
  }
  return best;
}

double ratio_to_best_peer(const ProblemResult& problem, int target) {
  const Entry* ours = find_entry(problem, our_entry);
  const Entry* peer = best_peer(problem, target);
  if (ours == nullptr || peer == nullptr) return std::numeric_limits<double>::quiet_NaN();
  return time_at(*ours, target) / time_at(*peer, target);
}

Verdict verdict(const Comparison& comparison, int target) {
  Verdict verdict;
  double sum_of_logs = 0;
  for (const ProblemResult& problem : comparison.problems) {
    const Entry* ours = find_entry(problem, our_entry);
    if (ours != nullptr && trial_at(*ours, target) != nullptr) ++verdict.solved;
    if (best_peer(problem, target) != nullptr) ++verdict.solved_by_peers;
    const double ratio = ratio_to_best_peer(problem, target);
    if (std::isnan(ratio)) continue;
    ++verdict.compared;
    sum_of_logs += std::log(ratio);
    if (ratio > verdict.worst_ratio) {
      verdict.worst_ratio = ratio;
      verdict.worst_problem = problem.name;
    }
  }
  verdict.mean_ratio = verdict.compared > 0 ? std::exp(sum_of_logs / verdict.compared) : std::nan("");
  return verdict;
}

bool competes(const Entry& entry, Field field) {
  return field == Field::ours_alone ? entry.ours : !entry.ours || entry.solver == our_entry;
}

Profile performance_profile(const Comparison& comparison, int target, Field field, const std::vector<double>& factors) {
  Profile profile{.factors = factors, .solvers = family_names(comparison, field), .fractions = {}};
  profile.fractions.assign(profile.solvers.size(), std::vector<double>(factors.size(), 0.0));
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, comparison.problems.size()));
  for (const ProblemResult& problem : comparison.problems) {
    const std::map<std::string, double> times = times_by_family(problem, target, field);
    double best = infinite;
    for (const auto& [name, time] : times) best = std::min(best, time);
    for (std::size_t s = 0; s < profile.solvers.size(); ++s) {
      const auto time = times.find(profile.solvers[s]);
      if (time == times.end() || !std::isfinite(time->second)) continue;
      for (std::size_t f = 0; f < factors.size(); ++f) {
        if (time->second <= factors[f] * best) profile.fractions[s][f] += share;
      }
    }
  }
  return profile;
}

}  // namespace stiction::bench
