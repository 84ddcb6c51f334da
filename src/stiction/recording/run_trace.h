// What a run did over time, thinned out as it grows: the data of a report's plots.
#pragma once

#include <string>
#include <vector>

#include "stiction/events/events.h"
#include "stiction/recording/sample.h"

namespace stiction::recording {

/// One sample stands for all steps since the one before: counts and certificate are the worst of them.
struct TraceSample {
  double time = 0;  ///< s, of its last step
  Energies energies;
  int contacts = 0;
  int iterations = 0;
  certify::StepCertificate certificate;
};

/// An event, and how many outcomes its impact had.
struct TracedEvent {
  Event event;
  int outcomes = 0;
};

/// Collects at most `capacity` samples of a run of any length: when full, neighbours are merged in pairs, and from then
/// on each sample stands for twice as many steps.
class RunTrace {
 public:
  static constexpr size_t default_capacity = 2000;
  static constexpr size_t max_events = 200;

  /// Starts from the current state. At least two samples.
  explicit RunTrace(Simulation& simulation, size_t capacity = default_capacity);

  /// Call after each step that was taken.
  void append(Simulation& simulation, const StepOutcome& outcome);

  const std::vector<TraceSample>& samples() const { return samples_; }
  /// Height of the simulated bodies that are traced [m]: rows as samples, columns as body_names().
  const std::vector<std::vector<double>>& heights() const { return heights_; }
  /// The first bodies that are simulated, as many as a plot can tell apart.
  const std::vector<std::string>& body_names() const { return body_names_; }
  /// Simulated bodies whose height is not traced.
  int bodies_left_out() const { return bodies_left_out_; }
  /// The first events, up to max_events, of method event-driven.
  const std::vector<TracedEvent>& events() const { return events_; }
  /// Steps that a full sample stands for.
  long steps_per_sample() const { return steps_per_sample_; }

 private:
  void observe(Simulation& simulation, TraceSample& sample, std::vector<double>& heights) const;
  void halve();
  void keep_events(const StepEvents& step);

  size_t capacity_;
  std::vector<int> bodies_;
  std::vector<std::string> body_names_;
  int bodies_left_out_ = 0;
  std::vector<TraceSample> samples_;
  std::vector<std::vector<double>> heights_;
  std::vector<TracedEvent> events_;
  long steps_per_sample_ = 1;
  long steps_in_last_ = 0;  // steps that the last sample stands for so far
};

/// What `later` and `earlier` together say: the later's time and energies, the worst of both otherwise.
TraceSample merge_samples(const TraceSample& earlier, const TraceSample& later);

}  // namespace stiction::recording
