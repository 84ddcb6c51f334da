#include "stiction/problem/global_friction_problem.h"

#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "stiction/io/fclib.h"
#include "stiction/math/types.h"
#include "support/places.h"

namespace stiction {
namespace {

SparseRows sparse(const MatrixX& dense) {
  return dense.sparseView();
}

// Entries of order one, `fill` of them not zero.
MatrixX random_matrix(int rows, int columns, double fill, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixX A = MatrixX::Zero(rows, columns);
  for (int i = 0; i < rows * columns; ++i) {
    const double value = uniform(random);
    if (std::abs(uniform(random)) < fill) A.data()[i] = value;
  }
  return A;
}

std::vector<double> random_vector(int n, std::mt19937& random) {
  const VectorX x = random_matrix(n, 1, 1, random);
  return {x.data(), x.data() + n};
}

GlobalFrictionProblem random_problem(bool symmetric, int bilateral_rows, std::mt19937& random) {
  const int n = 12;
  GlobalFrictionProblem problem;
  const MatrixX A = random_matrix(n, n, 0.3, random);
  problem.M = sparse(symmetric ? MatrixX(A * A.transpose() + MatrixX::Identity(n, n))
                               : MatrixX(A + 4 * MatrixX::Identity(n, n)));
  problem.H = sparse(random_matrix(n, 6, 0.5, random));
  problem.G = sparse(random_matrix(n, bilateral_rows, 0.5, random));
  problem.f = random_vector(n, random);
  problem.w = random_vector(6, random);
  problem.b = random_vector(bilateral_rows, random);
  problem.mu = {0.3, 0.6};
  return problem;
}

VectorX vector(const std::vector<double>& x) {
  return Eigen::Map<const VectorX>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// For any impulses, u and the bilateral velocities are those of the global equations, solved densely.
TEST(GlobalFrictionProblem, CondensedVelocitiesAreThoseOfTheGlobalEquations) {
  std::mt19937 random(3);
  for (const bool symmetric : {true, false}) {
    for (const int bilateral_rows : {0, 2}) {
      const GlobalFrictionProblem global = random_problem(symmetric, bilateral_rows, random);
      const auto local = condense(global);
      ASSERT_TRUE(local) << local.error().message();
      ASSERT_EQ(local->row_count(), 6 + bilateral_rows);
      EXPECT_EQ(local->block_count(), 2 + bilateral_rows);
      const VectorX r = vector(random_vector(6 + bilateral_rows, random));
      const VectorX impulse = global.H * r.head(6) + global.G * r.tail(bilateral_rows) + vector(global.f);
      const VectorX v = MatrixX(global.M).partialPivLu().solve(impulse);
      VectorX expected(r.size());
      expected << global.H.transpose() * v + vector(global.w), global.G.transpose() * v + vector(global.b);
      const VectorX u = matrix_of(*local) * r + vector(local->q);
      EXPECT_LE((u - expected).norm(), 1e-12 * expected.norm());
    }
  }
}

// Two bodies that touch only the ground: W has no block between their contacts.
TEST(GlobalFrictionProblem, KeepsTheSparsityOfTheMechanism) {
  GlobalFrictionProblem global;
  MatrixX M = MatrixX::Zero(6, 6);
  M.topLeftCorner(3, 3) << 2, 1, 0, 1, 2, 1, 0, 1, 2;
  M.bottomRightCorner(3, 3) = 3 * M.topLeftCorner(3, 3);
  global.M = sparse(M);
  global.H = sparse(MatrixX::Identity(6, 6));
  global.G = SparseRows(6, 0);
  global.f.assign(6, 1.0);
  global.w.assign(6, 0.0);
  global.mu = {0.5, 0.5};
  const auto local = condense(global);
  ASSERT_TRUE(local);
  EXPECT_EQ(local->column, (std::vector<int>{0, 1}));
}

TEST(GlobalFrictionProblem, MasslessVelocitiesAreRejected) {
  std::mt19937 random(5);
  GlobalFrictionProblem global = random_problem(true, 0, random);
  MatrixX M = global.M;
  M.row(4).setZero();
  M.col(4).setZero();
  global.M = sparse(M);
  const auto local = condense(global);
  ASSERT_FALSE(local);
  EXPECT_FALSE(local.error().remedy.empty());
}

TEST(GlobalFrictionProblem, RoundTripsThroughAFile) {
  std::mt19937 random(9);
  const auto path = stiction::testing::binary_path("tests/global_round_trip.hdf5");
  for (const int bilateral_rows : {0, 2}) {
    const GlobalFrictionProblem problem = random_problem(false, bilateral_rows, random);
    ASSERT_TRUE(write_fclib_global(path, problem, {"title", "text"}));
    const auto read = read_fclib_global(path);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(MatrixX(read->M), MatrixX(problem.M));
    EXPECT_EQ(MatrixX(read->H), MatrixX(problem.H));
    EXPECT_EQ(MatrixX(read->G), MatrixX(problem.G));
    EXPECT_EQ(read->f, problem.f);
    EXPECT_EQ(read->w, problem.w);
    EXPECT_EQ(read->b, problem.b);
    EXPECT_EQ(read->mu, problem.mu);
    const auto condensed = read_friction_file(path);
    ASSERT_TRUE(condensed) << condensed.error().message();
    EXPECT_EQ(condensed->form, FrictionFile::Form::global);
    EXPECT_EQ(condensed->contact_rows, 6);
    EXPECT_EQ(condensed->problem.q, condense(problem)->q);
    std::filesystem::remove(path);
  }
}

TEST(GlobalFrictionProblem, SizesThatDisagreeAreRejected) {
  std::mt19937 random(11);
  const auto path = stiction::testing::binary_path("tests/global_bad.hdf5");
  const auto expect_rejected = [&](const GlobalFrictionProblem& problem, const std::string& dataset) {
    ASSERT_TRUE(write_fclib_global(path, problem));
    for (const bool condensed : {false, true}) {
      const Error error = condensed ? read_friction_file(path).error() : read_fclib_global(path).error();
      EXPECT_EQ(error.name, "/fclib_global/" + dataset) << error.message();
      EXPECT_EQ(error.file, path);
    }
  };
  const GlobalFrictionProblem good = random_problem(true, 2, random);
  GlobalFrictionProblem bad = good;
  bad.H = sparse(random_matrix(11, 6, 1, random));
  expect_rejected(bad, "H");
  bad = good;
  bad.M = sparse(random_matrix(12, 11, 1, random));
  expect_rejected(bad, "M");
  bad = good;
  bad.G = sparse(random_matrix(13, 2, 1, random));
  expect_rejected(bad, "G");
  bad = good;
  bad.f.pop_back();
  expect_rejected(bad, "vectors/f");
  bad = good;
  bad.w.pop_back();
  expect_rejected(bad, "vectors/w");
  bad = good;
  bad.b.pop_back();
  expect_rejected(bad, "vectors/b");
  bad = good;
  bad.mu.pop_back();
  expect_rejected(bad, "vectors/mu");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stiction
