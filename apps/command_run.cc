#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/recording/json.h"
#include "stiction/recording/recorder.h"

namespace stiction::cli {

namespace {

void print_summary(const Simulation& simulation, const std::string& scene, const RunSummary& summary) {
  const SimulationSettings& settings = simulation.settings();
  const certify::StepCertificate& c = summary.certificate;
  fmt::print("{}: {}, h = {:g} s\n", scene, settings.method, settings.step);
  fmt::print("  {} steps, {:.6g} s simulated in {:.3g} s ({:.0f} steps/s), contacts {:.1f} mean, {} max\n", summary.steps,
             summary.time, summary.wall_seconds, static_cast<double>(summary.steps) / std::max(summary.wall_seconds, 1e-9),
             summary.mean_contacts, summary.max_contacts);
  fmt::print("  certificate, worst step: penetration {:.2e} m, normal {:.2e}, friction {:.2e},\n", c.penetration, c.normal,
             c.friction);
  fmt::print("    cone {:.2e}, momentum {:.2e}, energy gain {:.2e} J\n", c.cone, c.momentum, c.energy_gain);
  if (summary.steps_over_tolerance > 0) {
    fmt::print("    {} of {} steps over the tolerance {:g}\n", summary.steps_over_tolerance, summary.steps,
               settings.certificate_tolerance);
  } else {
    fmt::print("    every step within the tolerance {:g}\n", settings.certificate_tolerance);
  }
  for (const auto& [name, count] : summary.fallbacks) fmt::print("  fallback {}: {} times\n", name, count);
}

// Warnings that need both scene and method.
void warn_about_method(const Model& model, const SimulationSettings& settings) {
  for (const Material& material : model.pair_table) {
    if (material.rolling_friction > 0) {
      warn(fmt::format("rolling_friction of material '{}' is ignored by method {}", material.name, settings.method));
      return;
    }
  }
}

Error not_in_this_version(const char* option) {
  return {.what = "option is not in this version", .remedy = "Leave it out.", .name = option, .file = "command line"};
}

}  // namespace

int command_run(const RunArguments& arguments) {
  if (!arguments.dump_problem.empty()) return report(not_in_this_version("--dump-problem"));
  auto loaded = load(arguments.scene);
  if (!loaded) return report(loaded.error());
  const std::string scene = loaded->scene.file;
  if (!arguments.quiet) {
    for (const std::string& warning : loaded->scene.warnings) warn(warning);
    for (const std::string& warning : loaded->built.warnings) warn(warning);
    warn_about_method(loaded->built.model, loaded->scene.settings);
  }
  auto created = Simulation::create(std::move(loaded->built), loaded->scene.settings);
  if (!created) {
    Error error = created.error();
    if (error.file.empty()) error.file = scene;
    return report(error);
  }
  Simulation& simulation = *created;

  std::optional<recording::Recorder> recorder;
  if (!arguments.record.empty()) {
    auto opened = recording::Recorder::create(arguments.record, simulation, scene);
    if (!opened) return report(opened.error());
    recorder.emplace(std::move(*opened));
  }
  std::optional<Error> trouble;
  RunSummary summary;
  {
    Progress progress("simulating", !arguments.quiet && !arguments.json);
    const double steps = static_cast<double>(steps_for(simulation.settings().duration, simulation.settings().step));
    summary = run(simulation, [&](const StepOutcome& outcome) {
      progress.update(static_cast<double>(simulation.step_index()) / steps);
      if (!recorder || trouble) return;
      if (auto appended = recorder->append(simulation, outcome); !appended) trouble = appended.error();
    });
  }
  if (recorder && !trouble) {
    if (auto finished = recorder->finish(simulation); !finished) trouble = finished.error();
  }
  if (trouble) return report(*trouble);

  if (arguments.json) fmt::print("{}\n", recording::run_json(simulation, summary, scene).dump());
  if (!arguments.json && !arguments.quiet) print_summary(simulation, scene, summary);
  if (!summary.ok) {
    fmt::print(stderr, "{}: error: {}\n  remedy: Try a smaller --step; the state before this step was kept.\n", scene,
               summary.failure);
    return exit_missed;
  }
  if (arguments.require_certificate && !(summary.certificate.worst() <= *arguments.require_certificate)) {
    fmt::print(stderr, "{}: certificate {:.3e} exceeds the required {:g}\n", scene, summary.certificate.worst(),
               *arguments.require_certificate);
    return exit_missed;
  }
  return exit_done;
}

}  // namespace stiction::cli
