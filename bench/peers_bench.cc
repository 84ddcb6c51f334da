// The scenes of `stiction bench` on other simulators: the program that `stiction bench --peers` starts.
//
//   bench_peers [NAME...] [--time-limit S]     prints a table
//   bench_peers --lines ...                    one JSON object per line: results, absent simulators, progress
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "peers/peer.h"
#include "stiction/report/benchmark_report.h"

namespace {

using namespace stiction;
using Json = nlohmann::ordered_json;

// A scene with one step in one way: a row of the table.
struct Task {
  BenchmarkScene scene;
  double step;
  bench::PeerSetting setting;
};

std::vector<Task> tasks_of(const std::vector<std::string>& asked, const std::vector<bench::Peer>& peers) {
  std::vector<Task> tasks;
  for (const std::string& name : benchmark_names()) {
    const BenchmarkScene scene = benchmark_scene(name);
    const bool named = std::find(asked.begin(), asked.end(), name) != asked.end();
    if (!named && (!asked.empty() || scene.on_request)) continue;
    for (const bench::Peer& peer : peers) {
      for (const bench::PeerSetting& setting : peer.settings) {
        if (!setting.takes(scene)) continue;
        for (const double step : scene.steps) tasks.push_back({scene, step, setting});
      }
    }
  }
  return tasks;
}

void print_line(const Json& json) {
  fmt::print("{}\n", json.dump());
  std::fflush(stdout);
}

// Says how far it has come, when that is a hundredth further.
class Told {
 public:
  void tell(double fraction, const Task& task) {
    if (fraction < told_ + 0.01) return;
    told_ = fraction;
    const std::string part = fmt::format("{} {} {}", task.scene.name, task.setting.engine, task.setting.setting);
    print_line({{"fraction", fraction}, {"part", part}});
  }

 private:
  double told_ = -1;
};

std::vector<BenchmarkResult> run(const std::vector<Task>& tasks, double time_limit, bool lines) {
  std::vector<BenchmarkResult> results;
  Told told;
  for (size_t t = 0; t < tasks.size(); ++t) {
    const Task& task = tasks[t];
    const auto progress = [&](double fraction) {
      if (lines) told.tell((static_cast<double>(t) + fraction) / static_cast<double>(tasks.size()), task);
    };
    results.push_back(measure_benchmark(task.scene, task.step, engine_of(task.setting), time_limit, progress));
    if (lines) print_line({{"result", report::benchmark_json(results.back())}});
  }
  return results;
}

void print_absent(const std::vector<bench::Peer>& peers, bool lines) {
  for (const bench::Peer& peer : peers) {
    if (!peer.settings.empty()) continue;
    if (lines) {
      print_line({{"absent", peer.name}, {"package", peer.package}});
    } else {
      fmt::print("built without {} (Debian package {})\n", peer.name, peer.package);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "The scenes of 'stiction bench' on other simulators.\nExample: bench_peers slide_roll stack10 --time-limit 20");
  std::vector<std::string> names;
  double time_limit = 60;
  bool lines = false;
  app.add_option("NAME", names, fmt::format("Some of {}", fmt::join(benchmark_names(), ", ")))
      ->check(CLI::IsMember(benchmark_names()));
  app.add_option("--time-limit", time_limit, "CPU time for each motion [s]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--lines", lines, "Print one JSON object per line, as 'stiction bench --peers' reads them");
  CLI11_PARSE(app, argc, argv);
  const std::vector<bench::Peer> peers = bench::all_peers();
  print_absent(peers, lines);
  const std::vector<BenchmarkResult> results = run(tasks_of(names, peers), time_limit, lines);
  if (!lines) fmt::print("{}", report::benchmark_text(results, 100));
  return 0;
}
