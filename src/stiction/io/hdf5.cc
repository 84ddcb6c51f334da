#include "stiction/io/hdf5.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stiction::hdf5 {

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
  }
  return *this;
}

bool Handle::reset() {
  const hid_t id = std::exchange(id_, -1);
  return id < 0 || close_(id) >= 0;
}

QuietErrors::QuietErrors() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

Handle create_file(const std::string& path) {
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose};
}

Handle open_file(const std::string& path) {
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
}

Handle create_group(hid_t parent, const char* name) {
  return {H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

namespace {

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (type) {
    H5Tset_size(type.get(), H5T_VARIABLE);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
  }
  return type;
}

bool write_attribute_value(hid_t object, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type, value) >= 0;
}

bool read_attribute_value(hid_t object, const char* name, hid_t type, void* value) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  return attribute && H5Aread(attribute.get(), type, value) >= 0;
}

// Datasets without time stamps.
Handle dataset_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (properties) H5Pset_obj_track_times(properties.get(), false);
  return properties;
}

bool write_array(hid_t parent, const char* name, hid_t type, hsize_t count, const void* values) {
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle properties = dataset_properties();
  const Handle dataset(H5Dcreate2(parent, name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                       H5Dclose);
  return dataset && (count == 0 || H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
}

// Is the dataset of numbers (whole ones unless `any_number`), with values on disk for all its `count`?
bool holds_numbers(hid_t dataset, bool any_number, hsize_t count) {
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  if (kind != H5T_INTEGER && !(any_number && kind == H5T_FLOAT)) return false;
  return count == 0 || H5Dget_storage_size(dataset) > 0;
}

template <class T>
bool read_array(hid_t parent, const char* name, hid_t type, bool any_number, std::vector<T>& values) {
  hsize_t count = 0;
  const Handle dataset = open_rows(parent, name, {}, count);
  if (!dataset || !holds_numbers(dataset.get(), any_number, count)) return false;
  values.resize(count);
  return read_rows(dataset.get(), 0, count, type, values.data());
}

}  // namespace

bool write_attribute(hid_t object, const char* name, const std::string& value) {
  const char* text = value.c_str();
  return write_attribute_value(object, name, text_type().get(), &text);
}

bool write_attribute(hid_t object, const char* name, double value) {
  return write_attribute_value(object, name, H5T_NATIVE_DOUBLE, &value);
}

bool write_attribute(hid_t object, const char* name, std::int64_t value) {
  return write_attribute_value(object, name, H5T_NATIVE_INT64, &value);
}

bool read_attribute(hid_t object, const char* name, std::string& value) {
  char* text = nullptr;
  if (!read_attribute_value(object, name, text_type().get(), &text) || text == nullptr) return false;
  value = text;
  H5free_memory(text);
  return true;
}

bool read_attribute(hid_t object, const char* name, double& value) {
  return read_attribute_value(object, name, H5T_NATIVE_DOUBLE, &value);
}

bool read_attribute(hid_t object, const char* name, std::int64_t& value) {
  return read_attribute_value(object, name, H5T_NATIVE_INT64, &value);
}

bool write_strings(hid_t parent, const char* name, const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  return write_array(parent, name, text_type().get(), texts.size(), texts.data());
}

bool read_strings(hid_t parent, const char* name, std::vector<std::string>& values) {
  hsize_t count = 0;
  const Handle dataset = open_rows(parent, name, {}, count);
  if (!dataset) return false;
  std::vector<char*> texts(count, nullptr);
  const Handle type = text_type();
  if (count > 0 && H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) < 0) return false;
  values.clear();
  for (char* text : texts) {
    values.emplace_back(text == nullptr ? "" : text);
    H5free_memory(text);
  }
  return true;
}

bool write_integers(hid_t parent, const char* name, const std::vector<int>& values) {
  return write_array(parent, name, H5T_NATIVE_INT, values.size(), values.data());
}

bool write_numbers(hid_t parent, const char* name, std::span<const double> values) {
  return write_array(parent, name, H5T_NATIVE_DOUBLE, values.size(), values.data());
}

bool read_integers(hid_t parent, const char* name, std::vector<int>& values) {
  return read_array(parent, name, H5T_NATIVE_INT, false, values);
}

bool read_numbers(hid_t parent, const char* name, std::vector<double>& values) {
  return read_array(parent, name, H5T_NATIVE_DOUBLE, true, values);
}

bool write_text(hid_t parent, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle properties = dataset_properties();
  const Handle dataset(H5Dcreate2(parent, name, type.get(), space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                       H5Dclose);
  return dataset && H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) >= 0;
}

bool read_text(hid_t parent, const char* name, std::string& text) {
  const Handle dataset(H5Dopen2(parent, name, H5P_DEFAULT), H5Dclose);
  if (!dataset) return false;
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) return false;
  if (H5Sget_simple_extent_npoints(space.get()) != 1) return false;
  std::string buffer(H5Tget_size(type.get()), '\0');
  if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0) return false;
  text = buffer.c_str();
  return true;
}

bool exists(hid_t parent, const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    if (H5Lexists(parent, path.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) return true;
  }
}

Handle open_group(hid_t parent, const char* name) {
  return {H5Gopen2(parent, name, H5P_DEFAULT), H5Gclose};
}

template <>
hid_t native_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
hid_t native_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
hid_t native_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
hid_t native_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
hid_t native_type<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}

Column::Column(hid_t parent, const char* name, hid_t type, size_t item_size, const ColumnOptions& options)
    : type_(type), size_{0} {
  size_.insert(size_.end(), options.row_shape.begin(), options.row_shape.end());
  std::vector<hsize_t> largest = size_, chunk = size_;
  largest[0] = H5S_UNLIMITED;
  chunk[0] = options.chunk_rows;
  row_bytes_ = item_size;
  for (size_t d = 1; d < size_.size(); ++d) {
    row_bytes_ *= size_[d];
    if (size_[d] == 0) largest[d] = H5S_UNLIMITED, chunk[d] = 1;  // HDF5 has no chunk of width zero
  }
  const Handle space(H5Screate_simple(static_cast<int>(size_.size()), size_.data(), largest.data()), H5Sclose);
  const Handle properties = dataset_properties();
  H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
  if (options.compression > 0) {
    H5Pset_shuffle(properties.get());
    H5Pset_deflate(properties.get(), options.compression);
  }
  dataset_ = Handle(H5Dcreate2(parent, name, type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Dclose);
  if (!dataset_) return;
  write_attribute(dataset_.get(), "unit", options.unit);
  write_attribute(dataset_.get(), "description", options.description);
}

bool Column::flush() {
  const hsize_t rows = row_bytes_ == 0 ? empty_rows_ : buffer_.size() / row_bytes_;
  if (rows == 0) return true;
  std::vector<hsize_t> start(size_.size(), 0), count = size_;
  start[0] = size_[0];
  count[0] = rows;
  size_[0] += rows;
  if (H5Dset_extent(dataset_.get(), size_.data()) < 0) return false;
  if (row_bytes_ > 0) {
    const Handle target(H5Dget_space(dataset_.get()), H5Sclose);
    const Handle source(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dwrite(dataset_.get(), type_, source.get(), target.get(), H5P_DEFAULT, buffer_.data()) < 0) {
      return false;
    }
  }
  buffer_.clear();
  empty_rows_ = 0;
  return true;
}

Handle open_rows(hid_t parent, const char* name, const std::vector<hsize_t>& row_shape, hsize_t& rows) {
  Handle dataset(H5Dopen2(parent, name, H5P_DEFAULT), H5Dclose);
  if (!dataset) return {};
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.get());
  if (rank != static_cast<int>(row_shape.size()) + 1) return {};
  std::vector<hsize_t> size(rank);
  H5Sget_simple_extent_dims(space.get(), size.data(), nullptr);
  if (!std::equal(row_shape.begin(), row_shape.end(), size.begin() + 1)) return {};
  rows = size[0];
  return dataset;
}

bool read_rows(hid_t dataset, hsize_t first, hsize_t count, hid_t type, void* values) {
  const Handle source(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(source.get());
  if (rank < 1) return false;
  std::vector<hsize_t> start(rank, 0), size(rank);
  H5Sget_simple_extent_dims(source.get(), size.data(), nullptr);
  if (first + count > size[0]) return false;
  start[0] = first;
  size[0] = count;
  if (std::find(size.begin(), size.end(), hsize_t{0}) != size.end()) return true;
  const Handle target(H5Screate_simple(rank, size.data(), nullptr), H5Sclose);
  return H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >= 0 &&
         H5Dread(dataset, type, target.get(), source.get(), H5P_DEFAULT, values) >= 0;
}

}  // namespace stiction::hdf5
