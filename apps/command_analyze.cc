// `stiction analyze`: what the contacts of a scene at a time allow.
#include <cmath>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/report/analysis_report.h"
#include "stiction/study/analyze.h"

namespace stiction::cli {

namespace {

std::string contact_name(const AnalyzedContact& contact) {
  if (!contact.joint.empty()) return fmt::format("limit of {}", contact.joint);
  return fmt::format("{} - {}", contact.body_A, contact.body_B);
}

void print_contacts(const Analysis& analysis) {
  print("\n{:<8} {:<28} {:>10} {:>12} {:>12}  {:<26} {}\n", "contact", "between", "gap [m]", "rate [m/s]", "slip [m/s]",
        "point [m]", "now");
  for (size_t c = 0; c < analysis.contacts.size(); ++c) {
    const AnalyzedContact& contact = analysis.contacts[c];
    const Vector3& p = contact.point;
    const std::string point = contact.joint.empty() ? fmt::format("{:.4g}, {:.4g}, {:.4g}", p.x(), p.y(), p.z()) : "-";
    print("{:<8} {:<28} {:>10.3g} {:>12.3g} {:>12.3g}  {:<26} {}\n", c + 1, contact_name(contact), contact.gap,
          contact.approach, contact.slip.norm(), point, touch_kind_name(contact.kind));
  }
}

void print_patterns(const IslandAnalysis& island, const std::vector<ForcePattern>& patterns) {
  for (const ForcePattern& pattern : patterns) print("    {}\n", describe_pattern(island, pattern));
}

void print_solution(const IslandAnalysis& island, const AnalyzedSolution& solution, size_t number) {
  print(
      "  answer {}{}{}\n", number,
      solution.force_freedom > 0 ? fmt::format(": one of a set of forces of dimension {}", solution.force_freedom) : "",
      solution.borderline ? " or less (on the border of a condition)" : "");
  for (size_t i = 0; i < island.contacts.size(); ++i) {
    const Vector3& f = solution.force[i];
    print(
        "    contact {:<4} {:<16} normal force {:<11.5g} force [{:.5g}, {:.5g}, {:.5g}] N, accelerations: normal "
        "{:.5g}, slip {:.5g} m/s^2\n",
        island.contacts[i] + 1, slip_state_name(solution.states[i]), solution.normal_force[i], f.x() + 0.0, f.y() + 0.0,
        f.z() + 0.0, solution.normal_acceleration[i], solution.slip_acceleration[i].norm());
  }
}

void print_island(const IslandAnalysis& island, size_t number) {
  print("\nisland {}: bodies", number);
  for (const std::string& body : island.bodies) print(" [{}]", body);
  print(", contacts {}\n", island.contacts.size());
  print("  rows {}, rank {}: forces undetermined by {}\n", island.rows, island.rank, island.rows - island.rank);
  print_patterns(island, island.patterns);
  print("  normal rows {}, rank {}: normal forces alone undetermined by {}\n", island.normal_rows, island.normal_rank,
        island.normal_rows - island.normal_rank);
  print_patterns(island, island.normal_patterns);
  print("  {}\n", existence_clause(island.cone));
  print("  answers: {}: {}\n", answer_count_name(island.answers), answer_count_sentence(island.answers));
  if (island.state_patterns > 0) {
    print("  slip states tried {}{}\n", island.state_patterns,
          island.searched > 0
              ? fmt::format(", of which {} with several unknown slip directions were searched, not exhausted",
                            island.searched)
              : "");
  }
  for (size_t s = 0; s < island.solutions.size(); ++s) print_solution(island, island.solutions[s], s + 1);
}

void print_text(const std::string& file, const Analysis& analysis) {
  print("{} at t = {:g} s: contacts {}, islands {}\n", file, analysis.time, analysis.contacts.size(),
        analysis.islands.size());
  if (analysis.islands.empty()) {
    print("nothing presses: accelerations are those of the free motion\n");
  } else {
    print("answers: {}: {}\n", answer_count_name(analysis.answers()), answer_count_sentence(analysis.answers()));
  }
  if (!analysis.contacts.empty()) print_contacts(analysis);
  for (size_t i = 0; i < analysis.islands.size(); ++i) print_island(analysis.islands[i], i + 1);
}

// Steps with the scene's own method to the time asked for.
Result<void> run_to(double time, bool quiet, Simulation& simulation) {
  const long steps = steps_for(time - simulation.state().time, simulation.settings().step);
  Progress progress("analyze", !quiet && stderr_is_terminal());
  for (long k = 0; k < steps; ++k) {
    const StepOutcome outcome = simulation.step();
    if (!outcome.ok) {
      return failure({.what = fmt::format("the run stopped before that time: {}", outcome.failure),
                      .remedy = "Give an earlier --at, another --method, or a shorter --step.",
                      .name = fmt::format("--at {:g}", time),
                      .file = "command line"});
    }
    progress.update(static_cast<double>(k + 1) / static_cast<double>(steps));
  }
  return {};
}

Result<void> check_arguments(const AnalyzeArguments& arguments) {
  const auto bad = [](const char* option, double value, const char* remedy) {
    return failure({.what = fmt::format("{} must be zero or a positive number", option),
                    .remedy = remedy,
                    .name = fmt::format("{:g}", value),
                    .file = "command line"});
  };
  const auto negative = [](double x) { return !(x >= 0) || !std::isfinite(x); };
  if (negative(arguments.at)) return bad("--at", arguments.at, "Give a time of the scene, such as --at 0.5.");
  if (negative(arguments.gap_tolerance)) {
    return bad("--gap-tol", arguments.gap_tolerance, "Give metres, such as --gap-tol 1e-6.");
  }
  if (negative(arguments.speed_tolerance)) {
    return bad("--speed-tol", arguments.speed_tolerance, "Give metres per second, such as --speed-tol 1e-6.");
  }
  return {};
}

Result<Analysis> analyze_scene(const AnalyzeArguments& arguments, LoadedScene& loaded) {
  auto simulation = Simulation::create(std::move(loaded.built), loaded.scene.settings);
  if (!simulation) return failure(simulation.error());
  if (auto done = run_to(arguments.at, arguments.quiet, *simulation); !done) return failure(done.error());
  return analyze(*simulation, {.gap_tolerance = arguments.gap_tolerance, .speed_tolerance = arguments.speed_tolerance});
}

}  // namespace

int command_analyze(const AnalyzeArguments& arguments) {
  if (auto checked = check_arguments(arguments); !checked) return report(checked.error());
  auto loaded = load(arguments.scene);
  if (!loaded) return report(loaded.error());
  const auto analysis = analyze_scene(arguments, *loaded);
  if (!analysis) return report(analysis.error());
  if (!arguments.report.empty()) {
    if (auto written = report::write_analysis_report(loaded->scene.file, *analysis, arguments.report); !written) {
      return report(written.error());
    }
  }
  if (arguments.json) {
    print("{}\n", report::analysis_json(loaded->scene.file, *analysis));
  } else if (!arguments.quiet) {
    print_text(loaded->scene.file, *analysis);
  }
  if (!arguments.quiet) {
    for (const std::string& note : analysis->notes) warn(note);
  }
  return exit_done;
}

}  // namespace stiction::cli
