// Every LCP and mixed LCP of ../shared/problems by the chain of solvers, cold: from the problem in memory to z. The
// last benchmark is all of them one after the other.
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "stiction/certify/lcp_residual.h"
#include "stiction/io/matrix_market.h"
#include "stiction/solvers/lcp/lcp_auto.h"

namespace {

namespace fs = std::filesystem;
using namespace stiction;

struct Named {
  std::string name;
  MixedLcp problem;
};

std::vector<Named> read_all() {
  std::vector<Named> problems;
  for (const std::string kind : {"lcp", "mlcp"}) {
    const fs::path folder = fs::path(STICTION_SOURCE_DIR) / "../shared/problems" / kind;
    if (!fs::exists(folder)) continue;
    std::set<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder)) paths.insert(entry.path());
    for (const fs::path& path : paths) {
      if (kind == "mlcp") {
        if (auto problem = read_mixed_lcp(path)) problems.push_back({path.filename(), std::move(*problem)});
      } else if (auto problem = read_lcp(path)) {
        std::vector<std::uint8_t> pairs(problem->q.size(), 1);
        problems.push_back({path.filename(), {std::move(problem->M), std::move(problem->q), std::move(pairs)}});
      }
    }
  }
  return problems;
}

const std::vector<Named>& problems() {
  static const std::vector<Named> all = read_all();
  return all;
}

void one(benchmark::State& state, const MixedLcp& problem) {
  solvers::LcpWorkspace workspace;
  VectorX z;
  solvers::LcpReport report;
  for (auto _ : state) report = solve_lcp(solvers::auto_lcp, problem, {}, workspace, z);
  state.SetLabel(std::string(report.rung));
  state.counters["rows"] = static_cast<double>(problem.q.size());
  state.counters["iterations"] = report.solve.iterations;
  state.counters["residual"] = certify::mixed_lcp_residual(problem, z);
}

void total(benchmark::State& state) {
  solvers::LcpWorkspace workspace;
  VectorX z;
  int solved = 0;
  for (auto _ : state) {
    solved = 0;
    for (const Named& named : problems()) {
      const auto report = solve_lcp(solvers::auto_lcp, named.problem, {}, workspace, z);
      solved += report.solve.termination == solvers::Termination::solved;
    }
  }
  state.counters["problems"] = static_cast<double>(problems().size());
  state.counters["solved"] = solved;
}

const bool registered = [] {
  for (const Named& named : problems()) {
    benchmark::RegisterBenchmark(("lcp/" + named.name).c_str(), [&named](benchmark::State& state) {
      one(state, named.problem);
    })->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("lcp/all", total)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
