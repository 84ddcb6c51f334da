// The program of the peers, bench_peers: where `stiction bench --peers` finds it, and what it says.
//
// The simulators beside this one are linked into that program alone. It prints one JSON object per line: a result, a
// peer that it was built without, or how far it has come.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/study/benchmark/benchmark_run.h"

namespace stiction::cli {

/// A simulator that the program was built without, and the Debian package that brings it.
struct AbsentPeer {
  std::string name, package;
};

/// What the program found out.
struct PeersOutcome {
  std::vector<BenchmarkResult> results;
  std::vector<AbsentPeer> absent;
};

/// Told the share of the work that is behind, and what is being run.
using PeersProgress = std::function<void(double fraction, const std::string& part)>;

/// The path in STICTION_BENCH_PEERS, or bench_peers beside this program or in ../bench. The Error says how to get it.
Result<std::string> find_peers_program();

/// Runs the scenes on every peer.
Result<PeersOutcome> run_peers_program(const std::string& program, const std::vector<std::string>& scenes,
                                       double time_limit, const PeersProgress& progress);

}  // namespace stiction::cli
