#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "run_advice.h"
#include "stiction/certify/certificate_values.h"
#include "stiction/io/fclib.h"
#include "stiction/io/output_file.h"
#include "stiction/methods/exact_cone.h"
#include "stiction/methods/registry.h"
#include "stiction/model/stribeck.h"
#include "stiction/problem/body_step.h"
#include "stiction/problem/condense_step.h"
#include "stiction/recording/checkpoint.h"
#include "stiction/recording/recorder.h"
#include "stiction/recording/run_trace.h"
#include "stiction/report/event_json.h"
#include "stiction/report/html_report.h"
#include "stiction/report/json.h"
#include "stiction/report/table.h"

namespace stiction::cli {

namespace {

// Every value with its name and unit, on lines of at most 100 columns.
std::string certificate_text(const certify::StepCertificate& certificate) {
  std::string text, line = "  certificate, worst step:";
  for (const certify::CertificateValue& value : certify::certificate_values) {
    const bool last = &value == &certify::certificate_values.back();
    const std::string item = fmt::format(" {} {:.2e}{}{}", certify::spoken_name(value), certificate.*value.member,
                                         value.dimensionless() ? "" : fmt::format(" {}", value.unit), last ? "" : ",");
    if (line.size() + item.size() > 100) {
      text += line + '\n';
      line = "   ";
    }
    line += item;
  }
  return text + line + '\n';
}

void print_summary(const Simulation& simulation, const std::string& scene, const RunSummary& summary) {
  const SimulationSettings& settings = simulation.settings();
  const certify::StepCertificate& c = summary.certificate;
  print("{}: {}, h = {:g} s\n", scene, settings.method, settings.step);
  print("  {} steps, {:.6g} s simulated in {:.3g} s ({:.0f} steps/s), contacts {:.1f} mean, {} max\n", summary.steps,
        summary.time, summary.wall_seconds, static_cast<double>(summary.steps) / std::max(summary.wall_seconds, 1e-9),
        summary.mean_contacts, summary.max_contacts);
  print("{}", certificate_text(c));
  if (summary.steps_over_tolerance > 0) {
    print("    {} of {} steps over the tolerance {:g}\n", summary.steps_over_tolerance, summary.steps,
          settings.certificate_tolerance);
  } else {
    print("    every step within the tolerance {:g}\n", settings.certificate_tolerance);
  }
  const methods::MethodDescription& method = *methods::find_method(settings.method);
  const int edges = method.polygon == nullptr ? 0 : method.polygon(settings.options);
  if (edges > 0 && c.friction > settings.certificate_tolerance) {
    print("    friction is judged on the round cone; {} directions stood for it (more bring it down)\n", edges);
  }
  if (c.impacts > 0) {
    print("  {} impacts by the {} model changed the kinetic energy by {:.6g} J\n", c.impacts, summary.impact_model,
          c.impact_energy);
  }
  if (summary.events.any()) print("  events: {}\n", describe_events(summary.events));
  for (const auto& [name, count] : summary.fallback_names()) print("  fallback {}: {} times\n", name, count);
  for (const auto& [name, count] : summary.repairs) print("  positions repaired by {}: {} times\n", name, count);
  if (summary.existence.checked > 0) print("  {}\n", describe_existence(summary.existence));
}

// Where the time went: a line per stage that took any, and what lies between the stages.
void print_profile(const RunSummary& summary) {
  report::Table table{{{"stage", "", true}, {"time", "[ms]"}, {"share", "[%]"}, {"per step", "[us]"}}, {}};
  double left = summary.wall_seconds;
  const auto add = [&](std::string_view name, double seconds) {
    table.rows.push_back({std::string(name), fmt::format("{:.3f}", 1e3 * seconds),
                          fmt::format("{:.1f}", 100 * seconds / std::max(summary.wall_seconds, 1e-9)),
                          fmt::format("{:.3f}", 1e6 * seconds / static_cast<double>(std::max(1L, summary.steps)))});
  };
  for (const auto& [stage, seconds] : summary.profile) {
    left -= seconds;
    if (seconds > 0) add(stage_name(stage), seconds);
  }
  add("between stages", std::max(0.0, left));
  print("{}", report::text_table(table, 100));
}

// Surface properties that the scene states and the method does not know.
void warn_about_method(const Model& model, const SimulationSettings& settings) {
  struct Property {
    const char* name;
    bool methods::Knowledge::*known;
    bool (*stated)(const Material& material);
  };
  using Known = methods::Knowledge;
  constexpr Property properties[] = {
      {"restitution", &Known::restitution, [](const Material& m) { return m.restitution > 0; }},
      {"rolling_friction", &Known::rolling, [](const Material& m) { return m.rolling_friction > 0; }},
      {"torsional_friction", &Known::torsion, [](const Material& m) { return m.torsional_friction > 0; }},
      {"static_friction", &Known::static_friction, [](const Material& m) { return static_factor(m) != 1; }},
      {"friction_polygon", &Known::general_cones, [](const Material& m) { return !m.friction_polygon.empty(); }},
      {"friction_exponent", &Known::general_cones, [](const Material& m) { return m.friction_exponent != 2; }},
      {"tangential_restitution", &Known::tangential_restitution,
       [](const Material& m) { return m.tangential_restitution > 0; }},
      {"stiffness", &Known::layers, [](const Material& m) { return m.layer.stiffness(0, 0) > 0; }},
      {"damping", &Known::layers, [](const Material& m) { return m.layer.damping(0, 0) > 0; }},
      {"layer_thickness", &Known::layers, [](const Material& m) { return std::isfinite(m.layer.thickness); }}};
  const methods::MethodDescription& method = *methods::find_method(settings.method);
  for (const Property& property : properties) {
    if (method.knows.*property.known) continue;
    if (std::any_of(model.materials.begin(), model.materials.end(), property.stated) ||
        std::any_of(model.pair_table.begin(), model.pair_table.end(), property.stated)) {
      warn(fmt::format("{} of a material is ignored by method {}", property.name, settings.method));
    }
  }
}

void warn_about_accuracy(const SimulationSettings& settings) {
  const methods::Accuracy accuracy = settings.options.of<methods::ExactConeOptions>().accuracy;
  if (accuracy == methods::Accuracy::exact || methods::find_method(settings.method)->knows.accuracy) return;
  warn(fmt::format("accuracy \"{}\" is ignored by method {}", methods::accuracy_name(accuracy), settings.method));
}

// What event-driven motion did otherwise than its law or the scene asks.
void warn_about_events(const EventSummary& events) {
  if (events.flagged > 0) {
    warn(
        fmt::format("{} impacts went on with an outcome that gains energy, leaves a friction cone or penetrates "
                    "(rule \"published\"); --events lists them",
                    events.flagged));
  }
  if (events.by_step > 0) {
    warn(
        fmt::format("{} impacts on surfaces that move by themselves were resolved by exact-cone's law, with one "
                    "outcome each",
                    events.by_step));
  }
  const long jams = events.count[static_cast<size_t>(EventKind::jam)];
  if (jams > 0) warn(fmt::format("velocities jumped {} times where no contact forces satisfy the law (jam)", jams));
}

// --dump-problem STEP F: which step, counted from 1 at time zero of the scene, and where to.
struct Dump {
  long step = 0;  // 0: none
  std::string path;

  bool wanted() const { return step > 0; }

  // Writes the problem of the simulation's last step, taken or failed.
  Result<void> write(const Simulation& simulation, const std::string& scene) const {
    const StepProblem& problem = simulation.last_step().problem;
    BodyStep step_in_body_space;
    body_form(problem, step_in_body_space);
    const std::string title = fmt::format("{}, step {}", scene, step);
    const std::string description =
        fmt::format("{}, h = {:.17g} s, t = {:.17g} s at the start of the step", simulation.settings().method,
                    simulation.settings().step, static_cast<double>(step - 1) * simulation.settings().step);
    if (const auto global = global_form(step_in_body_space.problem)) {
      return write_fclib_global(path, *global, {title, description});
    }
    return write_friction_file(path, condense_step(problem).problem, {title, description});
  }
};

// The files a run may write: opened or checked before the first step, so that no long run ends without a place to go.
struct Outputs {
  std::optional<recording::Recorder> recorder;
  std::optional<recording::RunTrace> trace;
  std::optional<report::EventFile> events;
  Dump dump;
  std::optional<Error> trouble;

  static Result<Outputs> open(const RunArguments& arguments, const Dump& dump, Simulation& simulation,
                              const std::string& scene) {
    Outputs outputs;
    outputs.dump = dump;
    for (const std::string& path : {arguments.report, arguments.checkpoint, dump.path}) {
      if (path.empty()) continue;
      if (auto writable = OutputFile::create(path); !writable) return failure(writable.error());
    }
    if (!arguments.record.empty()) {
      auto recorder = recording::Recorder::create(arguments.record, simulation, scene);
      if (!recorder) return failure(recorder.error());
      outputs.recorder.emplace(std::move(*recorder));
    }
    if (!arguments.events.empty()) {
      auto events = report::EventFile::create(arguments.events);
      if (!events) return failure(events.error());
      outputs.events.emplace(std::move(*events));
    }
    if (!arguments.report.empty()) outputs.trace.emplace(simulation);
    return outputs;
  }

  void append(Simulation& simulation, const StepOutcome& outcome, const std::string& scene) {
    if (dump.wanted() && simulation.step_index() == dump.step && !trouble) {
      if (auto dumped = dump.write(simulation, scene); !dumped) trouble = dumped.error();
    }
    if (trace) trace->append(simulation, outcome);
    if (events && !trouble) {
      if (auto appended = events->append(simulation); !appended) trouble = appended.error();
    }
    if (!recorder || trouble) return;
    if (auto appended = recorder->append(simulation, outcome); !appended) trouble = appended.error();
  }

  Result<void> finish(const RunArguments& arguments, Simulation& simulation, const RunSummary& summary,
                      const std::string& scene) {
    if (!summary.ok && dump.wanted() && simulation.step_index() + 1 == dump.step && !trouble) {
      if (auto dumped = dump.write(simulation, scene); !dumped) trouble = dumped.error();  // the step that failed
    }
    if (trouble) return failure(*trouble);
    if (recorder) {
      if (auto finished = recorder->finish(simulation); !finished) return finished;
    }
    if (events) {
      if (auto finished = events->finish(); !finished) return finished;
    }
    if (trace) {
      if (auto written = report::write_report(arguments.report, simulation, summary, *trace, scene); !written)
        return written;
    }
    if (!arguments.checkpoint.empty()) return recording::save_checkpoint(simulation, arguments.checkpoint);
    return {};
  }
};

// No output may replace the scene or another output. (A checkpoint may replace the one that the run resumed from.)
std::optional<Error> colliding_files(const RunArguments& arguments) {
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  std::vector<std::filesystem::path> taken = {place(arguments.scene.scene)};
  const std::string dump = arguments.dump_problem.empty() ? "" : arguments.dump_problem.back();
  for (const std::string& output : {arguments.record, arguments.report, arguments.events, arguments.checkpoint, dump}) {
    if (output.empty()) continue;
    const std::filesystem::path path = place(output);
    if (std::find(taken.begin(), taken.end(), path) != taken.end()) {
      return bad_usage("this output would overwrite the scene or another output", "Give each file its own name.",
                       output);
    }
    taken.push_back(path);
  }
  return std::nullopt;
}

Result<Dump> read_dump(const std::vector<std::string>& words) {
  if (words.empty()) return Dump{};
  Dump dump = {0, words.back()};
  const std::string& number = words.front();
  const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), dump.step);
  if (code != std::errc() || end != number.data() + number.size() || dump.step < 1) {
    return failure(bad_usage("the step must be a whole number, 1 for the first step", "Give STEP and then the file.",
                             "--dump-problem " + number));
  }
  return dump;
}

// The files that --dump-problem writes state ellipsoids only; a disc in place of a polygon would be another problem.
std::optional<Error> dump_cannot_state(const Dump& dump, const Model& model, const std::string& scene) {
  if (!dump.wanted()) return std::nullopt;
  for (const auto* materials : {&model.materials, &model.pair_table}) {
    const auto general =
        std::find_if(materials->begin(), materials->end(), [](const Material& m) { return m.cone.has_value(); });
    if (general == materials->end()) continue;
    return Error{.what = "no format of stored problems has friction sets other than ellipses (--dump-problem)",
                 .remedy = "Leave out --dump-problem, or friction_polygon and friction_exponent of the material.",
                 .name = general->name,
                 .file = scene,
                 .line = general->line};
  }
  return std::nullopt;
}

// Only one method knows events.
std::optional<Error> no_events(const RunArguments& arguments, const SimulationSettings& settings) {
  if (arguments.events.empty() || methods::find_method(settings.method)->reports_events) return std::nullopt;
  return bad_usage(fmt::format("method {} steps over events and does not report them", settings.method),
                   "Add --method event-driven, or leave out --events.", "--events " + arguments.events);
}

// A step that the run does not take cannot be dumped.
std::optional<Error> dump_out_of_reach(const Dump& dump, const Simulation& simulation) {
  const long first = simulation.step_index() + 1;
  const long last = steps_for(simulation.settings().duration, simulation.settings().step);
  if (!dump.wanted() || (dump.step >= first && dump.step <= last)) return std::nullopt;
  return bad_usage("the run does not take this step",
                   first > last ? "The run takes no step: give a longer --duration."
                                : fmt::format("It takes the steps {} to {}.", first, last),
                   fmt::format("--dump-problem {}", dump.step));
}

}  // namespace

int command_run(const RunArguments& arguments) {
  const auto dump = read_dump(arguments.dump_problem);
  if (!dump) return report(dump.error());
  if (arguments.require_certificate && !(*arguments.require_certificate >= 0)) {
    return report(bad_usage("the required certificate must be zero or more", "Give a tolerance such as 1e-8.",
                            fmt::format("--require-certificate {}", *arguments.require_certificate)));
  }
  if (const auto collision = colliding_files(arguments)) return report(*collision);
  auto loaded = load(arguments.scene);
  if (!loaded) return report(loaded.error());
  const std::string scene = loaded->scene.file;
  if (const auto without = no_events(arguments, loaded->scene.settings)) return report(*without);
  if (const auto unstated = dump_cannot_state(*dump, loaded->built.model, scene)) return report(*unstated);
  if (!arguments.quiet) {
    for (const std::string& warning : loaded->scene.warnings) warn(warning);
    for (const std::string& warning : loaded->built.warnings) warn(warning);
    if (arguments.resume.empty()) {
      for (const std::string& warning : overlap_warnings(*loaded)) warn(warning);
    }
    warn_about_method(loaded->built.model, loaded->scene.settings);
    warn_about_accuracy(loaded->scene.settings);
    for (const std::string& warning : qualification_warnings(*loaded)) warn(warning);
  }
  auto created = Simulation::create(std::move(loaded->built), loaded->scene.settings);
  if (!created) {
    Error error = created.error();
    if (error.file.empty()) error.file = scene;
    return report(error);
  }
  Simulation& simulation = *created;

  if (!arguments.resume.empty()) {
    if (auto resumed = recording::load_checkpoint(arguments.resume, simulation); !resumed)
      return report(resumed.error());
  }
  if (const auto unreachable = dump_out_of_reach(*dump, simulation)) return report(*unreachable);
  auto opened = Outputs::open(arguments, *dump, simulation, scene);
  if (!opened) return report(opened.error());
  Outputs& outputs = *opened;
  StageTimes times;
  if (arguments.profile) simulation.measure_times(&times);
  RunSummary summary;
  {
    Progress progress("simulating", !arguments.quiet && !arguments.json);
    const double steps = static_cast<double>(steps_for(simulation.settings().duration, simulation.settings().step));
    RunAdvice advice(arguments.scene, simulation);
    summary = run(simulation, [&](const StepOutcome& outcome) {
      const StageTimer timer(arguments.profile ? &times : nullptr, Stage::record);
      progress.update(static_cast<double>(simulation.step_index()) / steps);
      outputs.append(simulation, outcome, scene);
      if (arguments.quiet) return;
      if (const std::string text = advice.after_step(simulation); !text.empty()) {
        progress.clear();
        warn(text);
      }
    });
  }
  if (auto written = outputs.finish(arguments, simulation, summary, scene); !written) return report(written.error());

  if (!arguments.quiet) {
    for (const auto& [name, violation] : summary.open_joints) {
      warn(fmt::format("closing joint '{}' stayed open by up to {:.3g} (m or rad): the joints cannot all hold", name,
                       violation));
    }
    warn_about_events(summary.events);
  }
  if (arguments.json) print("{}\n", report::run_json(simulation, summary, scene).dump());
  if (!arguments.json && !arguments.quiet) print_summary(simulation, scene, summary);
  if (!arguments.json && arguments.profile) print_profile(summary);
  if (!summary.ok) {
    print_error(
        "{}: error: {}\n  remedy: Try a smaller --step, and see whether prescribed motions or joints leave these "
        "bodies a "
        "way out; the state before this step was kept.\n",
        scene, summary.failure);
    return exit_missed;
  }
  if (arguments.require_certificate && !(summary.certificate.worst() <= *arguments.require_certificate)) {
    print_error("{}: certificate {:.3e} exceeds the required {:g}\n", scene, summary.certificate.worst(),
                *arguments.require_certificate);
    return exit_missed;
  }
  return exit_done;
}

}  // namespace stiction::cli
