// stiction bench: the benchmark scenes under every accuracy and, where asked for, on the simulators installed beside.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "peers_program.h"
#include "stiction/base/version.h"
#include "stiction/io/output_file.h"
#include "stiction/report/benchmark_report.h"

namespace stiction::cli {

namespace {

using Json = nlohmann::ordered_json;

// What the words on the command line ask for.
struct BenchPlan {
  std::vector<std::string> scenes;
  std::vector<methods::Accuracy> accuracies;
  std::string peers;  // path of the program; empty: without
};

Result<std::vector<std::string>> read_scenes(const std::vector<std::string>& asked) {
  const std::vector<std::string> known = benchmark_names();
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = closest_name(name, known);
    return failure(
        bad_usage("unknown benchmark",
                  fmt::format("{}There are {}.", near.empty() ? "" : fmt::format("Did you mean '{}'? ", near),
                              fmt::join(known, ", ")),
                  name));
  }
  std::vector<std::string> scenes;
  for (const std::string& name : known) {
    const bool named = std::find(asked.begin(), asked.end(), name) != asked.end();
    if (named || (asked.empty() && !benchmark_scene(name).on_request)) scenes.push_back(name);
  }
  return scenes;
}

Result<std::vector<methods::Accuracy>> read_accuracies(const std::string& text) {
  if (text == "all") return std::vector(methods::accuracies.begin(), methods::accuracies.end());
  std::vector<methods::Accuracy> accuracies;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const auto accuracy = methods::find_accuracy(word);
    if (!accuracy) {
      return failure(bad_usage(
          "unknown accuracy",
          fmt::format("Give all, or some of {} with commas between them.", fmt::join(methods::accuracy_names(), ", ")),
          word));
    }
    accuracies.push_back(*accuracy);
  }
  if (accuracies.empty()) return failure(bad_usage("no accuracy is named", "Give all, or exact.", "--accuracy"));
  return accuracies;
}

std::string data_file(const std::string& out) {
  return (std::filesystem::path(out) / "bench.json").string();
}

// The folder, made if needed, and whether files can be written there.
Result<void> prepare_folder(const std::string& out) {
  if (out.empty()) return {};
  std::error_code made;
  std::filesystem::create_directories(out, made);
  if (made || !std::filesystem::is_directory(out)) {
    return failure(bad_usage("cannot make the output folder" + (made ? ": " + made.message() : ""),
                             "Give --out a folder that can be written.", out));
  }
  auto file = OutputFile::create(data_file(out));  // tried before the work, dropped again
  if (!file) return failure(file.error());
  return {};
}

Result<BenchPlan> make_plan(const BenchArguments& arguments) {
  BenchPlan plan;
  auto scenes = read_scenes(arguments.names);
  if (!scenes) return failure(scenes.error());
  plan.scenes = std::move(*scenes);
  auto accuracies = read_accuracies(arguments.accuracy);
  if (!accuracies) return failure(accuracies.error());
  plan.accuracies = std::move(*accuracies);
  if (!(arguments.time_limit > 0)) {
    return failure(bad_usage("the limit must be a positive number of seconds", "Give a limit such as 60.",
                             fmt::format("--time-limit {}", arguments.time_limit)));
  }
  if (arguments.peers) {
    auto program = find_peers_program();
    if (!program) return failure(program.error());
    plan.peers = std::move(*program);
  }
  if (auto prepared = prepare_folder(arguments.out); !prepared) return failure(prepared.error());
  return plan;
}

std::vector<BenchmarkResult> run_ours(const BenchPlan& plan, double time_limit, Progress& progress) {
  std::vector<BenchmarkResult> results;
  const double share = 1 / static_cast<double>(plan.scenes.size() * plan.accuracies.size());
  double done = 0;
  for (const std::string& name : plan.scenes) {
    const BenchmarkScene scene = benchmark_scene(name);
    for (const methods::Accuracy accuracy : plan.accuracies) {
      const BenchmarkEngine engine = benchmark_engine(accuracy);
      const double part = share / static_cast<double>(scene.steps.size());
      for (const double step : scene.steps) {
        results.push_back(measure_benchmark(scene, step, engine, time_limit, [&](double fraction) {
          progress.update(done + part * fraction, fmt::format("{} {}", name, engine.setting));
        }));
        done += part;
      }
    }
  }
  return results;
}

Json bench_json(const PeersOutcome& outcome, double time_limit) {
  Json results = Json::array(), absent = Json::array();
  for (const BenchmarkResult& result : outcome.results) results.push_back(report::benchmark_json(result));
  for (const AbsentPeer& peer : outcome.absent) absent.push_back({{"name", peer.name}, {"package", peer.package}});
  return {{"stiction_version", version()}, {"time_limit", time_limit}, {"results", results}, {"absent_peers", absent}};
}

// bench.json, and SCENE.svg of every scene.
Result<void> write_files(const std::string& out, const Json& json, const PeersOutcome& outcome) {
  if (out.empty()) return {};
  const std::filesystem::path folder(out);
  if (auto written = write_text_file(data_file(out), json.dump(2) + "\n"); !written) return written;
  for (const std::string& name : benchmark_names()) {
    const auto plots = report::benchmark_plots(benchmark_scene(name), report::results_of(name, outcome.results));
    if (plots.empty()) continue;
    if (auto written = report::write_svg(plots, folder / (name + ".svg")); !written) return written;
  }
  return {};
}

}  // namespace

int command_bench(const BenchArguments& arguments) {
  const auto plan = make_plan(arguments);
  if (!plan) return report(plan.error());
  PeersOutcome outcome;
  {
    Progress progress("measuring", !arguments.quiet && !arguments.json);
    outcome.results = run_ours(*plan, arguments.time_limit, progress);
    if (!plan->peers.empty()) {
      auto peers =
          run_peers_program(plan->peers, plan->scenes, arguments.time_limit,
                            [&](double fraction, const std::string& part) { progress.update(fraction, part); });
      progress.clear();
      if (!peers) return report(peers.error());
      outcome.results.insert(outcome.results.end(), peers->results.begin(), peers->results.end());
      outcome.absent = peers->absent;
    }
  }
  const Json json = bench_json(outcome, arguments.time_limit);
  if (auto written = write_files(arguments.out, json, outcome); !written) return report(written.error());
  if (arguments.json) {
    print("{}\n", json.dump());
  } else if (!arguments.quiet) {
    print("{}", report::benchmark_text(outcome.results, result_columns()));
    for (const AbsentPeer& peer : outcome.absent) {
      print("\nwithout {}: the program of the peers was built without it (Debian package {})\n", peer.name,
            peer.package);
    }
  }
  return exit_done;
}

}  // namespace stiction::cli
