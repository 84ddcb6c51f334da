// Lemke against contact count: towers and rows of boxes (four contacts each) with 4 and 8 friction directions, from
// scratch and from the basis of the step before.
#include <benchmark/benchmark.h>

#include "../tests/support/box_stack.h"
#include "stiction/certify/step_certificate.h"
#include "stiction/solvers/lcp/lemke.h"

namespace {

using stiction::StepProblem;
using stiction::VectorX;
using stiction::solvers::LemkeWorkspace;
using stiction::solvers::solve_lemke;
using stiction::testing::PolyhedralLcp;

StepProblem stack(int contacts, bool tower) {
  stiction::testing::StackOptions options;
  options.boxes = contacts / 4;
  options.tower = tower;
  options.push = 0.05;
  return stiction::testing::box_stack(options);
}

// A second problem near the first stands for the next time step.
void lemke(benchmark::State& state, bool tower, bool warm) {
  const int directions = static_cast<int>(state.range(1));
  StepProblem step = stack(static_cast<int>(state.range(0)), tower);
  const PolyhedralLcp first = stiction::testing::polyhedral_lcp(step, directions);
  step.v_free *= 1.001;
  const PolyhedralLcp second = stiction::testing::polyhedral_lcp(step, directions);
  const int n = static_cast<int>(first.lcp.q.size());
  LemkeWorkspace workspace;
  VectorX z(n), w(n);
  auto report = solve_lemke({n, first.lcp.M.data(), first.lcp.q.data()}, false, {}, workspace, z.data(), w.data());
  bool odd = false;
  for (auto _ : state) {
    const PolyhedralLcp& problem = (odd = !odd) ? second : first;
    report = solve_lemke({n, problem.lcp.M.data(), problem.lcp.q.data()}, warm, {}, workspace, z.data(), w.data());
    benchmark::DoNotOptimize(z.data());
  }
  state.counters["rows"] = n;
  state.counters["pivots"] = report.iterations;
  state.counters["solved"] = report.termination == stiction::solvers::Termination::solved;
  state.counters["warm"] = report.warm_started;
}

void certify(benchmark::State& state) {
  const StepProblem step = stack(static_cast<int>(state.range(0)), true);
  const stiction::StepAnswer answer = {step.v_free, VectorX::Zero(step.row_count)};
  stiction::certify::CertifyWorkspace workspace;
  for (auto _ : state) benchmark::DoNotOptimize(stiction::certify::certify_step(step, answer, workspace));
}

const std::vector<std::vector<int64_t>> bench_sizes = {{4, 8, 16, 32, 64}, {4, 8}};

BENCHMARK_CAPTURE(lemke, tower_cold, true, false)->ArgsProduct(bench_sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lemke, tower_warm, true, true)->ArgsProduct(bench_sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lemke, row_cold, false, false)->ArgsProduct(bench_sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(lemke, row_warm, false, true)->ArgsProduct(bench_sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK(certify)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
