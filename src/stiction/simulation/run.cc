#include "stiction/simulation/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace stiction {

namespace {

// Adds a taken step that began at `time`.
void add_step(const Simulation& simulation, const StepOutcome& outcome, double time, RunSummary& summary) {
  const StepRecord& last = simulation.last_step();
  ++summary.steps;
  summary.iterations += outcome.iterations;
  summary.max_contacts = std::max(summary.max_contacts, static_cast<int>(last.contacts.size()));
  summary.certificate.merge(last.certificate);
  if (last.certificate.worst() > simulation.settings().certificate_tolerance) ++summary.steps_over_tolerance;
  count_existence(simulation.model(), last, time, summary.existence);
  if (const StepEvents* events = simulation.step_events()) summary.events.add(*events);
  if (outcome.fallbacks > 0) {
    for (const IslandReport& report : last.reports) {
      if (report.fallback != Fallback::none) ++summary.fallbacks[report.fallback_of()];
    }
  }
  for (const IslandReport& report : last.reports) {
    if (!report.repair.empty()) ++summary.repairs[std::string(report.repair)];
    summary.repair_iterations += report.repair_iterations;
  }
  if (outcome.open_joint < 0) return;
  const std::string& name = simulation.model().loop_joints[outcome.open_joint].name;
  double& most = summary.open_joints[name];
  most = std::max(most, outcome.joint_violation);
  ++summary.fallbacks[{Fallback::joint_left_open, name}];
}

}  // namespace

long RunSummary::count(Fallback kind) const {
  long sum = 0;
  for (const auto& [fallback, count] : fallbacks) sum += fallback.kind == kind ? count : 0;
  return sum;
}

std::map<std::string, long> RunSummary::fallback_names() const {
  std::map<std::string, long> names;
  for (const auto& [fallback, count] : fallbacks) names[fallback.name()] += count;
  return names;
}

long steps_for(double duration, double step) {
  const double ratio = duration / step;
  const double whole = std::round(ratio);
  return static_cast<long>(std::abs(ratio - whole) <= 1e-9 * std::max(1.0, whole) ? whole : std::ceil(ratio));
}

RunSummary run(Simulation& simulation, const std::function<void(const StepOutcome&)>& after_step,
               double longest_seconds) {
  RunSummary summary;
  const SimulationSettings& settings = simulation.settings();
  const long steps = steps_for(settings.duration, settings.step);
  summary.impact_model = simulation.stepper().impact_model();
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  double contact_sum = 0;
  while (simulation.step_index() < steps) {
    const double time = simulation.state().time;
    const StepOutcome outcome = simulation.step();
    if (!outcome.ok) {
      summary.ok = false;
      summary.failure = outcome.failure;
      break;
    }
    contact_sum += static_cast<double>(simulation.last_step().contacts.size());
    add_step(simulation, outcome, time, summary);
    if (after_step) after_step(outcome);
    if (longest_seconds == infinity || simulation.step_index() >= steps || seconds() <= longest_seconds) continue;
    summary.ok = false;
    summary.failure =
        fmt::format("ended after {} of {} steps: it took more than {:g} s", summary.steps, steps, longest_seconds);
    break;
  }
  summary.wall_seconds = seconds();
  summary.time = simulation.state().time;
  for (int s = 0; simulation.times() != nullptr && s < stage_count; ++s) {
    const auto stage = static_cast<Stage>(s);
    summary.profile.emplace_back(stage, simulation.times()->seconds(stage));
  }
  summary.mean_contacts = summary.steps > 0 ? contact_sum / static_cast<double>(summary.steps) : 0;
  // A method with contacts of the end of the step has been judged there already, with its layers' deflection.
  if (!simulation.stepper().judges_the_end()) {
    summary.certificate.penetration = std::max(summary.certificate.penetration, simulation.measure_penetration());
  }
  return summary;
}

}  // namespace stiction
