// Measures one contestant on one problem: in a child process, so that neither a crash nor a hang ends the benchmark,
// and every contestant starts from the same fresh heap.
#pragma once

#include <string>
#include <vector>

#include "contestant.h"

namespace stiction::bench {

/// What a contestant did at one of its tolerances.
struct Trial {
  double tolerance = 0;     ///< its own
  double residual = 0;      ///< certify/friction_residual.h, independent of any solver
  double milliseconds = 0;  ///< CPU time of the thread, median over `runs`
  int runs = 0;
  bool converged = false;  ///< its own word
  std::string rung;
};

struct TrialOptions {
  std::vector<double> targets = {1e-4, 1e-8};  ///< residuals to reach, loosest first
  int runs = 5;                                ///< behind each median that counts; more where one takes microseconds
  double time_limit = 20;                      ///< s of CPU time for one solve
  bool whole_range = false;                    ///< try every decade of tolerance, also after the last target is met
};

/// All trials of a contestant on a problem and, for each target, the one that counts.
struct Measurement {
  std::vector<Trial> trials;   ///< in order of tolerance, loosest first
  std::vector<int> by_target;  ///< index into trials, or -1: not reached
  bool killed = false;         ///< stopped by the time limit, or crashed
};

/// Runs the contestant.
Measurement measure(Contestant& contestant, const FrictionFile& file, const TrialOptions& options);

/// CPU time of this thread.
double thread_milliseconds();

}  // namespace stiction::bench
