// What is written is what is read, whatever the batches; and nothing half-written stays behind.
#include "stiction/recording/sample_writer.h"

#include <cmath>
#include <fstream>

#include <gmock/gmock.h>

#include "recording/test_scenes.h"
#include "stiction/certify/certificate_values.h"
#include "stiction/io/hdf5.h"
#include "stiction/recording/recording.h"

namespace stiction::recording {
namespace {

using ::testing::HasSubstr;

RecordingLayout two_bodies() {
  RecordingLayout layout{.scene = "scenes/räder.toml",
                         .method = "stewart-trinkle",
                         .solver = "auto",
                         .step = 1e-3,
                         .body_names = {"ground", "ball"},
                         .joints = {}};
  layout.joints = {.names = {"arm", "wrist"},
                   .types = {"revolute", "spherical"},
                   .source = {0, 1},
                   .position_offset = {0, 1, 5},
                   .velocity_offset = {0, 1, 4}};
  return layout;
}

// Row k with k % 4 contacts; every number differs from every other.
Sample sample_of(int k) {
  double next = 1000.0 * k + 0.1;
  const auto number = [&] { return next += 1.0 / 3.0; };
  const auto vector = [&] { return Vector3(number(), number(), number()); };
  Sample s;
  s.step = 7L * k;
  s.time = 1e-3 * k;
  for (int b = 0; b < 2; ++b) {
    s.position.push_back(vector());
    s.quaternion.push_back({number(), number(), number(), number()});
    s.linear_velocity.push_back(vector());
    s.angular_velocity.push_back(vector());
  }
  for (int i = 0; i < 5; ++i) s.joints.position.push_back(number());
  for (int i = 0; i < 4; ++i) s.joints.velocity.push_back(number());
  for (int c = 0; c < k % 4; ++c) {
    s.contacts.push_back({.body_A = c,
                          .body_B = c + 1,
                          .key = 0x8000000000000001ULL + c,
                          .point = vector(),
                          .normal = vector(),
                          .gap = number(),
                          .force = vector(),
                          .moment = number(),
                          .slip = vector(),
                          .state = static_cast<ContactState>(c)});
  }
  s.energies = {number(), number()};
  s.certificate = {number(), number(), number(), number(), number(), number(), infinity};
  s.solver = {k, k + 1, k + 2, k + 3, k + 4};
  return s;
}

void expect_equal(const ContactReport& a, const ContactReport& b) {
  EXPECT_EQ(a.body_A, b.body_A);
  EXPECT_EQ(a.body_B, b.body_B);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.point, b.point);
  EXPECT_EQ(a.normal, b.normal);
  EXPECT_EQ(a.gap, b.gap);
  EXPECT_EQ(a.force, b.force);
  EXPECT_EQ(a.moment, b.moment);
  EXPECT_EQ(a.slip, b.slip);
  EXPECT_EQ(a.state, b.state);
}

void expect_equal(const Sample& a, const Sample& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.quaternion, b.quaternion);
  EXPECT_EQ(a.linear_velocity, b.linear_velocity);
  EXPECT_EQ(a.angular_velocity, b.angular_velocity);
  EXPECT_EQ(a.joints.position, b.joints.position);
  EXPECT_EQ(a.joints.velocity, b.joints.velocity);
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  for (size_t c = 0; c < a.contacts.size(); ++c) expect_equal(a.contacts[c], b.contacts[c]);
  EXPECT_EQ(a.energies.kinetic, b.energies.kinetic);
  EXPECT_EQ(a.energies.potential, b.energies.potential);
  for (const certify::CertificateValue& value : certify::certificate_values) {
    EXPECT_EQ(a.certificate.*value.member, b.certificate.*value.member) << value.name;
  }
  EXPECT_EQ(a.solver.iterations, b.solver.iterations);
  EXPECT_EQ(a.solver.islands, b.solver.islands);
  EXPECT_EQ(a.solver.warm_started, b.solver.warm_started);
  EXPECT_EQ(a.solver.fallbacks, b.solver.fallbacks);
  EXPECT_EQ(a.solver.passes, b.solver.passes);
}

void write_rows(const std::string& path, int rows, const RecorderOptions& options) {
  auto writer = SampleWriter::create(path, two_bodies(), options);
  ASSERT_TRUE(writer) << writer.error().message();
  for (int k = 0; k < rows; ++k) ASSERT_TRUE(writer->append(sample_of(k)));
  EXPECT_EQ(writer->rows(), rows);
  ASSERT_TRUE(writer->close());
}

// Rows per batch, rows written, compression: batches that divide the rows, that do not, and that are never full.
class Batches : public ::testing::TestWithParam<std::array<int, 3>> {};

TEST_P(Batches, EveryNumberComesBackBitForBit) {
  const auto [batch, rows, compression] = GetParam();
  const TemporaryFolder folder;
  write_rows(folder.file("run.h5"), rows, {.compression = compression, .batch_rows = batch});
  EXPECT_EQ(folder.count(), 1) << "only the recording, no .part";
  const auto recording = Recording::open(folder.file("run.h5"));
  ASSERT_TRUE(recording) << recording.error().message();
  ASSERT_EQ(recording->rows(), rows);
  Sample sample;
  for (int k = rows - 1; k >= 0; --k) {  // backwards: rows do not depend on what was read before
    ASSERT_TRUE(recording->read(k, sample));
    expect_equal(sample, sample_of(k));
  }
}

INSTANTIATE_TEST_SUITE_P(Recording, Batches,
                         ::testing::Values(std::array{1, 5, 0}, std::array{4, 12, 1}, std::array{7, 300, 9},
                                           std::array{256, 600, 1}, std::array{1000, 3, 1}));

TEST(SampleWriter, LayoutComesBack) {
  const TemporaryFolder folder;
  write_rows(folder.file("run.h5"), 3, {});
  const auto recording = Recording::open(folder.file("run.h5"));
  ASSERT_TRUE(recording);
  const RecordingLayout &layout = recording->layout(), expected = two_bodies();
  EXPECT_EQ(layout.scene, expected.scene);
  EXPECT_EQ(layout.method, expected.method);
  EXPECT_EQ(layout.solver, expected.solver);
  EXPECT_EQ(layout.step, expected.step);
  EXPECT_EQ(layout.body_names, expected.body_names);
  EXPECT_EQ(layout.joints.names, expected.joints.names);
  EXPECT_EQ(layout.joints.types, expected.joints.types);
  EXPECT_EQ(layout.joints.position_offset, expected.joints.position_offset);
  EXPECT_EQ(layout.joints.velocity_offset, expected.joints.velocity_offset);
  EXPECT_FALSE(recording->stiction_version().empty());
}

TEST(SampleWriter, AModelWithoutJointsAndRowsWithoutContacts) {
  const TemporaryFolder folder;
  RecordingLayout layout = two_bodies();
  layout.joints = {};
  auto writer = SampleWriter::create(folder.file("run.h5"), layout, {.batch_rows = 2});
  ASSERT_TRUE(writer);
  for (int k = 0; k < 5; ++k) {
    Sample sample = sample_of(4 * k);
    sample.joints = {};
    ASSERT_TRUE(writer->append(sample));
  }
  ASSERT_TRUE(writer->close());
  const auto recording = Recording::open(folder.file("run.h5"));
  ASSERT_TRUE(recording) << recording.error().message();
  EXPECT_EQ(recording->rows(), 5);
  Sample sample;
  ASSERT_TRUE(recording->read(4, sample));
  EXPECT_TRUE(sample.joints.position.empty());
  EXPECT_TRUE(sample.contacts.empty());
}

TEST(SampleWriter, EqualRunsGiveEqualBytes) {
  const TemporaryFolder folder;
  write_rows(folder.file("a.h5"), 40, {.batch_rows = 16});
  write_rows(folder.file("b.h5"), 40, {.batch_rows = 16});
  EXPECT_EQ(read_text(folder.file("a.h5")), read_text(folder.file("b.h5")));
}

TEST(SampleWriter, RowAtATime) {
  const TemporaryFolder folder;
  write_rows(folder.file("run.h5"), 4, {});
  const auto recording = Recording::open(folder.file("run.h5"));
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->row_at(-1), 0);
  EXPECT_EQ(recording->row_at(0), 0);
  EXPECT_EQ(recording->row_at(0.0015), 1);
  EXPECT_EQ(recording->row_at(0.002), 2);
  EXPECT_EQ(recording->row_at(9), 3);
  Sample sample;
  EXPECT_FALSE(recording->read(4, sample));
  EXPECT_FALSE(recording->read(-1, sample));
}

TEST(SampleWriter, NothingIsAtThePathUntilItIsClosed) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  {
    auto writer = SampleWriter::create(path, two_bodies(), {.batch_rows = 1});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(sample_of(1)));
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path + ".part"));
  }
  EXPECT_EQ(folder.count(), 0) << "a writer that is dropped leaves nothing";
}

TEST(SampleWriter, AnOlderRecordingStaysUntilTheNewOneIsDone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  write_rows(path, 3, {});
  const std::string older = read_text(path);
  auto writer = SampleWriter::create(path, two_bodies(), {.batch_rows = 1});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(sample_of(1)));
  EXPECT_EQ(read_text(path), older);
  writer->discard();
  EXPECT_EQ(read_text(path), older);
  EXPECT_EQ(folder.count(), 1);
}

TEST(SampleWriter, BadPathsAreErrorsWithARemedy) {
  const TemporaryFolder folder;
  const auto missing = SampleWriter::create(folder.file("none/run.h5"), two_bodies());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr("none/run.h5"));
  EXPECT_THAT(missing.error().remedy, HasSubstr("mkdir"));
  const auto directory = SampleWriter::create(folder.path().string(), two_bodies());
  ASSERT_FALSE(directory);
  EXPECT_THAT(directory.error().what, HasSubstr("folder"));
  EXPECT_FALSE(SampleWriter::create("", two_bodies()));
  // A folder that nobody may write to, not even the super user.
  const auto refused = SampleWriter::create("/proc/run.h5", two_bodies());
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().remedy.empty());
  EXPECT_EQ(folder.count(), 0);
}

TEST(SampleWriter, OptionsOutOfRangeAreErrors) {
  const TemporaryFolder folder;
  EXPECT_FALSE(SampleWriter::create(folder.file("run.h5"), two_bodies(), {.every = 0}));
  EXPECT_FALSE(SampleWriter::create(folder.file("run.h5"), two_bodies(), {.compression = 10}));
  EXPECT_FALSE(SampleWriter::create(folder.file("run.h5"), two_bodies(), {.batch_rows = 0}));
  EXPECT_EQ(folder.count(), 0);
}

// Recordings from before limit_violation was kept: that value is unknown, all others are there.
TEST(Recording, OneWithoutLimitViolationsIsReadAndSaysThatTheyAreUnknown) {
  const TemporaryFolder folder;
  write_rows(folder.file("run.h5"), 3, {});
  const auto remove = [&](const char* name) {
    const hdf5::Handle file(H5Fopen(folder.file("run.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    ASSERT_GE(H5Ldelete(file.get(), name, H5P_DEFAULT), 0);
  };
  remove("/certificate/limit_violation");
  {
    const auto recording = Recording::open(folder.file("run.h5"));
    ASSERT_TRUE(recording) << recording.error().message();
    Sample sample;
    ASSERT_TRUE(recording->read(1, sample));
    EXPECT_TRUE(std::isnan(sample.certificate.limit_violation));
    EXPECT_EQ(sample.certificate.momentum, sample_of(1).certificate.momentum);
  }
  remove("/certificate/momentum");
  const auto broken = Recording::open(folder.file("run.h5"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().name, "/certificate/momentum");
}

TEST(Recording, OtherFilesAreErrors) {
  const TemporaryFolder folder;
  EXPECT_FALSE(Recording::open(folder.file("none.h5")));
  std::ofstream(folder.file("text.h5")) << "not HDF5";
  const auto text = Recording::open(folder.file("text.h5"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message(), HasSubstr("text.h5"));
  EXPECT_FALSE(text.error().remedy.empty());
  // A recording that was cut off.
  write_rows(folder.file("run.h5"), 20, {});
  const std::string whole = read_text(folder.file("run.h5"));
  std::ofstream(folder.file("cut.h5"), std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_FALSE(Recording::open(folder.file("cut.h5")));
}

}  // namespace
}  // namespace stiction::recording
