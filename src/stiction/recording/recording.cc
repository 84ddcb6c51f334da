#include "stiction/recording/recording.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "stiction/certify/certificate_values.h"
#include "stiction/io/hdf5.h"
#include "stiction/recording/sample_writer.h"

namespace stiction::recording {

using hdf5::Handle;
using hdf5::native_type;

// Every dataset that read() takes rows from: opened once, so that HDF5 keeps their chunks in memory.
struct Recording::Datasets {
  Handle file;
  Handle step, position, quaternion, linear_velocity, angular_velocity, joint_position, joint_velocity;
  Handle kinetic, potential;
  std::array<Handle, certify::certificate_values.size()> certificate;  // none: not in this recording
  Handle iterations, islands, warm_started, fallbacks, passes;
  struct Contacts {
    Handle bodies, key, point, normal, gap, force, moment, slip, state;
  } contacts;
};

namespace {

// The one dataset that recordings of this format did not always have.
constexpr std::string_view added_later = "/certificate/limit_violation";

Error not_a_recording(const std::string& path, const std::string& what, const std::string& name = {}) {
  return {.what = what,
          .remedy = "Give a file that 'stiction run SCENE --record FILE' wrote to its end.",
          .name = name,
          .file = path};
}

// Opens datasets of a known shape and length, and remembers the first that is missing or of another shape.
struct Opener {
  hid_t file;
  hsize_t rows;
  std::string missing = {};

  Handle operator()(const char* name, const std::vector<hsize_t>& shape = {}) {
    hsize_t found = 0;
    Handle dataset = hdf5::open_rows(file, name, shape, found);
    if ((!dataset || found != rows) && missing.empty()) missing = name;
    return dataset;
  }
};

template <class T>
bool read_all(hid_t file, const char* name, std::vector<T>& values) {
  hsize_t rows = 0;
  const Handle dataset = hdf5::open_rows(file, name, {}, rows);
  values.resize(dataset ? rows : 0);
  return dataset && hdf5::read_rows(dataset.get(), 0, rows, native_type<T>(), values.data());
}

// True when `offsets` gives `count` owners their slices.
template <class T>
bool splits(const std::vector<T>& offsets, size_t count) {
  return offsets.size() == count + 1 && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end());
}

bool read_constants(hid_t file, RecordingLayout& layout, std::string& version) {
  const Handle meta(H5Gopen2(file, "meta", H5P_DEFAULT), H5Gclose);
  std::int64_t every = 1;
  using hdf5::read_attribute;
  const bool ok =
      meta && read_attribute(meta.get(), "stiction_version", version) &&
      read_attribute(meta.get(), "scene", layout.scene) && read_attribute(meta.get(), "method", layout.method) &&
      read_attribute(meta.get(), "solver", layout.solver) && read_attribute(meta.get(), "step", layout.step) &&
      read_attribute(meta.get(), "every", every) && hdf5::read_strings(file, "/names/bodies", layout.body_names) &&
      hdf5::read_strings(file, "/names/joints", layout.joints.names) &&
      hdf5::read_strings(file, "/joints/type", layout.joints.types) &&
      read_all(file, "/joints/position_offset", layout.joints.position_offset) &&
      read_all(file, "/joints/velocity_offset", layout.joints.velocity_offset);
  layout.every = static_cast<int>(every);
  return ok && splits(layout.joints.position_offset, layout.joints.names.size()) &&
         splits(layout.joints.velocity_offset, layout.joints.names.size());
}

// One row (or, for contacts, `count` rows) of a dataset.
template <class T>
bool take(const Handle& dataset, hsize_t row, T* values, hsize_t count = 1) {
  return hdf5::read_rows(dataset.get(), row, count, native_type<T>(), values);
}

// A value that the recording does not hold is NaN: nobody measured it.
bool take_certificate(std::span<const Handle> datasets, hsize_t row, certify::StepCertificate& certificate) {
  bool ok = true;
  for (size_t i = 0; i < datasets.size(); ++i) {
    double& value = certificate.*certify::certificate_values[i].member;
    if (datasets[i]) {
      ok = ok && take(datasets[i], row, &value);
    } else {
      value = std::nan("");
    }
  }
  return ok;
}

template <int size>
bool take_bodies(const Handle& dataset, hsize_t row, size_t bodies,
                 std::vector<Eigen::Matrix<double, size, 1>>& values) {
  values.resize(bodies);
  return bodies == 0 || take(dataset, row, values.front().data());
}

}  // namespace

Recording::Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;
Recording::~Recording() = default;

Result<void> Recording::open_datasets(std::uint64_t contacts) {
  const hsize_t bodies = layout_.body_names.size();
  const auto positions = static_cast<hsize_t>(layout_.joints.position_offset.back());
  const auto velocities = static_cast<hsize_t>(layout_.joints.velocity_offset.back());
  Datasets& d = *datasets_;
  Opener open{.file = d.file.get(), .rows = times_.size()};
  d.step = open("/step");
  d.position = open("/bodies/position", {bodies, 3});
  d.quaternion = open("/bodies/quaternion", {bodies, 4});
  d.linear_velocity = open("/bodies/linear_velocity", {bodies, 3});
  d.angular_velocity = open("/bodies/angular_velocity", {bodies, 3});
  d.joint_position = open("/joints/position", {positions});
  d.joint_velocity = open("/joints/velocity", {velocities});
  d.kinetic = open("/energy/kinetic");
  d.potential = open("/energy/potential");
  for (size_t i = 0; i < d.certificate.size(); ++i) {
    const std::string name = std::string("/certificate/") + certify::certificate_values[i].name;
    if (name != added_later || hdf5::exists(d.file.get(), name)) d.certificate[i] = open(name.c_str());
  }
  d.iterations = open("/solver/iterations");
  d.islands = open("/solver/islands");
  d.warm_started = open("/solver/warm_started");
  d.fallbacks = open("/solver/fallbacks");
  d.passes = open("/solver/passes");
  open.rows = contacts;
  d.contacts = {open("/contacts/bodies", {2}), open("/contacts/key"),       open("/contacts/point", {3}),
                open("/contacts/normal", {3}), open("/contacts/gap"),       open("/contacts/force", {3}),
                open("/contacts/moment"),      open("/contacts/slip", {3}), open("/contacts/state")};
  if (open.missing.empty()) return {};
  return failure(not_a_recording(path_, "a dataset is missing or not of the expected shape", open.missing));
}

Result<Recording> Recording::open(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return failure({.what = "no such file", .remedy = "Check the name of the recording.", .file = path});
  }
  const hdf5::QuietErrors quiet;
  Recording recording;
  recording.path_ = path;
  recording.datasets_ = std::make_unique<Datasets>();
  Handle& file = recording.datasets_->file = hdf5::open_file(path);
  if (!file) return failure(not_a_recording(path, "not a readable HDF5 file"));
  std::int64_t version = 0;
  const Handle meta(H5Gopen2(file.get(), "meta", H5P_DEFAULT), H5Gclose);
  if (!meta || !hdf5::read_attribute(meta.get(), "format_version", version)) {
    return failure(not_a_recording(path, "not a recording of stiction"));
  }
  if (version != recording_format_version) {
    return failure(
        {.what = fmt::format("recording has format {}, this program reads {}", version, recording_format_version),
         .remedy = "Record the scene again, or read the file with the version that wrote it.",
         .file = path});
  }
  if (!read_constants(file.get(), recording.layout_, recording.stiction_version_) ||
      !read_all(file.get(), "/time", recording.times_) ||
      !read_all(file.get(), "/contacts/offset", recording.contact_offset_) ||
      !splits(recording.contact_offset_, recording.times_.size())) {
    return failure(not_a_recording(path, "recording is incomplete"));
  }
  const auto contacts = static_cast<std::uint64_t>(recording.contact_offset_.back());
  if (auto opened = recording.open_datasets(contacts); !opened) return failure(opened.error());
  return recording;
}

long Recording::row_at(double time) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  return std::max<long>(0, after - times_.begin() - 1);
}

bool Recording::read_contacts(long row, std::vector<ContactReport>& contacts) const {
  const auto first = static_cast<hsize_t>(contact_offset_[row]);
  const auto count = static_cast<hsize_t>(contact_offset_[row + 1]) - first;
  const auto& d = datasets_->contacts;
  std::vector<std::int32_t> bodies(2 * count);
  std::vector<std::uint64_t> key(count);
  std::vector<std::uint8_t> state(count);
  std::vector<double> gap(count), moment(count);
  std::vector<Vector3> point(count), normal(count), force(count), slip(count);
  const auto vectors = [&](const Handle& dataset, std::vector<Vector3>& values) {
    return count == 0 || take(dataset, first, values.front().data(), count);
  };
  const bool ok = take(d.bodies, first, bodies.data(), count) && take(d.key, first, key.data(), count) &&
                  take(d.state, first, state.data(), count) && take(d.gap, first, gap.data(), count) &&
                  take(d.moment, first, moment.data(), count) && vectors(d.point, point) && vectors(d.normal, normal) &&
                  vectors(d.force, force) && vectors(d.slip, slip);
  contacts.resize(count);
  for (size_t c = 0; c < count; ++c) {
    contacts[c] = {.body_A = bodies[2 * c],
                   .body_B = bodies[2 * c + 1],
                   .key = key[c],
                   .point = point[c],
                   .normal = normal[c],
                   .gap = gap[c],
                   .force = force[c],
                   .moment = moment[c],
                   .slip = slip[c],
                   .state = static_cast<ContactState>(std::min<int>(state[c], 2))};
  }
  return ok;
}

Result<void> Recording::read(long row, Sample& s) const {
  if (row < 0 || row >= rows()) {
    return failure({.what = fmt::format("recording has rows 0 to {}", rows() - 1),
                    .remedy = "Ask for a row within them.",
                    .name = std::to_string(row),
                    .file = path_});
  }
  const hdf5::QuietErrors quiet;
  const Datasets& d = *datasets_;
  const size_t bodies = layout_.body_names.size();
  std::int64_t step = 0;
  s.time = times_[row];
  s.joints.position.resize(layout_.joints.position_offset.back());
  s.joints.velocity.resize(layout_.joints.velocity_offset.back());
  const bool ok = take(d.step, row, &step) && take_bodies(d.position, row, bodies, s.position) &&
                  take_bodies(d.quaternion, row, bodies, s.quaternion) &&
                  take_bodies(d.linear_velocity, row, bodies, s.linear_velocity) &&
                  take_bodies(d.angular_velocity, row, bodies, s.angular_velocity) &&
                  take(d.joint_position, row, s.joints.position.data()) &&
                  take(d.joint_velocity, row, s.joints.velocity.data()) && take(d.kinetic, row, &s.energies.kinetic) &&
                  take(d.potential, row, &s.energies.potential) &&
                  take_certificate(d.certificate, row, s.certificate) &&
                  take(d.iterations, row, &s.solver.iterations) && take(d.islands, row, &s.solver.islands) &&
                  take(d.warm_started, row, &s.solver.warm_started) && take(d.fallbacks, row, &s.solver.fallbacks) &&
                  take(d.passes, row, &s.solver.passes) && read_contacts(row, s.contacts);
  s.step = step;
  if (ok) return {};
  return failure(not_a_recording(path_, "cannot read a row", std::to_string(row)));
}

}  // namespace stiction::recording
