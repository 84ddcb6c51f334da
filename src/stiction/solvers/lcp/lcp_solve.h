// One solve of an LCP in progress, as the solvers see it: they work on work.trial and offer it.
#pragma once

#include <cstdint>
#include <string_view>

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/lcp/lcp_auto.h"

namespace stiction::solvers {

/// See the top of the file.
struct LcpSolve {
  const MixedLcp& problem;
  const LcpOptions& options;
  LcpWorkspace& work;
  int n;
  bool mixed;  ///< there are equations
  Deadline deadline;
  double best = infinity;  ///< residual of work.best
  LcpReport report = {};

  /// One flag per row where there are equations, otherwise nullptr.
  const std::uint8_t* flags() const { return mixed ? problem.is_complementarity.data() : nullptr; }
  /// Takes work.trial over where it is the best so far; true where it solves the problem or time is up.
  bool offer(std::string_view rung, const SolveReport& solve);
  /// Is there a verdict?
  bool ended() const { return report.solve.termination != Termination::not_found; }
};

}  // namespace stiction::solvers
