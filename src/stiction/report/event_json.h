// Events of event-driven motion as a file of JSON, one object a line: what `stiction run --events` writes.
// docs/recording.md has its keys.
#pragma once

#include <fstream>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "stiction/io/output_file.h"
#include "stiction/simulation/run.h"

namespace stiction::report {

/// Whom an event is about: "ground, ball", "joint elbow", or nothing.
std::string event_subject(const Model& model, const Event& event);

/// The object "events" of `run --json`.
nlohmann::ordered_json event_summary_json(const EventSummary& summary);

/// Event `index` of a step. `impacts_before` is the number of impacts of all steps before: they are numbered through
/// the run. The outcomes of an impact are in its first event.
nlohmann::ordered_json event_json(const Model& model, const StepEvents& step, size_t index, long impacts_before);

/// Writes events step by step; the file appears when it is finished.
class EventFile {
 public:
  /// Checks that the file can be written.
  static Result<EventFile> create(const std::string& path);

  /// Call after each step that was taken.
  Result<void> append(const Simulation& simulation);

  /// Moves the file to its place.
  Result<void> finish();

 private:
  EventFile(OutputFile file, std::ofstream stream) : file_(std::move(file)), stream_(std::move(stream)) {}
  Error not_whole() const;

  OutputFile file_;
  std::ofstream stream_;
  long impacts_ = 0;
};

}  // namespace stiction::report
