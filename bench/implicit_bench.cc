// The geometrically implicit method beside exact-cone on the same scenes, in one run: time of a step for 1, 10 and 50
// ellipsoids that fall into a bowl and settle, and the error of rolling bodies by step. `error_um` is the distance of
// the body's centre after 2 s from that of a run of exact-cone with steps of 10 us; equal error at a longer step is
// what the implicit method is for. Compare lines of one run only.
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "papers/chakraborty2007/pile.h"
#include "papers/paper.h"

namespace {

using stiction::Simulation;
using stiction::Vector3;
using stiction::papers::open_example;

constexpr const char* methods[] = {"exact-cone", "implicit-geometry"};
constexpr const char* scenes[] = {"chakraborty2007/ellipsoid_rolls.toml", "chakraborty2007/ball_in_bowl.toml"};

// A whole run of 400 steps: flight, impacts and the beginning of rest.
void pile(benchmark::State& bench) {
  const std::string text = stiction::papers::chakraborty2007::pile_scene(static_cast<int>(bench.range(0)));
  long steps = 0, fallbacks = 0;
  double contacts = 0;
  for (auto _ : bench) {
    Simulation simulation =
        stiction::papers::open_text(
            text, "pile", {"simulation.duration=0.4", std::string("simulation.method=") + methods[bench.range(1)]})
            .value();
    const stiction::RunSummary summary = stiction::run(simulation);
    if (!summary.ok) return bench.SkipWithError(summary.failure.c_str());
    steps += summary.steps;
    contacts = summary.mean_contacts;
    for (const auto& [fallback, count] : summary.fallbacks) fallbacks += count;
  }
  bench.SetLabel(methods[bench.range(1)]);
  bench.counters["contacts"] = contacts;
  bench.counters["fallbacks"] = static_cast<double>(fallbacks);
  bench.counters["step"] =
      benchmark::Counter(static_cast<double>(steps), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

Vector3 place_after(const char* scene, const char* method, double h) {
  Simulation simulation =
      open_example(scene, {std::string("simulation.method=") + method, "simulation.step=" + std::to_string(h)}).value();
  stiction::run(simulation);
  return simulation.kinematics().com_W[1];
}

void error(benchmark::State& bench) {
  static std::map<long, Vector3> truth;
  const char* scene = scenes[bench.range(0)];
  if (!truth.count(bench.range(0))) truth[bench.range(0)] = place_after(scene, "exact-cone", 1e-5);
  const double h = 1e-6 * static_cast<double>(bench.range(2));
  Vector3 place = Vector3::Zero();
  for (auto _ : bench) place = place_after(scene, methods[bench.range(1)], h);
  bench.SetLabel(std::string(bench.range(0) == 0 ? "rolling ellipsoid, " : "ball in a bowl, ") +
                 methods[bench.range(1)]);
  bench.counters["error_um"] = 1e6 * (place - truth[bench.range(0)]).norm();
}

BENCHMARK(pile)
    ->Name("implicit/pile")
    ->ArgsProduct({{1, 10, 50}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK(error)
    ->Name("implicit/error")
    ->ArgsProduct({{0, 1}, {0, 1}, {8000, 4000, 2000, 1000, 500}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
