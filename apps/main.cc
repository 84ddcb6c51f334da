// stiction: the command line. Results go to stdout, messages to stderr; exit 0 done, 1 a check was missed, 2 bad input.
#include <csignal>
#include <exception>

#include "cli.h"
#include "stiction/base/version.h"
#include "stiction/methods/registry.h"
#include "stiction/study/benchmark/benchmark_scenes.h"
#include "usage.h"

namespace stiction::cli {
namespace {

void add_scene_options(CLI::App& app, SceneArguments& arguments) {
  app.add_option("SCENE", arguments.scene, "scene file: .toml")->required();
  app.add_option("--set", arguments.overrides, "override a scene key: KEY=VALUE with dotted keys, may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("KEY=VALUE");
  app.add_option("--method", arguments.method, "contact method (stiction list methods)");
  app.add_option("--step", arguments.step, "time step [s]");
}

std::vector<std::string_view> methods_with_events() {
  std::vector<std::string_view> names;
  for (const methods::MethodDescription* method : methods::all_methods()) {
    if (method->reports_events) names.push_back(method->name);
  }
  return names;
}

void add_run(CLI::App& app, RunArguments& arguments) {
  CLI::App& run = *app.add_subcommand("run", "simulate a scene");
  run.footer(
      "Example:\n  stiction run scenes/tower.toml --step 0.004 --record tower.h5\n"
      "  stiction run scenes/incline.toml --set material.wood.friction=0.2 --json | jq .certificate\n"
      "  stiction run scenes/falling_boxes.toml --method event-driven --events boxes.jsonl");
  add_scene_options(run, arguments.scene);
  run.add_option("--solver", arguments.scene.solver, "solver (stiction list solvers)");
  run.add_option("--duration", arguments.scene.duration, "simulated time [s]");
  run.add_option("--threads", arguments.scene.threads, "worker threads; the result does not depend on it");
  run.add_option("--accuracy", arguments.scene.accuracy,
                 "exact (1e-8, the default), balanced (1e-4) or fast (a small budget of work per step)");
  run.add_option("--certificate-tol", arguments.scene.certificate_tolerance, "steps above this are counted (1e-8)");
  run.add_option("--require-certificate", arguments.require_certificate,
                 "exit 1 when a certificate value exceeds this");
  run.add_option("--record", arguments.record, "write an HDF5 recording")->type_name("F.h5");
  run.add_option("--report", arguments.report, "write an HTML report")->type_name("F.html");
  run.add_option("--events", arguments.events,
                 fmt::format("write every event with all outcomes of impacts, one JSON object per line (method {})",
                             fmt::join(methods_with_events(), ", ")))
      ->type_name("F.jsonl");
  run.add_option("--checkpoint", arguments.checkpoint, "write the final state")->type_name("F");
  run.add_option("--resume", arguments.resume, "start from a checkpoint of the same scene")->type_name("F");
  run.add_option("--dump-problem", arguments.dump_problem,
                 "write the contact problem of step STEP (the first is 1) to a file that solve reads")
      ->expected(2)
      ->type_name("STEP F");
  run.add_flag("--json", arguments.json, "print one JSON object on stdout");
  run.add_flag("--profile", arguments.profile, "measure where the time goes, stage by stage");
  run.add_flag("--quiet", arguments.quiet, "print nothing but errors");
}

void add_compare(CLI::App& app, CompareArguments& arguments) {
  CLI::App& compare = *app.add_subcommand("compare", "run a scene, or standard ones, under several methods");
  compare.footer(
      "A method that cannot take the scene, or whose step fails, is a row with the reason.\n"
      "Example:\n  stiction compare scenes/incline.toml --methods exact-cone,stewart-trinkle --drift slope,block\n"
      "  stiction compare scenes/shaken-jaws.toml --drift base+jaw,ball --drift-normal 1,0,0 --report jaws.html\n"
      "  stiction compare --standard");
  compare.add_option("SCENE", arguments.scene.scene, "scene file: .toml");
  compare.add_option("--methods", arguments.methods, "names with commas between them, or all")->capture_default_str();
  compare.add_option("--drift", arguments.drift, "measure the drift of B in the frame of A; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("A,B");
  compare.add_option("--drift-normal", arguments.drift_normal, "direction in A's frame that does not count")
      ->type_name("x,y,z");
  compare.add_option("--drop-distance", arguments.drop_distance, "drift beyond which B counts as dropped [m] (0.01)");
  compare.add_flag("--fail-on-drop", arguments.fail_on_drop, "exit 1 when a method drops something");
  compare.add_option("--set", arguments.scene.overrides, "override a scene key: KEY=VALUE, may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("KEY=VALUE");
  compare.add_option("--step", arguments.scene.step, "time step [s]");
  compare.add_option("--duration", arguments.scene.duration, "simulated time [s]");
  compare.add_option("--certificate-tol", arguments.scene.certificate_tolerance, "steps above this are counted (1e-8)");
  compare.add_option("--threads", arguments.scene.threads, "methods that run at the same time");
  compare.add_option("--report", arguments.report, "write an HTML report")->type_name("F.html");
  compare.add_flag("--standard", arguments.standard,
                   "measure overlap, convergence, creep, restitution and cost on standard scenes");
  compare.add_flag("--quick", arguments.quick, "with --standard: short runs and few contacts, rough figures");
  compare.add_flag("--markdown", arguments.markdown, "with --standard: print Markdown");
  compare.add_flag("--json", arguments.json, "print one JSON object per method on stdout");
  compare.add_flag("--quiet", arguments.quiet, "print nothing but errors");
}

void add_solve(CLI::App& app, SolveArguments& arguments) {
  CLI::App& solve = *app.add_subcommand("solve", "solve stored friction problems, LCPs and mixed LCPs");
  solve.footer(
      "PROBLEM is an HDF5 file (FCLIB, or from run --dump-problem), a folder with M.mtx, q.mtx (and is_comp.mtx), or "
      "a\n"
      "folder of such problems. Every answer is judged by its own residual; exit 1 unless every problem is solved.\n"
      "Example:\n  stiction solve problem.hdf5\n"
      "  stiction solve problems/*.hdf5 --solver newton --tol 1e-10 --time-limit 20\n"
      "  stiction solve problems/friction --json | jq '[.name, .residual]'");
  solve.add_option("PROBLEM", arguments.problems, "files and folders")->required()->take_all();
  solve.add_option("--solver", arguments.solver, "solver, auto, or all of them in turn")->capture_default_str();
  solve.add_option("--tol", arguments.tolerance, "largest normalised residual of an answer")->capture_default_str();
  solve.add_option("--time-limit", arguments.time_limit, "CPU time for each problem and solver [s]");
  solve.add_flag("--json", arguments.json, "print one JSON object per line on stdout");
  solve.add_flag("--quiet", arguments.quiet, "print nothing but errors");
}

void add_analyze(CLI::App& app, AnalyzeArguments& arguments) {
  CLI::App& analyze =
      *app.add_subcommand("analyze", "say whether the contacts of a scene have no, one or many answers");
  analyze.footer(
      "Ranks, undetermined forces, friction cones, and every answer at the acceleration level for up to 6 contacts.\n"
      "Example:\n  stiction analyze scenes/tower.toml\n"
      "  stiction analyze scenes/incline.toml --at 0.5 --json | jq .answers");
  add_scene_options(analyze, arguments.scene);
  analyze.add_option("--at", arguments.at, "simulate to this time first [s]")->capture_default_str();
  analyze.add_option("--gap-tol", arguments.gap_tolerance, "larger gaps do not touch [m]")->capture_default_str();
  analyze.add_option("--speed-tol", arguments.speed_tolerance, "slower contacts are at rest [m/s]")
      ->capture_default_str();
  analyze.add_option("--report", arguments.report, "write an HTML report")->type_name("F.html");
  analyze.add_flag("--json", arguments.json, "print one JSON object on stdout");
  analyze.add_flag("--quiet", arguments.quiet, "print nothing but errors");
}

void add_others(CLI::App& app, InspectArguments& inspect, std::string& list, bool& list_json,
                ReproduceArguments& reproduce) {
  CLI::App& inspect_app = *app.add_subcommand("inspect", "show what a scene loads as");
  inspect_app.footer("Example:\n  stiction inspect scenes/four_bar.toml");
  add_scene_options(inspect_app, inspect.scene);
  inspect_app.add_flag("--json", inspect.json, "print one JSON object on stdout");

  CLI::App& list_app = *app.add_subcommand("list", "list methods, solvers, shapes, joints or options");
  list_app.footer(
      "Example:\n  stiction list methods\n"
      "  stiction list methods --json | jq '.methods[] | [.name, .sentence]'");
  list_app.add_option("WHAT", list, "methods, solvers, shapes, joints or options")->required();
  list_app.add_flag("--json", list_json, "print one JSON object on stdout");

  CLI::App& reproduce_app = *app.add_subcommand("reproduce", "run a paper's published examples");
  reproduce_app.footer("Example:\n  stiction reproduce trinkle2003 --out out");
  reproduce_app.add_option("PAPER[/EXAMPLE]", reproduce.target, "trinkle2003, trinkle2003/sphere, ... or all")
      ->capture_default_str();
  reproduce_app.add_option("--out", reproduce.out, "folder for plots and data")->capture_default_str();
  reproduce_app.add_flag("--json", reproduce.json, "print one JSON object per line on stdout");
  reproduce_app.add_flag("--quiet", reproduce.quiet, "print nothing but errors");
}

void add_bench(CLI::App& app, BenchArguments& arguments) {
  CLI::App& bench = *app.add_subcommand("bench", "time and accuracy on standard scenes, and on other simulators");
  bench.footer(fmt::format(
      "NAME is one of {}.\nWithout a name all are run but pile5000. docs/performance.md says what is measured.\n"
      "Example:\n  stiction bench slide_roll stack10 --accuracy exact,fast\n"
      "  stiction bench --peers --out out/bench",
      fmt::join(benchmark_names(), ", ")));
  bench.add_option("NAME", arguments.names, "scenes")->take_all();
  bench.add_flag("--peers", arguments.peers, "run the same scenes on the simulators installed beside this one");
  bench.add_option("--accuracy", arguments.accuracy, "of ours: all, or names with commas between them")
      ->capture_default_str();
  bench.add_option("--time-limit", arguments.time_limit, "CPU time for each motion [s]")->capture_default_str();
  bench.add_option("--out", arguments.out, "write a plot per scene and the JSON into a folder")->type_name("DIR");
  bench.add_flag("--json", arguments.json, "print one JSON object on stdout");
  bench.add_flag("--quiet", arguments.quiet, "print nothing but errors");
}

// Commands of the interface that this version does not have yet: say so instead of "unknown".
void add_announced(CLI::App& app) {
  for (const char* name : {"view"}) {
    app.add_subcommand(name, "not in this version")->allow_extras();
  }
}

int dispatch(int argc, char** argv) {
  CLI::App app("Multibody simulation with frictional contact and a certificate at every step.", "stiction");
  app.require_subcommand(1);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.set_version_flag("--version", fmt::format("stiction {}", version()));
  app.footer("Example:\n  stiction run scenes/tower.toml\n'stiction COMMAND --help' lists the options of a command.");
  RunArguments run;
  CompareArguments compare;
  SolveArguments solve;
  AnalyzeArguments analyze;
  InspectArguments inspect;
  ReproduceArguments reproduce;
  BenchArguments bench;
  std::string list;
  bool list_json = false;
  add_run(app, run);
  add_compare(app, compare);
  add_solve(app, solve);
  add_analyze(app, analyze);
  add_others(app, inspect, list, list_json, reproduce);
  add_bench(app, bench);
  add_announced(app);
  if (argc > 1) {
    if (const auto unknown = unknown_command(app, argv[1])) return report(*unknown);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  }
  const std::string command = app.get_subcommands().front()->get_name();
  if (command == "run") return command_run(run);
  if (command == "compare") return command_compare(compare);
  if (command == "solve") return command_solve(solve);
  if (command == "analyze") return command_analyze(analyze);
  if (command == "inspect") return command_inspect(inspect);
  if (command == "list") return command_list(list, list_json);
  if (command == "reproduce") return command_reproduce(reproduce);
  if (command == "bench") return command_bench(bench);
  return report({.what = "command is not in this version",
                 .remedy = "This version has run, compare, solve, analyze, inspect, list, reproduce and bench; see "
                           "'stiction --help'.",
                 .name = command,
                 .file = "command line"});
}

}  // namespace
}  // namespace stiction::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough (`| head`) is no reason to stop or to fail
  try {
    return stiction::cli::finish_output(stiction::cli::dispatch(argc, argv));
  } catch (const std::exception& error) {
    stiction::cli::print_error("stiction: internal error: {}\n", error.what());
    return 70;
  }
}
