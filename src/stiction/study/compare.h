// The same scene under several methods, each measured alike and from outside: what `stiction compare` shows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stiction/simulation/run.h"
#include "stiction/study/drift.h"

namespace stiction {

/// What to measure besides what every run is measured by.
struct CompareOptions {
  std::vector<DriftPair> pairs;
  std::optional<double> drop_distance;  ///< m; none: default_drop_distance() of each pair
  size_t max_samples = 2000;            ///< >= 1: points of the traces
  double longest_seconds = infinity;  ///< s of wall time: a method that takes longer is ended, and its failure says so
};

/// The drift of one pair over a run.
struct PairDrift {
  DriftPair pair;
  Vector3 displacement = Vector3::Zero();  ///< m, at the end, in the first reference's axes
  double largest = 0;                      ///< m, over all steps
  double largest_time = 0;                 ///< s
  double limit = 0;                        ///< m: beyond it the body counts as dropped
  std::optional<double> dropped_at;        ///< s

  /// Distance at the end [m].
  double end() const { return displacement.norm(); }
};

/// One point of the traces. It stands for all steps since the one before: drift is the largest of them.
struct CompareSample {
  double time = 0;                    ///< s, of its last step
  double energy = 0;                  ///< J, kinetic and potential
  double penetration = 0;             ///< m, deepest overlap by the geometry alone
  std::vector<double> drift;          ///< m, one per pair
  std::vector<Vector3> displacement;  ///< m, one per pair, of its last step
};

/// What one method did to the scene.
struct MethodRun {
  std::string method, solver;
  std::string integrator;                   ///< how positions follow from velocities
  bool started = false;                     ///< false: the method cannot take the scene, and summary.failure says why
  RunSummary summary;                       ///< its wall_seconds are those of the steps alone, without measuring
  std::optional<double> failed_at;          ///< s: when a step could not be solved
  double penetration = 0;                   ///< m, deepest overlap seen
  double energy_start = 0, energy_end = 0;  ///< J
  double energy_gain = 0;                   ///< J, largest rise above the start
  std::vector<PairDrift> drifts;
  std::vector<CompareSample> samples;  ///< from the start on

  /// Wall time of a step [s].
  double seconds_per_step() const;
  /// All steps were taken.
  bool completed() const { return started && summary.ok; }
  /// The first time at which a pair was dropped.
  std::optional<double> dropped_at() const;
  /// Fallbacks of all names together.
  long fallback_count() const;
};

/// Told what was done so far: the method that moved on and the share of all steps that are behind. Never called by two
/// threads at once.
using CompareProgress = std::function<void(std::string_view method, double fraction)>;

/// Runs the scene to settings.duration under settings.method; a solver that the method has no use for gives way to
/// `auto`.
MethodRun measure_method(const BuiltModel& built, const SimulationSettings& settings, const CompareOptions& options,
                         const std::function<void()>& after_step = {});

/// The same under each of `methods`, `threads` of them at once, each on one thread; results stand in the order of
/// `methods` and do not depend on `threads`, times apart.
std::vector<MethodRun> compare_methods(const BuiltModel& built, const SimulationSettings& settings,
                                       const std::vector<std::string>& methods, const CompareOptions& options,
                                       int threads = 1, const CompareProgress& progress = {});

}  // namespace stiction
