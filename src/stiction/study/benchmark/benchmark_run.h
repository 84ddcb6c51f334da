// Runs the scenes of benchmark_scenes.h on an engine: times its steps, and measures the motion from outside.
//
// Time is CPU time of the process over stepping alone; what reading the clock costs is taken off. The first tenth of
// the steps of each motion is not timed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/base/infinity.h"
#include "stiction/methods/accuracy.h"
#include "stiction/study/benchmark/benchmark_meters.h"

namespace stiction {

/// One scene in one engine.
class BenchmarkWorld {
 public:
  virtual ~BenchmarkWorld() = default;
  /// Advances by one step. Returns why it could not; empty: it could.
  virtual std::string advance() = 0;
  /// Writes poses and velocities of the bodies that move, in the model's order.
  virtual void read(std::vector<BodyMotion>& bodies) = 0;
  /// What the engine complained of so far, one clause; empty: nothing.
  virtual std::string complaints() const { return {}; }
  /// Worst certificate value of the steps so far, where there is a certificate.
  virtual std::optional<double> certificate() const { return std::nullopt; }
};

/// Makes the world of a model with a step; the Error says why it cannot.
using MakeBenchmarkWorld = std::function<Result<std::unique_ptr<BenchmarkWorld>>(const BuiltModel& built, double step)>;

/// An engine with its settings, as tables name it.
struct BenchmarkEngine {
  std::string name;     ///< "stiction", "ode"
  std::string setting;  ///< "exact", "quickstep"
  MakeBenchmarkWorld make;
};

/// Ours, with method exact-cone.
BenchmarkEngine benchmark_engine(methods::Accuracy accuracy);

/// What came out of a scene with one step, on one engine. Where it has several motions, the worst of them.
struct BenchmarkResult {
  std::string scene = {}, engine = {}, setting = {};
  double step = 0;                               ///< s
  long steps = 0;                                ///< taken, of all motions together
  bool completed = true;                         ///< all steps were taken
  std::string note = {};                         ///< why not, and what the engine complained of
  double time_per_step = 0;                      ///< s, mean
  std::optional<double> time_per_step_end = {};  ///< s, over the last simulated second, where the scene asks for it
  std::optional<double> certificate = {};        ///< worst value: normal, friction, cone, momentum
  std::vector<BenchmarkFigure> figures = {};     ///< empty unless completed
};

/// Told the share of the steps that is behind.
using BenchmarkProgress = std::function<void(double fraction)>;

/// Runs every motion of the scene. One that takes more than `longest_seconds` of CPU time is ended, and the note says
/// so.
BenchmarkResult measure_benchmark(const BenchmarkScene& scene, double step, const BenchmarkEngine& engine,
                                  double longest_seconds = infinity, const BenchmarkProgress& progress = {});

}  // namespace stiction
