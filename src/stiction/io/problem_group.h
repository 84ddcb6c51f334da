// A group of an HDF5 problem file: arrays and sparse matrices read with every check, each failure an Error that names
// file, dataset and remedy.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/io/hdf5.h"
#include "stiction/problem/friction_matrix.h"

namespace stiction {

/// Reads from one group. The first failure is kept in error(); what is read after it is empty.
class GroupReader {
 public:
  /// `group` like "/fclib_local".
  GroupReader(hid_t file, std::string path, std::string group)
      : file_(file), path_(std::move(path)), group_(std::move(group)) {}

  bool has(const std::string& name) const { return hdf5::exists(file_, group_ + "/" + name); }
  /// The whole number in a dataset of one value.
  int integer(const std::string& name);
  std::vector<int> integers(const std::string& name, std::optional<size_t> count = {});
  /// Finite numbers.
  std::vector<double> numbers(const std::string& name, std::optional<size_t> count = {});
  /// A matrix in FCLIB's storage (compressed rows, compressed columns or triplets; repeated entries add up).
  SparseRows matrix(const std::string& name);
  /// Empty where it is missing.
  std::string text(const std::string& name) const;

  /// Records a failure about a dataset of this group.
  void fail(const std::string& name, std::string what, std::string remedy);
  const std::optional<Error>& error() const { return error_; }

 private:
  using Entries = std::vector<Eigen::Triplet<double>>;
  Entries compressed_entries(const std::string& name, int outer, bool by_rows);
  Entries triplet_entries(const std::string& name, int count);
  void check_entries(const std::string& name, const Entries& entries, int rows, int columns);
  void check_size(const std::string& name, size_t size, std::optional<size_t> wanted);

  hid_t file_;
  std::string path_;
  std::string group_;
  std::optional<Error> error_;
};

/// Writes `matrix` as group `name` of `parent` in compressed rows.
bool write_matrix(hid_t parent, const char* name, const SparseRows& matrix);

}  // namespace stiction
