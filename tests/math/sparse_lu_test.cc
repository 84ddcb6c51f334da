// Sparse LU against the matrix it factors.
#include "stiction/math/linear/sparse_lu.h"

#include <algorithm>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "stiction/math/types.h"

namespace stiction::solvers {
namespace {

MatrixX random_sparse(int n, double share, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixX A = MatrixX::Zero(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (std::abs(uniform(random)) < share) A(i, j) = uniform(random);
    }
    A((j * 7 + 3) % n, j) += 3;  // a permutation away from the diagonal, so that rows must be exchanged
  }
  return A;
}

bool factor(const MatrixX& A, SparseLu& lu, std::vector<int>& order) {
  SparseColumns columns;
  columns.assign_dense(static_cast<int>(A.cols()), A.data());
  OrderingMemory memory;
  minimum_degree(columns, memory, order);
  std::vector<int> preferred(A.cols());
  std::iota(preferred.begin(), preferred.end(), 0);
  return lu.factor(columns, order.data(), preferred.data(), 0.1, 1e-13);
}

TEST(SparseLu, SolvesRandomMatrices) {
  std::mt19937 random(31);
  SparseLu lu;
  for (const int n : {1, 2, 5, 20, 90, 130}) {
    for (const double share : {0.02, 0.2, 1.0}) {
      const MatrixX A = random_sparse(n, share, random);
      std::vector<int> order;
      ASSERT_TRUE(factor(A, lu, order));
      const VectorX x = VectorX::LinSpaced(n, -1, 2);
      VectorX b = A * x, result(n);
      lu.solve(b.data(), result.data());
      // Growth and condition of these draws stay below 1e4.
      EXPECT_LT((result - x).norm(), 1e-11 * x.norm()) << n << " " << share;
      std::sort(order.begin(), order.end());
      for (int i = 0; i < n; ++i) ASSERT_EQ(order[i], i);
    }
  }
}

TEST(SparseLu, SingularIsRefused) {
  std::mt19937 random(32);
  SparseLu lu;
  std::vector<int> order;
  MatrixX A = random_sparse(30, 0.2, random);
  A.col(7) = A.col(3) - 2 * A.col(11);
  EXPECT_FALSE(factor(A, lu, order));
  A = random_sparse(30, 0.2, random);
  A.row(5).setZero();
  EXPECT_FALSE(factor(A, lu, order));
}

// An arrow: the hub must go last, or the factors fill up.
TEST(SparseLu, OrderKeepsAnArrowSparse) {
  const int n = 200;
  MatrixX A = 4 * MatrixX::Identity(n, n);
  A.row(0).setOnes();
  A.col(0).setOnes();
  A(0, 0) = n;
  SparseLu lu;
  std::vector<int> order;
  ASSERT_TRUE(factor(A, lu, order));
  EXPECT_LE(lu.l_row.size() + lu.u_row.size(), 2u * n);
}

}  // namespace
}  // namespace stiction::solvers
