// What is measured of a benchmark's motion, from poses and velocities of bodies alone: the same code for every engine,
// which is asked for nothing else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiction/contact/contact_set.h"
#include "stiction/study/benchmark/benchmark_scenes.h"

namespace stiction {

/// Where a body is and how it moves.
struct BodyMotion {
  Pose X_WB;       ///< of the body's frame
  Twist velocity;  ///< of the centre of mass, world axes
};

/// Poses and velocities of all bodies of a model, in its order.
std::vector<BodyMotion> body_motions(const Kinematics& kinematics);

/// One figure; all are errors or excesses, so that zero is best.
struct BenchmarkFigure {
  std::string name, unit;
  double value = 0;
};

/// Deepest overlap of bodies by our own geometry.
class OverlapMeter {
 public:
  explicit OverlapMeter(const Model& model);
  /// m; 0 where nothing overlaps.
  double measure(const std::vector<BodyMotion>& bodies);

 private:
  const Model& model_;
  Kinematics kinematics_;
  contact::DetectionWorkspace detection_;
  std::vector<contact::Contact> contacts_;
};

/// Watches one motion.
class BenchmarkMeter {
 public:
  virtual ~BenchmarkMeter() = default;
  /// Called after every step with the time that was reached.
  virtual void observe(double time, const std::vector<BodyMotion>& bodies) = 0;
  /// What came out, the main figure first; values are not finite where something was never reached.
  virtual std::vector<BenchmarkFigure> figures() const = 0;
};

/// The meter of a motion; `model` is the one built from it, `start` its bodies at time zero.
std::unique_ptr<BenchmarkMeter> make_benchmark_meter(const BenchmarkMotion& motion, double duration, const Model& model,
                                                     const std::vector<BodyMotion>& start);

}  // namespace stiction
