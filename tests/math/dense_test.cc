// Kernels for six rows give the bits that the general ones give.
#include "stiction/math/linear/dense.h"

#include <random>

#include <gtest/gtest.h>

#include "stiction/math/types.h"

namespace stiction {
namespace {

// Positive definite; travel stands apart from turn, as in the mass of a body, or does not.
MatrixX random_mass(std::mt19937_64& random, int n, bool apart) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixX A = MatrixX::NullaryExpr(n, n, [&] { return uniform(random); });
  A = A * A.transpose() + MatrixX::Identity(n, n);
  if (!apart) return A;
  A.topRows(3).setZero();
  A.leftCols(3).setZero();
  A.topLeftCorner(3, 3).diagonal().setConstant(0.7);
  return A;
}

TEST(Dense, RowsOfSixNumbersAreSolvedAsOneByOne) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const bool apart : {false, true}) {
    for (const int n : {6, 7}) {
      for (int count = 0; count <= 5; ++count) {
        MatrixX L = random_mass(random, n, apart);
        ASSERT_TRUE(cholesky(L.data(), n));
        MatrixX rows = MatrixX::NullaryExpr(n, count, [&] { return uniform(random); });
        MatrixX one_by_one = rows;
        solve_lower_rows(L.data(), n, rows.data(), count);
        for (int r = 0; r < count; ++r) solve_lower(L.data(), n, one_by_one.col(r).data());
        EXPECT_EQ(rows, one_by_one) << n << ' ' << count;
      }
    }
  }
}

TEST(Dense, CholeskyOfSixRowsIsAFactor) {
  std::mt19937_64 random(6);
  for (const bool apart : {false, true}) {
    for (int i = 0; i < 20; ++i) {
      const MatrixX A = random_mass(random, 6, apart);
      MatrixX factor = A;
      ASSERT_TRUE(cholesky(factor.data(), 6));
      const MatrixX L = factor.triangularView<Eigen::Lower>();
      EXPECT_LT((L * L.transpose() - A).cwiseAbs().maxCoeff(), 1e-14 * A.cwiseAbs().maxCoeff());
    }
  }
  MatrixX singular = MatrixX::Identity(6, 6);
  singular(2, 2) = 0;
  EXPECT_FALSE(cholesky(singular.data(), 6));
}

}  // namespace
}  // namespace stiction
