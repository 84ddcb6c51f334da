#include "stiction/io/matrix_market.h"
#include "support/places.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace stiction {
namespace {

namespace fs = std::filesystem;

// A folder of its own, gone at the end.
class MatrixMarket : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(stiction::testing::binary_path("tests")) /
              (std::string("matrix_market_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  // The error of a file with this text.
  Error error_of(const std::string& text) {
    const auto matrix = read_matrix_market(write("bad.mtx", text));
    EXPECT_FALSE(matrix) << text;
    return matrix ? Error{} : matrix.error();
  }

  fs::path folder_;
};

const std::string real_header = "%%MatrixMarket matrix coordinate real general\n";

TEST_F(MatrixMarket, ReadsCoordinates) {
  const auto matrix =
      read_matrix_market(write("M.mtx", real_header + "% a comment\n\n2 3 3\n1 1 2.5\n2 3 -1e-3\r\n1 1 +0.5\n"));
  ASSERT_TRUE(matrix) << matrix.error().message();
  EXPECT_EQ(*matrix, (MatrixX(2, 3) << 3, 0, 0, 0, 0, -1e-3).finished());
}

TEST_F(MatrixMarket, ReadsArraysByColumn) {
  const auto matrix =
      read_matrix_market(write("M.mtx", "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n"));
  ASSERT_TRUE(matrix);
  EXPECT_EQ(*matrix, (MatrixX(2, 2) << 1, 3, 2, 4).finished());
}

TEST_F(MatrixMarket, ReadsSymmetries) {
  const auto symmetric =
      read_matrix_market(write("S.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n"));
  ASSERT_TRUE(symmetric);
  EXPECT_EQ(*symmetric, (MatrixX(2, 2) << 5, 3, 3, 0).finished());
  const auto packed = read_matrix_market(write("P.mtx", "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"));
  ASSERT_TRUE(packed);
  EXPECT_EQ(*packed, (MatrixX(2, 2) << 1, 2, 2, 3).finished());
  const auto skew = read_matrix_market(write("K.mtx", "%%MatrixMarket matrix array real skew-symmetric\n2 2\n7\n"));
  ASSERT_TRUE(skew);
  EXPECT_EQ(*skew, (MatrixX(2, 2) << 0, -7, 7, 0).finished());
}

TEST_F(MatrixMarket, ErrorsNameFileLineAndRemedy) {
  struct Case {
    std::string text, what;
    int line;
  };
  const Case cases[] = {
      {"", "the file is empty", 1},
      {"1 2 3\n", "this is not a Matrix Market file", 1},
      {"%%MatrixMarket matrix coordinate complex general\n", "only real and integer matrices can be read", 1},
      {"%%MatrixMarket matrix sparse real general\n", "unknown format", 1},
      {"%%MatrixMarket matrix array real hermitian\n", "unknown symmetry", 1},
      {real_header, "the file ends before the size of the matrix", 2},
      {real_header + "2 2\n", "this is not a size line", 2},
      {real_header + "2 -2 1\n", "this is not a size", 2},
      {real_header + "1000000 1000000 1\n", "the matrix has 1000000 x 1000000 entries", 2},
      {real_header + "2 2 2\n1 1 1\n", "the file ends after 1 of 2 entries", 4},
      {real_header + "2 2 1\n3 1 1\n", "the entry lies outside the matrix", 3},
      {real_header + "2 2 1\n0 1 1\n", "the entry lies outside the matrix", 3},
      {real_header + "2 2 1\n1 1 abc\n", "this is not a number", 3},
      {real_header + "2 2 1\n1 1 nan\n", "the value is not finite", 3},
      {real_header + "2 2 1\n1 1\n", "expected 3 numbers, got 2", 3},
      {real_header + "2 2 1\n1 1 1\n2 2 2\n", "there is more than the 1 entries announced", 4},
  };
  for (const Case& bad : cases) {
    const Error error = error_of(bad.text);
    EXPECT_EQ(error.what, bad.what) << bad.text;
    EXPECT_EQ(error.line, bad.line) << bad.text;
    EXPECT_EQ(error.file, (folder_ / "bad.mtx").string());
    EXPECT_FALSE(error.remedy.empty());
  }
}

TEST_F(MatrixMarket, MissingFileAndFolder) {
  EXPECT_FALSE(read_lcp(folder_ / "nowhere"));
  EXPECT_FALSE(read_matrix_market(folder_));
  write("M.mtx", real_header + "1 1 1\n1 1 2\n");
  const auto lcp = read_lcp(folder_);
  ASSERT_FALSE(lcp);
  EXPECT_EQ(lcp.error().file, (folder_ / "q.mtx").string());
}

TEST_F(MatrixMarket, ProblemsMustFitTogether) {
  const std::string array = "%%MatrixMarket matrix array real general\n";
  write("M.mtx", real_header + "2 2 2\n1 1 2\n2 2 3\n");
  write("q.mtx", array + "1 1\n1\n");
  EXPECT_FALSE(read_lcp(folder_));
  write("q.mtx", array + "2 1\n-1\n4\n");
  const auto lcp = read_lcp(folder_);
  ASSERT_TRUE(lcp);
  EXPECT_EQ(lcp->M, (MatrixX(2, 2) << 2, 0, 0, 3).finished());
  EXPECT_EQ(lcp->q, Vector2(-1, 4));
  write("is_comp.mtx", array + "2 1\n0\n2\n");
  EXPECT_FALSE(read_mixed_lcp(folder_));
  write("is_comp.mtx", array + "2 1\n0\n1\n");
  const auto mixed = read_mixed_lcp(folder_);
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->is_complementarity, (std::vector<std::uint8_t>{0, 1}));
  write("M.mtx", real_header + "2 3 1\n1 1 2\n");
  EXPECT_FALSE(read_lcp(folder_));
}

}  // namespace
}  // namespace stiction
