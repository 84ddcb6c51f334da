// Time per step of piles and walls beside ODE's quickstep in one run, on one core; scenes: script/stress-scenes.
//
//   bench_piles [--accuracy A] SCENE.toml...
//
// "mean" is over all steps, "end" over the last simulated second; CPU time. Ratios are ours over ODE's. "ODE deep" is
// its deepest overlap at the end, by our geometry.
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "peers/peer.h"
#include "stiction/methods/exact_cone.h"
#include "stiction/scene/scene.h"
#include "stiction/simulation/run.h"

namespace {

using namespace stiction;

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// ms per step over all steps, and over those of the last simulated second.
struct Times {
  double sum = 0, end = 0;
  long steps = 0, last_steps = 0;

  template <class Step>
  void measure(bool last_second, Step&& step) {
    const double begin = cpu_seconds();
    step();
    const double time = 1e3 * (cpu_seconds() - begin);
    sum += time, ++steps;
    if (last_second) end += time, ++last_steps;
  }
  double mean() const { return sum / static_cast<double>(std::max(1L, steps)); }
  double at_end() const { return end / static_cast<double>(std::max(1L, last_steps)); }
};

// ODE's quickstep with 20 iterations, the first of its ways; null where the program was built without ODE.
std::unique_ptr<BenchmarkWorld> make_peer(const BuiltModel& built, double step) {
  for (const bench::Peer& peer : bench::all_peers()) {
    if (peer.name != "ODE" || peer.settings.empty()) continue;
    auto world = bench::engine_of(peer.settings.front()).make(built, step);
    if (!world) throw std::invalid_argument(world.error().what);
    return std::move(*world);
  }
  return nullptr;
}

int measure(const std::string& path, methods::Accuracy accuracy) {
  auto scene = scene::load_scene(path);
  if (!scene) return fmt::print(stderr, "{}\n", scene.error().message()), 2;
  scene->settings.options.of<methods::ExactConeOptions>().accuracy = accuracy;
  auto built = build_model(scene->model);
  if (!built) return fmt::print(stderr, "{}\n", built.error().message()), 2;
  const auto peer = make_peer(*built, scene->settings.step);
  OverlapMeter overlap(built->model);
  auto simulation = Simulation::create(*built, scene->settings);
  if (!simulation) return fmt::print(stderr, "{}\n", simulation.error().message()), 2;
  const long steps = steps_for(scene->settings.duration, scene->settings.step);
  const long last = std::lround(1 / scene->settings.step);
  Times ours, theirs;
  std::vector<BodyMotion> bodies = body_motions(simulation->kinematics());
  double worst = 0;
  long over = 0;
  std::string failure;
  for (long i = 0; i < steps && failure.empty(); ++i) {
    const bool last_second = i >= steps - last;
    if (peer) theirs.measure(last_second, [&] { peer->advance(); });
    ours.measure(last_second, [&] { failure = simulation->step().failure; });
    const double residual = simulation->last_step().certificate.worst();
    worst = std::max(worst, residual);
    over += residual > 1e-8 ? 1 : 0;
  }
  if (peer) peer->read(bodies);
  const auto ratio = [](double a, double b) { return b > 0 ? fmt::format("{:.1f}", a / b) : std::string("-"); };
  fmt::print("{:28} {:6} {:9.3f} {:9.3f} {:9.4f} {:9.4f} {:>8} {:>8} {:9.1e} {:5} {:9.1e}  {}\n",
             path.substr(path.find_last_of('/') + 1), ours.steps, ours.mean(), ours.at_end(), theirs.mean(),
             theirs.at_end(), ratio(ours.mean(), theirs.mean()), ratio(ours.at_end(), theirs.at_end()), worst, over,
             peer ? overlap.measure(bodies) : 0.0, failure);
  return failure.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Piles and walls beside ODE's quickstep, CPU time per step; example: bench_piles out/stress/pile100.toml");
  std::string name = "exact";
  std::vector<std::string> scenes;
  app.add_option("--accuracy", name, fmt::format("Ours: {}", fmt::join(methods::accuracy_names(), ", ")))
      ->check(CLI::IsMember(methods::accuracy_names()))
      ->capture_default_str();
  app.add_option("scenes", scenes, "Scene files (script/stress-scenes writes some)");
  CLI11_PARSE(app, argc, argv);
  if (scenes.empty()) {
    fmt::print(
        "no scenes given; for example: script/stress-scenes out/stress && script/bench piles -- "
        "out/stress/pile100.toml\n");
    return 0;
  }
  if (bench::all_peers().front().settings.empty()) fmt::print("built without ODE (libode-dev): ours alone\n");
  fmt::print("{:28} {:>6} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9} {:>5} {:>9}\n", "scene", "steps", "ms mean",
             "ms end", "ODE mean", "ODE end", "mean", "end", "worst", "over", "ODE deep");
  int status = 0;
  for (const std::string& scene : scenes) status = std::max(status, measure(scene, *methods::find_accuracy(name)));
  return status;
}
