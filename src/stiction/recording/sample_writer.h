// Writes samples to an HDF5 file, row by row. docs/recording.md gives the layout.
#pragma once

#include <memory>
#include <string>

#include "stiction/recording/sample.h"

namespace stiction::recording {

/// The number that readers compare; it changes when an existing dataset changes its name, shape or meaning.
inline constexpr int recording_format_version = 1;

/// Options of a recording.
struct RecorderOptions {
  int every = 1;         ///< steps from row to row, >= 1
  int compression = 1;   ///< deflate level, 0 (none) .. 9
  int batch_rows = 256;  ///< rows that wait in memory before they are written, >= 1
};

/// Writes PATH.part and moves it to PATH when closed: a reader of PATH never sees half a recording. Movable.
class SampleWriter {
 public:
  /// Creates the file and everything that does not grow.
  static Result<SampleWriter> create(const std::string& path, const RecordingLayout& layout,
                                     const RecorderOptions& options = {});
  SampleWriter(SampleWriter&&) noexcept;
  SampleWriter& operator=(SampleWriter&&) noexcept;
  ~SampleWriter();  ///< discards a file that was not closed

  /// Adds a row; every `batch_rows` rows the waiting ones are written.
  Result<void> append(const Sample& sample);
  /// Writes what waits and moves the file to its place.
  Result<void> close();
  /// Removes what was written.
  void discard();
  /// False once closed or discarded.
  bool is_open() const { return implementation_ != nullptr; }
  /// Rows appended so far.
  long rows() const;

 private:
  struct Implementation;
  explicit SampleWriter(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace stiction::recording
