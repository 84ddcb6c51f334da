// The multifrontal factorisation against dense ones: random graphs, sizes and numbers, both kinds.
#include "stiction/math/linear/multifrontal.h"

#include <random>
#include <utility>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "stiction/math/types.h"

namespace stiction {
namespace {

// A graph of blocks and a matrix on it, dense and in the fronts' values.
class Example {
 public:
  explicit Example(unsigned seed) : random_(seed) {
    const int n = integer(1, 40), edges = integer(0, 3 * n);
    for (int b = 0; b < n; ++b) sizes_.push_back(integer(0, 3) == 0 ? integer(1, 20) : 6);
    for (int e = 0; e < edges; ++e) edges_.push_back({integer(0, n - 1), integer(0, n - 1)});
    start_.push_back(0);
    for (const int size : sizes_) start_.push_back(start_.back() + size);
  }

  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  MatrixX numbers(int rows, int columns) {
    return MatrixX::NullaryExpr(rows, columns, [&] { return uniform(); });
  }

  // New numbers. Diagonal blocks are large; of general matrices their first two rows change places, so that pivots on
  // the diagonal would not do.
  void fill(MatrixKind kind, Multifrontal& factors) {
    A = MatrixX::Zero(start_.back(), start_.back());
    factors.clear(kind);
    for (size_t b = 0; b < sizes_.size(); ++b) {
      const int size = sizes_[b];
      MatrixX D = numbers(size, size);
      if (kind == MatrixKind::symmetric) D = (D + D.transpose()).eval();
      D.diagonal().array() += 40 + 2.0 * static_cast<double>(edges_.size());
      if (kind == MatrixKind::general && size > 1) D.row(0).swap(D.row(1));
      A.block(start_[b], start_[b], size, size) += D;
      Eigen::Map<MatrixX>(factors.diagonal(static_cast<int>(b)), size, size) += D;
    }
    for (size_t e = 0; e < edges_.size(); ++e) add_edge(kind, static_cast<int>(e), factors);
  }

  std::vector<int> sizes_, start_;
  std::vector<BlockEdge> edges_;
  MatrixX A;

 private:
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void add_edge(MatrixKind kind, int e, Multifrontal& factors) {
    auto [row, column] = edges_[e];
    if (row == column) return;
    const Multifrontal::Place place = factors.place(e);
    if (!place.a_is_later) std::swap(row, column);
    const int n = sizes_[row], m = sizes_[column];
    const MatrixX lower = numbers(n, m), upper = kind == MatrixKind::general ? numbers(n, m) : lower;
    A.block(start_[row], start_[column], n, m) += lower;
    A.block(start_[column], start_[row], m, n) += upper.transpose();
    Eigen::Map<MatrixX>(factors.values() + place.lower, n, m) += lower;
    if (kind == MatrixKind::general) Eigen::Map<MatrixX>(factors.values() + place.upper, n, m) += upper;
  }

  std::mt19937 random_;
};

// Backward stable: the residual is a few units of rounding times the growth, far below 1e-12 for dominant blocks.
void expect_solves(const Example& example, const Multifrontal& factors, const VectorX& b) {
  VectorX x = b;
  factors.solve(x.data());
  EXPECT_LE((example.A * x - b).norm(), 1e-12 * b.norm());
}

TEST(Multifrontal, SolvesAsDenseFactorisationsDo) {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Example example(seed);
    Multifrontal factors;
    EXPECT_TRUE(factors.analyze(example.sizes_, example.edges_));
    for (const MatrixKind kind : {MatrixKind::symmetric, MatrixKind::general}) {
      example.fill(kind, factors);
      ASSERT_TRUE(factors.factor(kind)) << seed;
      expect_solves(example, factors, example.numbers(static_cast<int>(example.A.rows()), 1));
    }
  }
}

TEST(Multifrontal, OneAnalysisServesManyMatricesAndIsKept) {
  Example example(7);
  Multifrontal factors;
  EXPECT_TRUE(factors.analyze(example.sizes_, example.edges_));
  const std::vector<int> order = factors.tree().order();
  for (int k = 0; k < 5; ++k) {
    EXPECT_FALSE(factors.analyze(example.sizes_, example.edges_)) << "the graph is the same";
    const MatrixKind kind = k % 2 == 0 ? MatrixKind::general : MatrixKind::symmetric;
    example.fill(kind, factors);
    ASSERT_TRUE(factors.factor(kind));
    expect_solves(example, factors, example.numbers(static_cast<int>(example.A.rows()), 1));
  }
  EXPECT_EQ(factors.tree().order(), order);
  Example other(8);
  EXPECT_TRUE(factors.analyze(other.sizes_, other.edges_));
  other.fill(MatrixKind::general, factors);
  ASSERT_TRUE(factors.factor(MatrixKind::general));
  expect_solves(other, factors, other.numbers(static_cast<int>(other.A.rows()), 1));
}

// What is too dear is only counted; the same graph is analysed where more work is allowed.
TEST(Multifrontal, LeavesTooMuchWorkAlone) {
  Example example(7);
  Multifrontal factors;
  EXPECT_TRUE(factors.analyze(example.sizes_, example.edges_, 1));
  EXPECT_FALSE(factors.fits());
  const double work = factors.work();
  EXPECT_GT(work, 1);
  EXPECT_FALSE(factors.analyze(example.sizes_, example.edges_, 0.5 * work)) << "nothing new";
  EXPECT_FALSE(factors.fits());
  EXPECT_TRUE(factors.analyze(example.sizes_, example.edges_, work));
  EXPECT_TRUE(factors.fits());
  EXPECT_EQ(factors.work(), work);
  example.fill(MatrixKind::general, factors);
  ASSERT_TRUE(factors.factor(MatrixKind::general));
  expect_solves(example, factors, example.numbers(static_cast<int>(example.A.rows()), 1));
}

// Against dense determinants; the rows that change places, and a column that changes its sign in every other example,
// give both signs.
TEST(Multifrontal, KnowsTheSignOfTheDeterminant) {
  int negative = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    Example example(seed);
    Multifrontal factors;
    factors.analyze(example.sizes_, example.edges_);
    example.fill(MatrixKind::general, factors);
    if (seed % 2 == 0) {
      for (int i = 0; i < example.sizes_[0]; ++i) {
        const double twice = 2 * example.A(i, 0);
        factors.diagonal(0)[i] -= twice;
        example.A(i, 0) -= twice;
      }
    }
    ASSERT_TRUE(factors.factor(MatrixKind::general)) << seed;
    // Scaled, so that the determinant of hundreds of rows does not overflow.
    const double determinant = (example.A / example.A.cwiseAbs().maxCoeff()).partialPivLu().determinant();
    if (determinant == 0) continue;
    EXPECT_EQ(factors.determinant_sign(), determinant > 0 ? 1 : -1) << seed;
    negative += determinant < 0 ? 1 : 0;
    example.fill(MatrixKind::symmetric, factors);
    ASSERT_TRUE(factors.factor(MatrixKind::symmetric));
    EXPECT_EQ(factors.determinant_sign(), 1) << seed;
  }
  EXPECT_GT(negative, 20);
}

// A chain in which the middle block has a row of zeros, or a negative diagonal.
TEST(Multifrontal, SaysThatAPivotFails) {
  const std::vector<int> sizes = {6, 6, 6};
  const std::vector<BlockEdge> edges = {{0, 1}, {1, 2}};
  Multifrontal factors;
  factors.analyze(sizes, edges);
  for (const MatrixKind kind : {MatrixKind::symmetric, MatrixKind::general}) {
    factors.clear(kind);
    for (int b = 0; b < 3; ++b) Eigen::Map<Matrix6>(factors.diagonal(b)).setIdentity();
    EXPECT_TRUE(factors.factor(kind));
    Eigen::Map<Matrix6>(factors.diagonal(1))(3, 3) = 0;
    EXPECT_FALSE(factors.factor(kind));
    Eigen::Map<Matrix6>(factors.diagonal(1))(3, 3) = -1;
    EXPECT_EQ(factors.factor(kind), kind == MatrixKind::general);
    Eigen::Map<Matrix6>(factors.diagonal(1))(3, 3) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(factors.factor(kind));
  }
}

// Every position once, children before parents, and the fronts' pivots cover all blocks.
TEST(FrontTree, IsAPostorderOfAllBlocks) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const Example example(seed);
    FrontTree tree;
    tree.analyze(example.sizes_, example.edges_);
    std::vector<int> order = tree.order();
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<int>(i));
    int next = 0;
    for (size_t f = 0; f < tree.fronts().size(); ++f) {
      EXPECT_EQ(tree.fronts()[f].first, next);
      next = tree.fronts()[f].end;
      EXPECT_TRUE(tree.fronts()[f].parent == -1 || tree.fronts()[f].parent > static_cast<int>(f));
    }
    EXPECT_EQ(next, tree.block_count());
  }
}

}  // namespace
}  // namespace stiction
