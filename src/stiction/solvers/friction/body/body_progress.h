// What the algorithms in body space share: the tolerance, the budget of counted work, and the best impulse so far.
#pragma once

#include <algorithm>
#include <vector>

#include "stiction/base/infinity.h"
#include "stiction/solvers/deadline.h"

namespace stiction::solvers {

/// One solve in progress. Work is counted, never timed, unless the caller set a time limit.
struct BodyProgress {
  double tolerance = 1e-8;  ///< at which the problem counts as solved
  double polished = 1e-8;   ///< <= tolerance: where an algorithm that converges fast may go on to
  int factorizations = 0, most_factorizations = 1 << 30;
  int sweeps = 0, most_sweeps = 1 << 30;
  int iterations = 0;  ///< sweeps, steps of the interior point and of Newton together
  Deadline deadline;
  std::vector<double> best;  ///< z with the smallest residual seen
  double best_residual = infinity;
  int best_rung = -1, rung = -1;  ///< of the best; at work now

  /// Keeps z if it is the best so far.
  void offer(const std::vector<double>& z, double residual) {
    if (!(residual < best_residual)) return;
    best_residual = residual;
    best_rung = rung;
    std::copy(z.begin(), z.end(), best.begin());
  }
  bool solved() const { return best_residual <= tolerance; }
  bool spent() const { return factorizations >= most_factorizations || deadline.passed(); }
};

}  // namespace stiction::solvers
