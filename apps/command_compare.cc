// stiction compare: one scene under several methods, or the standard scenes under all of them.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "stiction/io/output_file.h"
#include "stiction/methods/registry.h"
#include "stiction/report/comparison.h"
#include "stiction/report/comparison_report.h"
#include "stiction/report/standard_report.h"

namespace stiction::cli {

namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Every name checked, each once, in the order given.
Result<std::vector<std::string>> read_methods(const std::string& text) {
  if (text == "all") return methods::method_names();
  std::vector<std::string> names;
  for (const std::string& name : split_at_commas(text)) {
    if (auto checked = check_method(name); !checked) return failure(checked.error());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

Result<std::optional<Vector3>> read_normal(const std::string& text) {
  if (text.empty()) return std::optional<Vector3>();
  const std::vector<std::string> parts = split_at_commas(text);
  Vector3 normal = Vector3::Zero();
  bool good = parts.size() == 3;
  for (size_t i = 0; good && i < 3; ++i) {
    const char* end = parts[i].data() + parts[i].size();
    const auto read = std::from_chars(parts[i].data(), end, normal[static_cast<Eigen::Index>(i)]);
    good = read.ec == std::errc() && read.ptr == end;
  }
  if (!good || !normal.allFinite() || normal.norm() == 0) {
    return failure(bad_usage("the normal must be three numbers, not all zero", "Give x,y,z such as 1,0,0.",
                             "--drift-normal " + text));
  }
  return std::optional<Vector3>(normal);
}

Result<CompareOptions> read_options(const CompareArguments& arguments, const Model& model) {
  CompareOptions options;
  const auto normal = read_normal(arguments.drift_normal);
  if (!normal) return failure(normal.error());
  if (arguments.drop_distance && !(*arguments.drop_distance > 0)) {
    return failure(bad_usage("the distance must be a positive number of metres", "Give a distance such as 0.01.",
                             fmt::format("--drop-distance {}", *arguments.drop_distance)));
  }
  for (const std::string& text : arguments.drift) {
    auto pair = parse_drift_pair(model, text);
    if (!pair) {
      Error error = pair.error();
      error.file = "--drift " + text;
      return failure(error);
    }
    pair->normal = *normal;
    options.pairs.push_back(std::move(*pair));
  }
  options.drop_distance = arguments.drop_distance;
  return options;
}

// The report must be writable and must not replace the scene.
Result<void> check_report(const CompareArguments& arguments) {
  if (arguments.report.empty()) return {};
  std::error_code ignored;
  if (std::filesystem::equivalent(arguments.report, arguments.scene.scene, ignored)) {
    return failure(
        bad_usage("this output would overwrite the scene", "Give the report its own name.", arguments.report));
  }
  if (auto writable = OutputFile::create(arguments.report); !writable) return failure(writable.error());
  return {};
}

void print_comparison(const std::vector<MethodRun>& runs, const LoadedScene& loaded, int at_once) {
  const SimulationSettings& settings = loaded.scene.settings;
  const int columns = result_columns();
  print("{}: h = {:g} s, {} steps, {:g} s\n\n", loaded.scene.file, settings.step,
        steps_for(settings.duration, settings.step), settings.duration);
  print("{}", report::text_table(report::overview_table(runs), columns));
  const report::Table drifts = report::drift_table(runs);
  if (!drifts.rows.empty()) print("\n{}", report::text_table(drifts, columns));
  std::vector<std::string> remarks = report::failure_lines(runs);
  for (std::string& text : report::fallback_lines(runs)) remarks.push_back(std::move(text));
  if (!remarks.empty()) print("\n");
  for (const std::string& text : remarks) print("{}\n", text);
  if (at_once > 1) print("\n{} methods at the same time: times were measured beside other runs\n", at_once);
}

void print_standard(const std::vector<StandardFigures>& figures) {
  const int columns = result_columns();
  print("{}\n", report::text_table(report::standard_table(figures), columns));
  for (const std::string& note : report::standard_notes(figures)) print("{}\n", note);
  for (const StandardFigures& f : figures) {
    for (const std::string& text : f.failures) print("{}: {}\n", f.method, text);
  }
  print("\ntime per step of the slab [us], by its number of contacts\n{}",
        report::text_table(report::cost_table(figures), columns));
  print("\nwhat the table of drumwright2009 (section 2.6) states, not measured here\n{}",
        report::text_table(report::published_table(), columns));
}

// The options that say something about a scene have nothing to say about the standard ones.
std::optional<Error> standard_misuse(const CompareArguments& a) {
  const bool scene_options = !a.scene.overrides.empty() || a.scene.step || a.scene.duration ||
                             a.scene.certificate_tolerance || !a.drift.empty() || !a.drift_normal.empty() ||
                             a.drop_distance || a.fail_on_drop;
  if (!a.scene.scene.empty() || scene_options) {
    return bad_usage("the standard scenes take no options of a scene",
                     "Give either a SCENE with its options or --standard.",
                     a.scene.scene.empty() ? "--standard" : a.scene.scene);
  }
  if (a.json && a.markdown) return bad_usage("one of the two at a time", "Give --json or --markdown.", "--markdown");
  return std::nullopt;
}

int compare_standard(const CompareArguments& arguments, const std::vector<std::string>& methods) {
  if (const auto misuse = standard_misuse(arguments)) return report(*misuse);
  if (auto checked = check_report(arguments); !checked) return report(checked.error());
  std::vector<StandardFigures> figures;
  {
    Progress progress("measuring", !arguments.quiet && !arguments.json);
    figures = measure_standard(methods, {.quick = arguments.quick, .threads = arguments.scene.threads.value_or(1)},
                               [&](std::string_view method, double fraction) { progress.update(fraction, method); });
  }
  if (!arguments.report.empty()) {
    if (auto written = report::write_standard(arguments.report, figures); !written) return report(written.error());
  }
  if (arguments.json) {
    for (const StandardFigures& f : figures) print("{}\n", report::standard_json(f).dump());
  } else if (arguments.markdown) {
    print("{}", report::standard_markdown(figures));
  } else if (!arguments.quiet) {
    print_standard(figures);
  }
  return exit_done;
}

// Writes the report and prints what was asked for.
Result<void> show(const CompareArguments& arguments, const std::vector<MethodRun>& runs, const LoadedScene& loaded,
                  int at_once) {
  const SimulationSettings& settings = loaded.scene.settings;
  const std::string& scene = loaded.scene.file;
  if (!arguments.report.empty()) {
    if (auto written = report::write_comparison(arguments.report, runs, settings, scene, at_once); !written) {
      return written;
    }
  }
  if (arguments.json) {
    for (const MethodRun& run : runs) print("{}\n", report::method_run_json(run, settings, scene, at_once).dump());
  } else if (!arguments.quiet) {
    print_comparison(runs, loaded, at_once);
  }
  return {};
}

int compare_scene(const CompareArguments& arguments, const std::vector<std::string>& methods) {
  auto loaded = load(arguments.scene);
  if (!loaded) return report(loaded.error());
  const auto options = read_options(arguments, loaded->built.model);
  if (!options) return report(options.error());
  if (auto checked = check_report(arguments); !checked) return report(checked.error());
  if (!arguments.quiet) {
    for (const std::string& warning : loaded->scene.warnings) warn(warning);
    for (const std::string& warning : loaded->built.warnings) warn(warning);
  }
  const int at_once = std::min(arguments.scene.threads.value_or(1), static_cast<int>(methods.size()));
  std::vector<MethodRun> runs;
  {
    Progress progress("comparing", !arguments.quiet && !arguments.json);
    runs = compare_methods(loaded->built, loaded->scene.settings, methods, *options, at_once,
                           [&](std::string_view method, double fraction) { progress.update(fraction, method); });
  }
  if (auto shown = show(arguments, runs, *loaded, at_once); !shown) return report(shown.error());
  const bool dropped = std::any_of(runs.begin(), runs.end(), [](const MethodRun& r) { return r.dropped_at(); });
  return arguments.fail_on_drop && dropped ? exit_missed : exit_done;
}

// Options that say nothing without others.
std::optional<Error> scene_misuse(const CompareArguments& a) {
  if (a.scene.scene.empty()) return bad_usage("an argument is missing", "Give a scene, or --standard.", "SCENE");
  if (a.quick || a.markdown) {
    return bad_usage("this option belongs to --standard", "'stiction compare --help' lists the options.",
                     a.quick ? "--quick" : "--markdown");
  }
  if (a.drift.empty() && (a.fail_on_drop || a.drop_distance || !a.drift_normal.empty())) {
    return bad_usage("this option needs a pair of bodies", "Name one with --drift A,B.",
                     a.fail_on_drop    ? "--fail-on-drop"
                     : a.drop_distance ? "--drop-distance"
                                       : "--drift-normal");
  }
  return std::nullopt;
}

}  // namespace

int command_compare(const CompareArguments& arguments) {
  const auto methods = read_methods(arguments.methods);
  if (!methods) return report(methods.error());
  if (auto checked = check_threads(arguments.scene.threads); !checked) return report(checked.error());
  if (arguments.standard) return compare_standard(arguments, *methods);
  if (const auto misuse = scene_misuse(arguments)) return report(*misuse);
  return compare_scene(arguments, *methods);
}

}  // namespace stiction::cli
