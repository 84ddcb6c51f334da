// Records a simulation to an HDF5 file while it runs.
#pragma once

#include <string>

#include "stiction/recording/sample_writer.h"

namespace stiction::recording {

/// Row 0 is the state at create(), without contacts; then a row every `options.every` steps. Memory is bounded by a
/// batch of rows, however long the run. The file is PATH.part until finish() or the destructor moves it to PATH.
class Recorder {
 public:
  /// Creates the file and records the current state; `scene` is the name kept in /meta.
  static Result<Recorder> create(const std::string& path, Simulation& simulation, const std::string& scene,
                                 const RecorderOptions& options = {});
  Recorder(Recorder&&) noexcept = default;
  Recorder& operator=(Recorder&&) noexcept = default;
  ~Recorder();  ///< keeps what was appended; a recording without any step is removed

  /// Call after each step that was taken.
  Result<void> append(Simulation& simulation, const StepOutcome& outcome);
  /// Adds the last steps if they fill no whole row, and moves the file to its place; also after a step that failed.
  Result<void> finish(Simulation& simulation);
  /// Removes what was written.
  void discard() { writer_.discard(); }
  /// Rows so far.
  long rows() const { return writer_.rows(); }

 private:
  Recorder(SampleWriter writer, JointLayout joints, int every)
      : writer_(std::move(writer)), joints_(std::move(joints)), every_(every) {}
  Result<void> append_row(Simulation& simulation);

  SampleWriter writer_;
  JointLayout joints_;
  int every_ = 1;
  int steps_in_row_ = 0;
  Sample sample_;
};

}  // namespace stiction::recording
