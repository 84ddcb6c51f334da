#include "run_advice.h"

#include <algorithm>
#include <chrono>

#include "stiction/methods/exact_cone.h"
#include "stiction/methods/registry.h"

namespace stiction::cli {
namespace {

// Work is iterations times contacts, over all islands. A step is dear from the first on, a run from the second: about a
// second.
constexpr double dear_step = 5e3, dear_run = 1e6;
// Steps of the trial under each accuracy.
constexpr int trial_steps = 5;

int largest_island(const Simulation& simulation) {
  const contact::Islands& islands = simulation.last_step().islands;
  size_t largest = 0;
  for (int i = 0; i < islands.count(); ++i) largest = std::max(largest, islands[i].contacts.size());
  return static_cast<int>(largest);
}

double work_of(const StepRecord& step) {
  double work = 0;
  for (size_t i = 0; i < step.reports.size(); ++i) {
    const IslandReport& report = step.reports[i];
    const size_t contacts = step.islands[static_cast<int>(i)].contacts.size();
    work += static_cast<double>(report.solve.iterations + report.repair_iterations) * static_cast<double>(contacts);
  }
  return work;
}

// What some steps took and how right they are.
struct Trial {
  bool ok = false;
  double seconds = 0;
  double residual = 0;
};

Trial try_steps(SceneArguments arguments, methods::Accuracy accuracy, const SimulationState& from) {
  arguments.accuracy = std::string(methods::accuracy_name(accuracy));
  Trial trial;
  auto loaded = load(arguments);
  if (!loaded) return trial;
  auto simulation = Simulation::create(std::move(loaded->built), loaded->scene.settings);
  if (!simulation) return trial;
  simulation->restore(from);
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < trial_steps; ++k) {
    if (!simulation->step().ok) return trial;
    const certify::StepCertificate& c = simulation->last_step().certificate;
    trial.residual = std::max({trial.residual, c.normal, c.friction, c.cone});
  }
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  trial.ok = true;
  return trial;
}

}  // namespace

RunAdvice::RunAdvice(const SceneArguments& arguments, const Simulation& simulation) : arguments_(arguments) {
  const SimulationSettings& settings = simulation.settings();
  const methods::MethodDescription& method = *methods::find_method(settings.method);
  const methods::ExactConeOptions& options = settings.options.of<methods::ExactConeOptions>();
  watches_islands_ = method.island.many_contacts > 0;
  watches_accuracy_ = method.knows.accuracy && options.accuracy == methods::Accuracy::exact && !(options.tolerance > 0);
}

std::string RunAdvice::after_step(const Simulation& simulation) {
  if (watches_islands_) return about_islands(simulation);
  if (!watches_accuracy_) return {};
  const double work = work_of(simulation.last_step());
  work_ += work;
  return work >= dear_step && work_ >= dear_run ? about_accuracy(simulation) : std::string();
}

std::string RunAdvice::about_islands(const Simulation& simulation) {
  const methods::MethodDescription& method = *methods::find_method(simulation.settings().method);
  const int contacts = largest_island(simulation);
  if (contacts <= method.island.many_contacts) return {};
  watches_islands_ = false;
  return fmt::format("{} contacts hang together at t = {:.4g} s, and {} is made for up to {}: {}. For piles take {}",
                     contacts, simulation.state().time, method.name, method.island.many_contacts, method.island.cost,
                     method.island.instead);
}

std::string RunAdvice::about_accuracy(const Simulation& simulation) {
  watches_accuracy_ = false;
  using methods::Accuracy;
  const Trial exact = try_steps(arguments_, Accuracy::exact, simulation.save());
  const Trial balanced = try_steps(arguments_, Accuracy::balanced, simulation.save());
  const Trial fast = try_steps(arguments_, Accuracy::fast, simulation.save());
  if (!exact.ok || !balanced.ok || !fast.ok || !(fast.seconds < exact.seconds)) return {};
  return fmt::format(
      "accuracy \"exact\" takes {:.3g} ms per step here, with {} contacts that hang together. In a trial of {} steps "
      "from t = {:.4g} s, --accuracy balanced took {:.2g} of that time (residual {:.1e}), --accuracy fast {:.2g} "
      "({:.1e}), exact itself had {:.1e}",
      1e3 * exact.seconds / trial_steps, largest_island(simulation), trial_steps, simulation.state().time,
      balanced.seconds / exact.seconds, balanced.residual, fast.seconds / exact.seconds, fast.residual, exact.residual);
}

}  // namespace stiction::cli
