#include "stiction/io/problem_group.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

namespace stiction {

void GroupReader::fail(const std::string& name, std::string what, std::string remedy) {
  if (error_) return;
  error_ = Error{.what = std::move(what), .remedy = std::move(remedy), .name = group_ + "/" + name, .file = path_};
}

void GroupReader::check_size(const std::string& name, size_t size, std::optional<size_t> wanted) {
  if (!wanted || size == *wanted) return;
  fail(name, fmt::format("the dataset has {} values instead of {}", size, *wanted),
       "Make the sizes of matrices and vectors agree, or write the file again.");
}

std::vector<int> GroupReader::integers(const std::string& name, std::optional<size_t> count) {
  std::vector<int> values;
  if (error_) return values;
  if (!has(name)) {
    fail(name, "a dataset is missing", "Write the file again; docs/problem-files.md lists what must be there.");
  } else if (!hdf5::read_integers(file_, (group_ + "/" + name).c_str(), values)) {
    fail(name, "this is not an array of whole numbers", "Store a one-dimensional int32 dataset with its values.");
  } else {
    check_size(name, values.size(), count);
  }
  return error_ ? std::vector<int>() : values;
}

std::vector<double> GroupReader::numbers(const std::string& name, std::optional<size_t> count) {
  std::vector<double> values;
  if (error_) return values;
  if (!has(name)) {
    fail(name, "a dataset is missing", "Write the file again; docs/problem-files.md lists what must be there.");
  } else if (!hdf5::read_numbers(file_, (group_ + "/" + name).c_str(), values)) {
    fail(name, "this is not an array of numbers", "Store a one-dimensional float64 dataset with its values.");
  } else {
    check_size(name, values.size(), count);
  }
  const auto bad = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  if (bad != values.end()) {
    fail(name, fmt::format("value {} is {}", bad - values.begin(), *bad), "Store finite numbers only.");
  }
  return error_ ? std::vector<double>() : values;
}

int GroupReader::integer(const std::string& name) {
  const std::vector<int> values = integers(name, 1);
  return error_ ? 0 : values.front();
}

std::string GroupReader::text(const std::string& name) const {
  std::string value;
  if (has(name)) hdf5::read_text(file_, (group_ + "/" + name).c_str(), value);
  return value;
}

// nz = -2: p points to the rows, i holds columns; nz = -1: the other way round.
GroupReader::Entries GroupReader::compressed_entries(const std::string& name, int outer, bool by_rows) {
  Entries entries;
  const std::vector<int> p = integers(name + "/p", static_cast<size_t>(outer) + 1);
  const std::vector<int> inner = integers(name + "/i");
  const std::vector<double> x = numbers(name + "/x");
  if (error_) return entries;
  const auto stored = static_cast<int>(std::min(inner.size(), x.size()));
  if (p.front() != 0 || !std::is_sorted(p.begin(), p.end()) || p.back() > stored) {
    fail(name + "/p", fmt::format("the pointers do not ascend from 0 to at most the {} entries stored", stored),
         "Pointers are 0-based and one more than rows (nz = -2) or columns (nz = -1).");
    return entries;
  }
  entries.reserve(p.back());
  for (int k = 0; k < outer; ++k) {
    for (int e = p[k]; e < p[k + 1]; ++e) {
      entries.emplace_back(by_rows ? k : inner[e], by_rows ? inner[e] : k, x[e]);
    }
  }
  return entries;
}

// nz >= 0, as CSparse and the collection's files have it: p holds columns, i rows.
GroupReader::Entries GroupReader::triplet_entries(const std::string& name, int count) {
  Entries entries;
  const std::vector<int> columns = integers(name + "/p");
  const std::vector<int> rows = integers(name + "/i");
  const std::vector<double> x = numbers(name + "/x");
  if (error_) return entries;
  if (std::min({columns.size(), rows.size(), x.size()}) < static_cast<size_t>(count)) {
    fail(name + "/nz", fmt::format("the matrix announces {} triplets but p, i and x do not hold as many", count),
         "Store as many columns (p), rows (i) and values (x) as nz says.");
    return entries;
  }
  entries.reserve(count);
  for (int e = 0; e < count; ++e) entries.emplace_back(rows[e], columns[e], x[e]);
  return entries;
}

void GroupReader::check_entries(const std::string& name, const Entries& entries, int rows, int columns) {
  for (const auto& entry : entries) {
    if (entry.row() >= 0 && entry.row() < rows && entry.col() >= 0 && entry.col() < columns) continue;
    fail(name + "/i",
         fmt::format("an entry at row {}, column {} lies outside the {} x {} matrix", entry.row(), entry.col(), rows,
                     columns),
         "Indices are 0-based; check nz: -2 compressed rows, -1 compressed columns, otherwise triplets.");
    return;
  }
}

SparseRows GroupReader::matrix(const std::string& name) {
  const int rows = integer(name + "/m");
  const int columns = integer(name + "/n");
  const int kind = integer(name + "/nz");
  if (!error_ && (rows < 0 || columns < 0)) fail(name, "the matrix has a negative size", "Correct m and n.");
  if (!error_ && kind < -2) {
    fail(name + "/nz", fmt::format("storage kind {} is not known", kind),
         "Use -2 (compressed rows), -1 (compressed columns) or the number of triplets.");
  }
  if (error_) return {};
  const Entries entries = kind == -2   ? compressed_entries(name, rows, true)
                          : kind == -1 ? compressed_entries(name, columns, false)
                                       : triplet_entries(name, kind);
  check_entries(name, entries, rows, columns);
  if (error_) return {};
  SparseRows matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

bool write_matrix(hid_t parent, const char* name, const SparseRows& matrix) {
  SparseRows packed = matrix;
  packed.makeCompressed();
  const auto count = static_cast<int>(packed.nonZeros());
  const std::vector<int> p(packed.outerIndexPtr(), packed.outerIndexPtr() + packed.rows() + 1);
  const std::vector<int> i(packed.innerIndexPtr(), packed.innerIndexPtr() + count);
  const hdf5::Handle group = hdf5::create_group(parent, name);
  return group && hdf5::write_integers(group.get(), "nzmax", {count}) &&
         hdf5::write_integers(group.get(), "m", {static_cast<int>(packed.rows())}) &&
         hdf5::write_integers(group.get(), "n", {static_cast<int>(packed.cols())}) &&
         hdf5::write_integers(group.get(), "nz", {-2}) && hdf5::write_integers(group.get(), "p", p) &&
         hdf5::write_integers(group.get(), "i", i) &&
         hdf5::write_numbers(group.get(), "x", std::span(packed.valuePtr(), static_cast<size_t>(count)));
}

}  // namespace stiction
