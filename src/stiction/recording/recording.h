// Reads a recording back: for replay, plots and tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stiction/recording/sample.h"

namespace stiction::recording {

/// An open recording. Times are in memory; rows are read when asked for. Movable.
class Recording {
 public:
  /// Opens a file that Recorder wrote; an Error names what is wrong with it.
  static Result<Recording> open(const std::string& path);
  Recording(Recording&&) noexcept;
  Recording& operator=(Recording&&) noexcept;
  ~Recording();

  /// Rows, the initial state included.
  long rows() const { return static_cast<long>(times_.size()); }
  /// Time of each row [s], ascending.
  const std::vector<double>& times() const { return times_; }
  /// What does not change from row to row (JointLayout::source is not stored).
  const RecordingLayout& layout() const { return layout_; }
  /// Version of the program that wrote it.
  const std::string& stiction_version() const { return stiction_version_; }
  /// The last row at or before `time`; the first row for earlier times.
  long row_at(double time) const;

  /// Reads one row into `sample`, which keeps its capacity.
  Result<void> read(long row, Sample& sample) const;

 private:
  struct Datasets;
  Recording();
  Result<void> open_datasets(std::uint64_t contacts);
  bool read_contacts(long row, std::vector<ContactReport>& contacts) const;

  std::string path_;
  std::string stiction_version_;
  RecordingLayout layout_;
  std::vector<double> times_;
  std::vector<std::int64_t> contact_offset_;
  std::unique_ptr<Datasets> datasets_;
};

}  // namespace stiction::recording
