#include "stiction/recording/run_trace.h"

#include <algorithm>

namespace stiction::recording {

namespace {

constexpr size_t max_traced_bodies = 8;  // colours of the palette

}  // namespace

TraceSample merge_samples(const TraceSample& earlier, const TraceSample& later) {
  TraceSample merged = later;
  merged.contacts = std::max(earlier.contacts, later.contacts);
  merged.iterations = std::max(earlier.iterations, later.iterations);
  merged.certificate.merge(earlier.certificate);
  return merged;
}

RunTrace::RunTrace(Simulation& simulation, size_t capacity) : capacity_(std::max<size_t>(2, capacity)) {
  const std::vector<Body>& bodies = simulation.model().bodies;
  for (size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].kind != BodyKind::simulated) continue;
    if (bodies_.size() < max_traced_bodies) {
      bodies_.push_back(static_cast<int>(b));
      body_names_.push_back(bodies[b].name);
    } else {
      ++bodies_left_out_;
    }
  }
  samples_.emplace_back();
  heights_.emplace_back();
  observe(simulation, samples_.back(), heights_.back());
  steps_in_last_ = steps_per_sample_;  // the initial state stands alone
}

void RunTrace::observe(Simulation& simulation, TraceSample& sample, std::vector<double>& heights) const {
  sample.time = simulation.state().time;
  sample.energies = simulation.energies();
  heights.clear();
  for (const int b : bodies_) heights.push_back(simulation.kinematics().X_WB[b].p.z());
}

void RunTrace::keep_events(const StepEvents& step) {
  for (const Event& event : step.events) {
    if (events_.size() == max_events) return;
    const int outcomes = event.impact < 0 ? 0 : static_cast<int>(step.impacts[event.impact].result.outcomes.size());
    events_.push_back({event, outcomes});
  }
}

void RunTrace::append(Simulation& simulation, const StepOutcome& outcome) {
  if (const StepEvents* events = simulation.step_events()) keep_events(*events);
  TraceSample sample;
  sample.contacts = static_cast<int>(simulation.last_step().contacts.size());
  sample.iterations = outcome.iterations;
  sample.certificate = simulation.last_step().certificate;
  if (steps_in_last_ == steps_per_sample_ && samples_.size() == capacity_) halve();
  if (steps_in_last_ < steps_per_sample_) {
    ++steps_in_last_;
    sample = merge_samples(samples_.back(), sample);
  } else {
    samples_.emplace_back();
    heights_.emplace_back();
    steps_in_last_ = 1;
  }
  observe(simulation, sample, heights_.back());
  samples_.back() = sample;
}

// The initial state stays; after it, samples are merged in pairs, the later of each lending time and energies. A last
// one without a partner is left half full, and the coming steps go on filling it.
void RunTrace::halve() {
  const bool last_alone = samples_.size() % 2 == 0;
  size_t kept = 1;
  for (size_t k = 1; k < samples_.size(); k += 2, ++kept) {
    const size_t last = std::min(k + 1, samples_.size() - 1);
    samples_[kept] = last == k ? samples_[k] : merge_samples(samples_[k], samples_[last]);
    heights_[kept] = heights_[last];
  }
  samples_.resize(kept);
  heights_.resize(kept);
  steps_in_last_ = last_alone ? steps_per_sample_ : 2 * steps_per_sample_;
  steps_per_sample_ *= 2;
}

}  // namespace stiction::recording
