// What recordings and problem files need of HDF5: handles that close themselves, growing columns, reads by row.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace stiction::hdf5 {

/// Owns an HDF5 identifier; negative means that the call that made it failed. Movable.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept;
  ~Handle() { reset(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes now; false when closing failed (data could not be written).
  bool reset();

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Keeps HDF5 from printing its own stack of errors while in scope: every failure is returned as an Error instead.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// A new file at `path`, replacing what is there; no time stamps, so equal runs give equal bytes.
Handle create_file(const std::string& path);
/// An existing file, read only.
Handle open_file(const std::string& path);
/// A new group.
Handle create_group(hid_t parent, const char* name);

/// Attributes: text, number, whole number.
bool write_attribute(hid_t object, const char* name, const std::string& value);
bool write_attribute(hid_t object, const char* name, double value);
bool write_attribute(hid_t object, const char* name, std::int64_t value);
bool read_attribute(hid_t object, const char* name, std::string& value);
bool read_attribute(hid_t object, const char* name, double& value);
bool read_attribute(hid_t object, const char* name, std::int64_t& value);

/// A one-dimensional array of UTF-8 strings.
bool write_strings(hid_t parent, const char* name, const std::vector<std::string>& values);
bool read_strings(hid_t parent, const char* name, std::vector<std::string>& values);
/// One-dimensional arrays of whole numbers and of numbers. Reading fails where the dataset is missing, is not of that
/// kind (whole numbers pass as numbers) or holds nothing on disk.
bool write_integers(hid_t parent, const char* name, const std::vector<int>& values);
bool write_numbers(hid_t parent, const char* name, std::span<const double> values);
bool read_integers(hid_t parent, const char* name, std::vector<int>& values);
bool read_numbers(hid_t parent, const char* name, std::vector<double>& values);
/// One text, stored with its length as C programs do.
bool write_text(hid_t parent, const char* name, const std::string& text);
bool read_text(hid_t parent, const char* name, std::string& text);
/// Is there a dataset or group of this name, every group on the way to it included?
bool exists(hid_t parent, const std::string& path);
/// An existing group.
Handle open_group(hid_t parent, const char* name);

/// The HDF5 type of a number in memory.
template <class T>
hid_t native_type();

/// How a column is stored.
struct ColumnOptions {
  std::vector<hsize_t> row_shape = {};  ///< empty: one number per row
  const char* unit = "";                ///< attribute `unit`; "1" for numbers without one
  const char* description = "";         ///< attribute `description`
  hsize_t chunk_rows = 256;             ///< rows of a chunk, the unit that HDF5 reads, writes and compresses
  int compression = 0;                  ///< deflate level, 0..9
};

/// A dataset that grows by rows. Rows wait in memory until flush().
class Column {
 public:
  /// Creates the dataset; its failure shows in ok().
  template <class T>
  static Column create(hid_t parent, const char* name, const ColumnOptions& options) {
    return Column(parent, name, native_type<T>(), sizeof(T), options);
  }
  Column() = default;

  bool ok() const { return static_cast<bool>(dataset_); }
  /// Adds numbers; a row is complete when row-width many have come.
  template <class T>
  void push(const T* values, size_t count) {
    const auto* bytes = reinterpret_cast<const std::byte*>(values);
    buffer_.insert(buffer_.end(), bytes, bytes + count * sizeof(T));
  }
  template <class T>
  void push(const T& value) {
    push(&value, 1);
  }
  /// A row of no numbers, for columns of width zero.
  void push_empty_row() { ++empty_rows_; }
  /// Writes the waiting rows; false when the disk refuses.
  bool flush();
  /// Bytes waiting.
  size_t waiting() const { return buffer_.size(); }

 private:
  Column(hid_t parent, const char* name, hid_t type, size_t item_size, const ColumnOptions& options);

  Handle dataset_;
  hid_t type_ = -1;
  size_t row_bytes_ = 0;
  std::vector<hsize_t> size_;  // of the dataset on disk
  hsize_t empty_rows_ = 0;
  std::vector<std::byte> buffer_;
};

/// Opens a dataset and checks its shape: `row_shape` after the first dimension. Sets `rows`. Negative on failure.
Handle open_rows(hid_t parent, const char* name, const std::vector<hsize_t>& row_shape, hsize_t& rows);

/// Reads rows [first, first + count) of a dataset into memory that holds them.
bool read_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t type, void* values);

}  // namespace stiction::hdf5
