#include "stiction/io/fclib.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stiction/io/hdf5.h"
#include "stiction/math/types.h"
#include "stiction/problem/friction_matrix.h"
#include "support/places.h"
#include "support/stored_problems.h"

namespace stiction {
namespace {

namespace fs = std::filesystem;
using Law = FrictionBlock::Law;

// A folder of its own, gone at the end.
class Fclib : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(stiction::testing::binary_path("tests")) /
              (std::string("fclib_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  FrictionFile read(const std::string& name) const {
    auto file = read_friction_file(path(name));
    EXPECT_TRUE(file) << file.error().message();
    return file ? std::move(*file) : FrictionFile{};
  }

  fs::path folder_;
};

// Everything that has a meaning, bit by bit.
void expect_same(const FrictionProblem& a, const FrictionProblem& b) {
  ASSERT_EQ(a.blocks.size(), b.blocks.size());
  for (size_t k = 0; k < a.blocks.size(); ++k) {
    EXPECT_EQ(a.blocks[k].law, b.blocks[k].law);
    EXPECT_EQ(a.blocks[k].first_row, b.blocks[k].first_row);
    EXPECT_EQ(a.blocks[k].row_count, b.blocks[k].row_count);
    EXPECT_EQ(a.blocks[k].axes, b.blocks[k].axes);
    EXPECT_EQ(a.blocks[k].bound, b.blocks[k].bound);
    EXPECT_EQ(a.blocks[k].link, b.blocks[k].link);
  }
  EXPECT_EQ(a.row_start, b.row_start);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.value_start, b.value_start);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.q, b.q);
}

// Awkward numbers in a sparse pattern: thirds, a tiny and a huge one, minus zero, an explicit zero.
SparseRows sample_matrix(int n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, 1.0 / 3 + i);
  entries.emplace_back(0, n - 1, 1e-300);
  entries.emplace_back(n - 1, 0, -1e300);
  entries.emplace_back(n - 2, 0, -0.0);
  SparseRows W(n, n);
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

std::vector<double> sample_vector(int n) {
  std::vector<double> q;
  for (int i = 0; i < n; ++i) q.push_back(std::sqrt(2.0 + i) * (i % 2 == 0 ? 1 : -1));
  return q;
}

FrictionProblem plain_problem(int dimension) {
  FrictionProblem problem;
  append_contacts(problem, dimension, std::vector<double>{0.1, 0.0, 2.5});
  problem.q = sample_vector(3 * dimension);
  set_matrix(problem, sample_matrix(3 * dimension));
  return problem;
}

FrictionProblem general_problem() {
  FrictionProblem problem;
  const auto add = [&](FrictionBlock block) {
    block.first_row = problem.blocks.empty() ? 0 : problem.blocks.back().first_row + problem.blocks.back().row_count;
    problem.blocks.push_back(block);
  };
  add({Law::bilateral, 0, 5, {0, 0, 0}, 0, -1});
  add({Law::contact, 0, 4, {0.3, 0.7, 0.01}, 0, -1});
  add({Law::bounded, 0, 2, {0.1, 0.2, 0}, 0, 1});
  add({Law::contact, 0, 1, {0, 0, 0}, 0, -1});
  add({Law::bounded, 0, 1, {1, 0, 0}, 1.0 / 7, -1});
  add({Law::contact, 0, 3, {0.5, 0.5, 0}, 0, -1});
  problem.q = sample_vector(16);
  set_matrix(problem, sample_matrix(16));
  return problem;
}

TEST_F(Fclib, PlainContactsRoundTripInTheLayoutOfTheCollection) {
  for (const int dimension : {2, 3}) {
    const FrictionProblem problem = plain_problem(dimension);
    ASSERT_TRUE(write_friction_file(path("a.hdf5"), problem, {"a title", "two\nlines"}));
    const FrictionFile file = read("a.hdf5");
    EXPECT_EQ(file.form, FrictionFile::Form::local);
    EXPECT_EQ(file.contact_rows, 3 * dimension);
    EXPECT_EQ(file.text.title, "a title");
    EXPECT_EQ(file.text.description, "two\nlines");
    expect_same(problem, file.problem);
  }
}

TEST_F(Fclib, EverythingElseRoundTripsInAGroupOfItsOwn) {
  const FrictionProblem problem = general_problem();
  ASSERT_EQ(defect_of(problem), "");
  ASSERT_TRUE(write_friction_file(path("a.hdf5"), problem));
  const FrictionFile file = read("a.hdf5");
  EXPECT_EQ(file.form, FrictionFile::Form::extended);
  expect_same(problem, file.problem);
  FrictionProblem elliptic = plain_problem(3);
  elliptic.blocks[0].axes[1] = 0.2;
  ASSERT_TRUE(write_friction_file(path("a.hdf5"), elliptic));
  EXPECT_EQ(read("a.hdf5").form, FrictionFile::Form::extended);
  expect_same(elliptic, read("a.hdf5").problem);
}

TEST_F(Fclib, AProblemWithoutContactsRoundTrips) {
  FrictionProblem problem;
  problem.row_start = {0};
  ASSERT_TRUE(write_friction_file(path("a.hdf5"), problem));
  expect_same(problem, read("a.hdf5").problem);
}

TEST_F(Fclib, EqualProblemsGiveEqualBytes) {
  const auto bytes = [&](const char* name) {
    std::ifstream stream(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  ASSERT_TRUE(write_friction_file(path("a.hdf5"), general_problem()));
  ASSERT_TRUE(write_friction_file(path("b.hdf5"), general_problem()));
  EXPECT_EQ(bytes("a.hdf5"), bytes("b.hdf5"));
}

// Writes a local problem by hand; `matrix` fills the group W.
void write_by_hand(const std::string& path, const std::function<void(hid_t)>& matrix) {
  const hdf5::Handle file = hdf5::create_file(path);
  const hdf5::Handle group = hdf5::create_group(file.get(), "/fclib_local");
  const hdf5::Handle W = hdf5::create_group(group.get(), "W");
  const hdf5::Handle vectors = hdf5::create_group(group.get(), "vectors");
  hdf5::write_integers(group.get(), "spacedim", {3});
  hdf5::write_integers(W.get(), "m", {3});
  hdf5::write_integers(W.get(), "n", {3});
  hdf5::write_numbers(vectors.get(), "q", std::vector<double>{-1, 2, 3});
  hdf5::write_numbers(vectors.get(), "mu", std::vector<double>{0.5});
  matrix(W.get());
}

// W = (1 2 0; 0 3 4; 5 0 6) in the three storage kinds, by hand.
TEST_F(Fclib, StorageKindsAgree) {
  const auto store = [](int nz, std::vector<int> p, std::vector<int> i, std::vector<double> x) {
    return [=](hid_t W) {
      hdf5::write_integers(W, "nz", {nz});
      hdf5::write_integers(W, "p", p);
      hdf5::write_integers(W, "i", i);
      hdf5::write_numbers(W, "x", x);
    };
  };
  write_by_hand(path("rows"), store(-2, {0, 2, 4, 6}, {0, 1, 1, 2, 0, 2}, {1, 2, 3, 4, 5, 6}));
  write_by_hand(path("columns"), store(-1, {0, 2, 4, 6}, {0, 2, 0, 1, 1, 2}, {1, 5, 2, 3, 4, 6}));
  // Triplets: p columns, i rows, any order, repeated entries add up; room for more than nz entries.
  write_by_hand(path("triplets"),
                store(7, {2, 0, 1, 1, 2, 0, 2, 0}, {2, 2, 0, 1, 1, 0, 2, 0}, {2, 5, 2, 3, 4, 1, 4, 99}));
  const std::vector<double> W = {1, 2, 0, 0, 3, 4, 5, 0, 6};
  EXPECT_EQ(read("rows").problem.value, W);
  EXPECT_EQ(read("columns").problem.value, W);
  EXPECT_EQ(read("triplets").problem.value, W);
}

// A local problem with bilateral rows: (u; 0) = ( W V ; V^T R ) (r; lambda) + (q; s).
TEST_F(Fclib, LocalProblemsMayHaveBilateralRows) {
  const auto identity = [](int rows, int columns) {
    SparseRows matrix(rows, columns);
    for (int i = 0; i < std::min(rows, columns); ++i) matrix.insert(i, i) = 2 + i;
    matrix.makeCompressed();
    return matrix;
  };
  ASSERT_TRUE(write_friction_file(path("a.hdf5"), plain_problem(3)));
  {
    const hdf5::Handle file(H5Fopen(path("a.hdf5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
    const hdf5::Handle group = hdf5::open_group(file.get(), "/fclib_local");
    const hdf5::Handle vectors = hdf5::open_group(group.get(), "vectors");
    for (const auto& [name, rows, columns] : {std::tuple("V", 9, 2), std::tuple("R", 2, 2)}) {
      const SparseRows matrix = identity(rows, columns);
      const hdf5::Handle parent = hdf5::create_group(group.get(), name);
      hdf5::write_integers(parent.get(), "m", {rows});
      hdf5::write_integers(parent.get(), "n", {columns});
      hdf5::write_integers(parent.get(), "nz", {-2});
      hdf5::write_integers(parent.get(), "p", {matrix.outerIndexPtr(), matrix.outerIndexPtr() + rows + 1});
      hdf5::write_integers(parent.get(), "i", {matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros()});
      hdf5::write_numbers(parent.get(), "x", {matrix.valuePtr(), static_cast<size_t>(matrix.nonZeros())});
    }
    hdf5::write_numbers(vectors.get(), "s", std::vector<double>{7, 8});
  }
  const FrictionFile file = read("a.hdf5");
  EXPECT_EQ(file.contact_rows, 9);
  ASSERT_EQ(file.problem.row_count(), 11);
  EXPECT_EQ(file.problem.q[9], 7);
  EXPECT_EQ(file.problem.blocks.back().law, Law::bilateral);
  const MatrixX W = MatrixX(matrix_of(file.problem));
  EXPECT_EQ(W(1, 10), 3);
  EXPECT_EQ(W(10, 1), 3);
  EXPECT_EQ(W(10, 10), 3);
  EXPECT_EQ(W(9, 9), 2);
  EXPECT_EQ(W(10, 9), 0);
}

// Steps of our own scenes: the local form where all contacts have round cones, the extension elsewhere.
TEST_F(Fclib, ReadsOurOwnProblems) {
  int count = 0, general = 0;
  for (const auto& path : testing::entries_of(testing::own_problems() / "friction")) {
    const auto file = read_friction_file(path.string());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(defect_of(file->problem), "") << path;
    general += file->problem.row_count() != 3 * file->problem.block_count();
    ++count;
  }
  EXPECT_EQ(count, 7);
  EXPECT_GE(general, 1);
}

class FclibStudy : public Fclib {};

TEST_F(FclibStudy, ReadsTheWholeCollection) {
  const fs::path collection = testing::shared_problems() / "friction";
  STICTION_STUDY_ON(collection);
  int count = 0;
  for (const auto& path : testing::entries_of(collection)) {
    const auto file = read_friction_file(path.string());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(defect_of(file->problem), "") << path;
    EXPECT_EQ(file->problem.row_count(), 3 * file->problem.block_count());
    ++count;
  }
  EXPECT_EQ(count, 42);  // as many as the table in its README
}

// One contact whose W is a multiple of the identity and whose mu is 0.1, says the collection's table.
TEST_F(FclibStudy, ReadsTheValuesOfTheCollection) {
  const fs::path file = testing::shared_problems() / "friction/GFC3D_Example0.hdf5";
  STICTION_STUDY_ON(file);
  const auto problem = read_friction_file(file.string());
  ASSERT_TRUE(problem);
  ASSERT_EQ(problem->problem.block_count(), 1);
  EXPECT_EQ(problem->problem.blocks[0].axes, (std::array<double, 3>{0.1, 0.1, 0}));
  const double w = problem->problem.value[0];
  EXPECT_GT(w, 0);
  EXPECT_EQ(problem->problem.value, (std::vector<double>{w, 0, 0, 0, w, 0, 0, 0, w}));
}

// A good file, damaged in one place.
struct Damage {
  const char* dataset;                ///< what the error must name
  std::function<void(hid_t)> damage;  ///< done to the file
};

void replace_integers(hid_t file, const char* name, const std::vector<int>& values) {
  H5Ldelete(file, name, H5P_DEFAULT);
  hdf5::write_integers(file, name, values);
}

void replace_numbers(hid_t file, const char* name, const std::vector<double>& values) {
  H5Ldelete(file, name, H5P_DEFAULT);
  hdf5::write_numbers(file, name, values);
}

void expect_rejected(const std::string& path, const std::vector<Damage>& damages,
                     const std::function<void(const std::string&)>& write) {
  for (const Damage& damage : damages) {
    write(path);
    {
      const hdf5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose);
      damage.damage(file.get());
    }
    const auto result = read_friction_file(path);
    ASSERT_FALSE(result) << damage.dataset;
    EXPECT_NE(result.error().name.find(damage.dataset), std::string::npos)
        << damage.dataset << ": " << result.error().message();
    EXPECT_EQ(result.error().file, path);
    EXPECT_FALSE(result.error().remedy.empty()) << damage.dataset;
  }
}

TEST_F(Fclib, DamagedLocalProblemsAreRejected) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string g = "/fclib_local/";
  const auto set = [g](const char* name, std::vector<int> values) {
    return [=](hid_t file) { replace_integers(file, (g + name).c_str(), values); };
  };
  const auto put = [g](const char* name, std::vector<double> values) {
    return [=](hid_t file) { replace_numbers(file, (g + name).c_str(), values); };
  };
  const auto remove = [g](const char* name) {
    return [=](hid_t file) { H5Ldelete(file, (g + name).c_str(), H5P_DEFAULT); };
  };
  expect_rejected(
      path("bad.hdf5"),
      {{"/fclib_local/spacedim", set("spacedim", {4})},
       {"/fclib_local/spacedim", set("spacedim", {2})},
       {"/fclib_local/spacedim", set("spacedim", {3, 3})},
       {"/fclib_local/spacedim", put("spacedim", {3.0})},
       {"/fclib_local/spacedim", remove("spacedim")},
       {"/fclib_local/W/m", remove("W/m")},
       {"/fclib_local/W/m", remove("W")},
       {"/fclib_local/W", set("W/m", {-9})},
       {"/fclib_local/W/p", set("W/m", {6})},
       {"/fclib_local/W/i", set("W/n", {6})},
       {"/fclib_local/W", set("W/n", {12})},
       {"/fclib_local/W/nz", set("W/nz", {-3})},
       {"/fclib_local/W/p", set("W/p", {0, 1, 2})},
       {"/fclib_local/W/p", set("W/p", {0, 3, 2, 4, 5, 6, 7, 8, 9, 10})},
       {"/fclib_local/W/p", set("W/p", {0, 3, 6, 9, 12, 15, 18, 21, 24, 2000000000})},
       {"/fclib_local/W/p", set("W/p", {-1, 3, 6, 9, 12, 15, 18, 21, 24, 27})},
       {"/fclib_local/W/i", set("W/i", std::vector<int>(45, 9))},
       {"/fclib_local/W/i", set("W/i", std::vector<int>(45, -1))},
       {"/fclib_local/W/nz", set("W/nz", {2000000000})},
       {"/fclib_local/W/x", put("W/x", std::vector<double>(45, nan))},
       {"/fclib_local/W/p", put("W/x", {1.0})},
       {"/fclib_local/W/x", remove("W/x")},
       {"/fclib_local/vectors/q", put("vectors/q", {1, 2, 3})},
       {"/fclib_local/vectors/q", put("vectors/q", {1, 2, 3, 4, 5, 6, 7, 8, std::numeric_limits<double>::infinity()})},
       {"/fclib_local/vectors/q", remove("vectors/q")},
       {"/fclib_local/vectors/mu", put("vectors/mu", {0.1, 0.2})},
       {"/fclib_local/vectors/mu", put("vectors/mu", {0.1, -0.2, 0.1})},
       {"/fclib_local/vectors/mu", remove("vectors")}},
      [](const std::string& file) { ASSERT_TRUE(write_friction_file(file, plain_problem(3))); });
}

TEST_F(Fclib, DamagedExtendedProblemsAreRejected) {
  const auto set = [](const char* name, std::vector<int> values) {
    return [=](hid_t file) { replace_integers(file, (std::string("/stiction_problem/") + name).c_str(), values); };
  };
  const auto put = [](const char* name, std::vector<double> values) {
    return [=](hid_t file) { replace_numbers(file, (std::string("/stiction_problem/") + name).c_str(), values); };
  };
  expect_rejected(path("bad.hdf5"),
                  {{"version", set("version", {99})},
                   {"law", set("law", {0, 1, 2, 1, 2, 3})},
                   {"row_count", set("law", {0, 1, 2})},
                   {"row_count", set("row_count", {7, 4, 2, 1, 1, 3})},
                   {"/stiction_problem", set("row_count", {5, 5, 2, 1, 1, 3})},
                   {"axes", put("axes", {1, 2, 3})},
                   {"/stiction_problem", put("axes", std::vector<double>(18, -1))},
                   {"/stiction_problem", put("bound", {0, 0, 0, 0, -1, 0})},
                   {"/stiction_problem", set("link", {-1, -1, 0, -1, -1, -1})},
                   {"/stiction_problem", set("link", {-1, -1, 6, -1, -1, -1})},
                   {"/stiction_problem", set("row_start", {0, 0, 0, 0, 0, 0, 0})},
                   {"/stiction_problem", set("row_start", {0, -5, 3, 4, 5, 6, 2000000000})},
                   {"/stiction_problem", set("column", {77})},
                   {"/stiction_problem", put("value", {1.0})},
                   {"/stiction_problem", put("q", {1.0})}},
                  [](const std::string& file) { ASSERT_TRUE(write_friction_file(file, general_problem())); });
}

TEST_F(Fclib, WhatIsNotAProblemFileIsRejected) {
  std::ofstream(path("text.hdf5")) << "this is not HDF5\n";
  { const hdf5::Handle empty = hdf5::create_file(path("empty.hdf5")); }
  const std::string good = path("good.hdf5");
  ASSERT_TRUE(write_friction_file(good, plain_problem(3)));
  fs::copy_file(good, path("short.hdf5"));
  fs::resize_file(path("short.hdf5"), fs::file_size(good) / 2);
  for (const char* name : {"missing.hdf5", "text.hdf5", "empty.hdf5", "short.hdf5", "."}) {
    const auto result = read_friction_file(path(name));
    ASSERT_FALSE(result) << name;
    EXPECT_EQ(result.error().file, path(name));
    EXPECT_FALSE(result.error().remedy.empty());
  }
  EXPECT_FALSE(write_friction_file(path("no/such/folder.hdf5"), plain_problem(3)));
}

}  // namespace
}  // namespace stiction
