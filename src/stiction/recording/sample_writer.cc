#include "stiction/recording/sample_writer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stiction/base/assert.h"
#include "stiction/base/version.h"
#include "stiction/certify/certificate_values.h"
#include "stiction/io/hdf5.h"
#include "stiction/io/output_file.h"

namespace stiction::recording {

using hdf5::Column;
using hdf5::ColumnOptions;
using hdf5::Handle;

namespace {

// Rows of chunks that hold contacts: about 50 kB of the widest column.
constexpr hsize_t contact_chunk_rows = 2048;

struct BodyColumns {
  Column position, quaternion, linear_velocity, angular_velocity;
};
struct ContactColumns {
  Column offset, bodies, key, point, normal, gap, force, moment, slip, state;
};
using CertificateColumns = std::array<Column, certify::certificate_values.size()>;
struct SolverColumns {
  Column iterations, islands, warm_started, fallbacks, passes;
};

// A column of one number per row.
template <class T>
Column scalars(hid_t group, const char* name, const char* unit, const char* description, ColumnOptions options) {
  options.unit = unit;
  options.description = description;
  return Column::create<T>(group, name, options);
}

// A column of several numbers per row.
template <class T>
Column arrays(hid_t group, const char* name, std::vector<hsize_t> shape, const char* unit, const char* description,
              ColumnOptions options) {
  options.row_shape = std::move(shape);
  return scalars<T>(group, name, unit, description, options);
}

BodyColumns create_bodies(hid_t group, hsize_t bodies, const ColumnOptions& o) {
  return {arrays<double>(group, "position", {bodies, 3}, "m", "origin of the body's frame, world axes", o),
          arrays<double>(group, "quaternion", {bodies, 4}, "1", "orientation of the body's frame: w, x, y, z", o),
          arrays<double>(group, "linear_velocity", {bodies, 3}, "m/s", "of the centre of mass, world axes", o),
          arrays<double>(group, "angular_velocity", {bodies, 3}, "rad/s", "world axes", o)};
}

ContactColumns create_contacts(hid_t group, const ColumnOptions& rows, const ColumnOptions& o) {
  return {scalars<std::int64_t>(group, "offset", "1", "row i owns contacts offset[i] to offset[i+1] - 1", rows),
          arrays<std::int32_t>(group, "bodies", {2}, "1",
                               "indices into /names/bodies; the normal points from the first", o),
          scalars<std::uint64_t>(group, "key", "1", "the same from step to step while the same features touch", o),
          arrays<double>(group, "point", {3}, "m", "half-way between the surfaces at the start of the step", o),
          arrays<double>(group, "normal", {3}, "1", "unit, from bodies[0] to bodies[1], world axes", o),
          scalars<double>(group, "gap", "m", "at the end of the step, as the contact law imposes it", o),
          arrays<double>(group, "force", {3}, "N", "impulse over step on bodies[1], world axes", o),
          scalars<double>(group, "moment", "N m", "about the normal, on bodies[1]", o),
          arrays<double>(group, "slip", {3}, "m/s", "tangential velocity of bodies[1] over bodies[0], world axes", o),
          scalars<std::uint8_t>(group, "state", "1", "0 open, 1 stick, 2 slip", o)};
}

CertificateColumns create_certificate(hid_t group, const ColumnOptions& o) {
  CertificateColumns columns;
  for (size_t i = 0; i < columns.size(); ++i) {
    const certify::CertificateValue& value = certify::certificate_values[i];
    columns[i] = scalars<double>(group, value.name, value.unit, value.meaning, o);
  }
  return columns;
}

SolverColumns create_solver(hid_t group, const ColumnOptions& o) {
  return {scalars<std::int32_t>(group, "iterations", "1", "pivots of all islands", o),
          scalars<std::int32_t>(group, "islands", "1", "islands solved", o),
          scalars<std::int32_t>(group, "warm_started", "1", "islands solved by their last basis", o),
          scalars<std::int32_t>(group, "fallbacks", "1", "islands that needed a fallback", o),
          scalars<std::int32_t>(group, "passes", "1", "times contacts were detected", o)};
}

void push_vector(Column& column, const std::vector<double>& values) {
  if (values.empty()) column.push_empty_row();
  column.push(values.data(), values.size());
}

template <int size>
void push_bodies(Column& column, const std::vector<Eigen::Matrix<double, size, 1>>& values) {
  for (const auto& value : values) column.push(value.data(), size);
}

Error write_error(const std::string& path) {
  return {
      .what = "cannot write the recording", .remedy = "Free space on the disk, or record to another.", .file = path};
}

}  // namespace

struct SampleWriter::Implementation {
  OutputFile output;
  Handle file;
  size_t body_count = 0;
  RecorderOptions options;
  long rows = 0;
  int waiting_rows = 0;
  std::int64_t contacts = 0;
  Column step = {}, time = {}, joint_position = {}, joint_velocity = {}, kinetic = {}, potential = {};
  BodyColumns body = {};
  ContactColumns contact = {};
  CertificateColumns certificate = {};
  SolverColumns solver = {};

  // Everything that grows, in one place.
  template <class Visit>
  void for_each_column(Visit visit) {
    for (Column* column : {&step,
                           &time,
                           &joint_position,
                           &joint_velocity,
                           &kinetic,
                           &potential,
                           &body.position,
                           &body.quaternion,
                           &body.linear_velocity,
                           &body.angular_velocity,
                           &contact.offset,
                           &contact.bodies,
                           &contact.key,
                           &contact.point,
                           &contact.normal,
                           &contact.gap,
                           &contact.force,
                           &contact.moment,
                           &contact.slip,
                           &contact.state,
                           &solver.iterations,
                           &solver.islands,
                           &solver.warm_started,
                           &solver.fallbacks,
                           &solver.passes}) {
      visit(*column);
    }
    for (Column& column : certificate) visit(column);
  }

  bool write_constants(const RecordingLayout& layout);
  bool create_columns(const RecordingLayout& layout);
  void push(const Sample& sample);
  void push_contact(const ContactReport& report);
  bool flush();
};

bool SampleWriter::Implementation::write_constants(const RecordingLayout& layout) {
  const Handle meta = hdf5::create_group(file.get(), "meta");
  const Handle names = hdf5::create_group(file.get(), "names");
  const Handle joints = hdf5::create_group(file.get(), "joints");
  if (!meta || !names || !joints) return false;
  using hdf5::write_attribute;
  const hid_t m = meta.get();
  return write_attribute(m, "format", std::string("stiction recording")) &&
         write_attribute(m, "format_version", std::int64_t{recording_format_version}) &&
         write_attribute(m, "stiction_version", std::string(version())) && write_attribute(m, "scene", layout.scene) &&
         write_attribute(m, "method", layout.method) && write_attribute(m, "solver", layout.solver) &&
         write_attribute(m, "step", layout.step) && write_attribute(m, "every", std::int64_t{layout.every}) &&
         write_attribute(m, "units",
                         std::string("SI: m, kg, s, N, J, rad; each dataset names its own in the attribute unit")) &&
         hdf5::write_strings(names.get(), "bodies", layout.body_names) &&
         hdf5::write_strings(names.get(), "joints", layout.joints.names) &&
         hdf5::write_strings(joints.get(), "type", layout.joints.types) &&
         hdf5::write_integers(joints.get(), "position_offset", layout.joints.position_offset) &&
         hdf5::write_integers(joints.get(), "velocity_offset", layout.joints.velocity_offset);
}

bool SampleWriter::Implementation::create_columns(const RecordingLayout& layout) {
  const hid_t root = file.get();
  ColumnOptions o;
  o.compression = options.compression;
  ColumnOptions per_contact = o;
  per_contact.chunk_rows = contact_chunk_rows;
  step = scalars<std::int64_t>(root, "step", "1", "steps taken since time zero of the scene", o);
  time = scalars<double>(root, "time", "s", "at the end of the step", o);
  const Handle bodies = hdf5::create_group(root, "bodies"), contacts_group = hdf5::create_group(root, "contacts");
  const Handle energy = hdf5::create_group(root, "energy"), certificates = hdf5::create_group(root, "certificate");
  const Handle solvers = hdf5::create_group(root, "solver"), joints(H5Gopen2(root, "joints", H5P_DEFAULT), H5Gclose);
  ColumnOptions per_body = o;
  per_body.chunk_rows = std::clamp<hsize_t>(8192 / std::max<hsize_t>(1, body_count), 1, 256);
  body = create_bodies(bodies.get(), body_count, per_body);
  contact = create_contacts(contacts_group.get(), o, per_contact);
  certificate = create_certificate(certificates.get(), o);
  solver = create_solver(solvers.get(), o);
  kinetic = scalars<double>(energy.get(), "kinetic", "J", "of all simulated bodies", o);
  potential = scalars<double>(energy.get(), "potential", "J", "of gravity and joint springs", o);
  const auto positions = static_cast<hsize_t>(layout.joints.position_offset.back());
  const auto velocities = static_cast<hsize_t>(layout.joints.velocity_offset.back());
  joint_position = arrays<double>(joints.get(), "position", {positions}, "m or rad", "packed by position_offset", o);
  joint_velocity =
      arrays<double>(joints.get(), "velocity", {velocities}, "m/s or rad/s", "packed by velocity_offset", o);
  bool ok = true;
  for_each_column([&](const Column& column) { ok &= column.ok(); });
  return ok;
}

void SampleWriter::Implementation::push_contact(const ContactReport& report) {
  const std::int32_t bodies[2] = {report.body_A, report.body_B};
  contact.bodies.push(bodies, 2);
  contact.key.push(report.key);
  contact.point.push(report.point.data(), 3);
  contact.normal.push(report.normal.data(), 3);
  contact.gap.push(report.gap);
  contact.force.push(report.force.data(), 3);
  contact.moment.push(report.moment);
  contact.slip.push(report.slip.data(), 3);
  contact.state.push(static_cast<std::uint8_t>(report.state));
  ++contacts;
}

void SampleWriter::Implementation::push(const Sample& sample) {
  if (rows == 0) contact.offset.push(contacts);
  step.push(std::int64_t{sample.step});
  time.push(sample.time);
  push_bodies(body.position, sample.position);
  push_bodies(body.quaternion, sample.quaternion);
  push_bodies(body.linear_velocity, sample.linear_velocity);
  push_bodies(body.angular_velocity, sample.angular_velocity);
  push_vector(joint_position, sample.joints.position);
  push_vector(joint_velocity, sample.joints.velocity);
  for (const ContactReport& report : sample.contacts) push_contact(report);
  contact.offset.push(contacts);
  kinetic.push(sample.energies.kinetic);
  potential.push(sample.energies.potential);
  for (size_t i = 0; i < certificate.size(); ++i) {
    certificate[i].push(sample.certificate.*certify::certificate_values[i].member);
  }
  solver.iterations.push(std::int32_t{sample.solver.iterations});
  solver.islands.push(std::int32_t{sample.solver.islands});
  solver.warm_started.push(std::int32_t{sample.solver.warm_started});
  solver.fallbacks.push(std::int32_t{sample.solver.fallbacks});
  solver.passes.push(std::int32_t{sample.solver.passes});
  ++rows;
  ++waiting_rows;
}

bool SampleWriter::Implementation::flush() {
  bool ok = true;
  for_each_column([&](Column& column) { ok = ok && column.flush(); });
  waiting_rows = 0;
  return ok && H5Fflush(file.get(), H5F_SCOPE_GLOBAL) >= 0;
}

Result<SampleWriter> SampleWriter::create(const std::string& path, const RecordingLayout& layout,
                                          const RecorderOptions& options) {
  if (options.every < 1 || options.batch_rows < 1 || options.compression < 0 || options.compression > 9) {
    return failure({.what = "recorder options out of range",
                    .remedy = "Record every 1 or more steps, in batches of 1 or more rows, with compression 0 to 9.",
                    .file = path});
  }
  auto output = OutputFile::create(path);
  if (!output) return failure(output.error());
  const hdf5::QuietErrors quiet;
  auto writer = std::unique_ptr<Implementation>(new Implementation{
      .output = std::move(*output), .file = {}, .body_count = layout.body_names.size(), .options = options});
  writer->file = hdf5::create_file(writer->output.part_path());
  if (!writer->file || !writer->write_constants(layout) || !writer->create_columns(layout)) {
    return failure(write_error(path));
  }
  return SampleWriter(std::move(writer));
}

SampleWriter::SampleWriter(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
SampleWriter::SampleWriter(SampleWriter&&) noexcept = default;
SampleWriter& SampleWriter::operator=(SampleWriter&& other) noexcept {
  discard();
  implementation_ = std::move(other.implementation_);
  return *this;
}
SampleWriter::~SampleWriter() {
  discard();
}

long SampleWriter::rows() const {
  return implementation_ == nullptr ? 0 : implementation_->rows;
}

Result<void> SampleWriter::append(const Sample& sample) {
  STICTION_ASSERT(is_open(), "append to a recording that is closed");
  Implementation& writer = *implementation_;
  STICTION_ASSERT(sample.position.size() == writer.body_count, "sample of another model");
  writer.push(sample);
  if (writer.waiting_rows < writer.options.batch_rows) return {};
  const hdf5::QuietErrors quiet;
  if (writer.flush()) return {};
  const std::string path = writer.output.path();
  discard();
  return failure(write_error(path));
}

Result<void> SampleWriter::close() {
  if (!is_open()) return {};
  const hdf5::QuietErrors quiet;
  const bool flushed = implementation_->flush();
  OutputFile output = std::move(implementation_->output);
  implementation_->for_each_column([](Column& column) { column = {}; });
  const bool closed = implementation_->file.reset();
  implementation_.reset();
  if (!flushed || !closed) return failure(write_error(output.path()));
  return output.commit();
}

void SampleWriter::discard() {
  if (!is_open()) return;
  const hdf5::QuietErrors quiet;
  implementation_.reset();
}

}  // namespace stiction::recording
