// Time of one whole step, from state to certified state: the tower at rest (warm starts hold), a chain of 30 links in
// reduced and in maximal coordinates, shapes that fall and roll, many islands on one and two threads.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "../tests/support/scenarios.h"
#include "stiction/scene/scene.h"

namespace {

using stiction::Simulation;
using stiction::testing::Scenario;

Scenario scene_file(const std::string& name) {
  const std::string path = fmt::format("{}/scenes/{}.toml", STICTION_SOURCE_DIR, name);
  const auto scene = stiction::scene::load_scene(path).value();
  return {name, scene.model, scene.settings};
}

// Runs over the scene's duration again and again; `warm_up` steps come first and are not timed.
void step(benchmark::State& bench, const Scenario& scenario, long warm_up) {
  Simulation simulation = stiction::testing::make_simulation(scenario.model, scenario.settings);
  stiction::testing::take_steps(simulation, warm_up);
  const stiction::State start = simulation.state();
  const long last = stiction::steps_for(scenario.settings.duration, scenario.settings.step);
  double contacts = 0, pivots = 0;
  long steps = 0;
  for (auto _ : bench) {
    const stiction::StepOutcome outcome = simulation.step();
    if (!outcome.ok) {
      bench.SkipWithError(outcome.failure.c_str());
      break;
    }
    contacts += static_cast<double>(simulation.last_step().contacts.size());
    pivots += outcome.iterations;
    ++steps;
    if (simulation.step_index() >= last) simulation.restore(start, warm_up);
  }
  bench.counters["contacts"] = contacts / static_cast<double>(std::max(1L, steps));
  bench.counters["pivots"] = pivots / static_cast<double>(std::max(1L, steps));
}

Scenario maximal(Scenario scenario) {
  scenario.settings.options.coordinates = stiction::methods::Coordinates::maximal;
  return scenario;
}

Scenario with_threads(Scenario scenario, int threads) {
  scenario.settings.threads = threads;
  return scenario;
}

void tower(benchmark::State& bench) {
  step(bench, scene_file("tower"), 100);
}
void chain(benchmark::State& bench) {
  step(bench, scene_file("chain"), 0);
}
void chain_maximal(benchmark::State& bench) {
  step(bench, maximal(scene_file("chain")), 0);
}
void falling_boxes(benchmark::State& bench) {
  step(bench, scene_file("falling_boxes"), 0);
}
void islands(benchmark::State& bench) {
  step(bench, with_threads(stiction::testing::many_islands(24), static_cast<int>(bench.range(0))), 0);
}

BENCHMARK(tower)->Name("step/tower_of_10_at_rest")->Unit(benchmark::kMicrosecond);
BENCHMARK(chain)->Name("step/chain_of_30_links")->Unit(benchmark::kMicrosecond);
BENCHMARK(chain_maximal)->Name("step/chain_of_30_links_maximal")->Unit(benchmark::kMicrosecond);
BENCHMARK(falling_boxes)->Name("step/falling_boxes")->Unit(benchmark::kMicrosecond);
BENCHMARK(islands)->Name("step/24_islands_threads")->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
