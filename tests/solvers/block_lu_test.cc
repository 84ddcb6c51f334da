// The sparse block LU against a dense one, and the minimum-degree order.
#include "stiction/solvers/friction/kernels/block_lu.h"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "stiction/solvers/friction/kernels/dense_friction.h"
#include "support/small_friction.h"

namespace stiction::solvers {
namespace {

using namespace stiction::testing;

// A ring of blocks of the given sizes, each coupled to its neighbours and to block 0; not symmetric. Contacts of three
// rows have kernels of their own.
FrictionProblem ring(const std::vector<int>& sizes, unsigned seed, bool contacts = false) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<FrictionBlock> blocks;
  std::vector<int> first;
  int rows = 0;
  for (const int size : sizes) {
    blocks.push_back(contacts ? contact_block(size, 0.5, 0.5) : bilateral_block(size));
    first.push_back(rows);
    rows += size;
  }
  MatrixX W = MatrixX::Zero(rows, rows);
  const int n = static_cast<int>(sizes.size());
  for (int i = 0; i < n; ++i) {
    for (const int j : {i, (i + 1) % n, (i + n - 1) % n, 0}) {
      for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)}) {
        for (int x = 0; x < sizes[a]; ++x) {
          for (int y = 0; y < sizes[b]; ++y) W(first[a] + x, first[b] + y) = 0.3 * uniform(random);
        }
      }
    }
  }
  W.diagonal().array() += 3;
  return friction_problem(std::move(blocks), W, VectorX::Ones(rows));
}

// Tolerance: rounding of systems with condition about 10.
void compare_with_dense(const FrictionProblem& problem, const std::vector<std::uint8_t>& active) {
  ScaledFriction s;
  ASSERT_TRUE(scale_friction(problem, s));
  BlockLu lu;
  lu.analyze(s);
  ASSERT_TRUE(lu.factor(s, s.value.data(), active.data()));
  VectorX x = VectorX::LinSpaced(s.row_count, -1, 2), expected = x;
  std::vector<double> dense;
  dense_matrix(s, dense);
  MatrixX W = Eigen::Map<const RowMatrixX>(dense.data(), s.row_count, s.row_count);
  for (int i = 0; i < s.block_count; ++i) {
    for (int row = s.first[i]; row < s.first[i] + s.dim[i] && !active[i]; ++row) {
      W.row(row).setZero();
      W.col(row).setZero();
      W(row, row) = 1;
    }
  }
  expected = W.partialPivLu().solve(x);
  lu.solve(s, x.data());
  EXPECT_LE((x - expected).norm(), 1e-13 * expected.norm());
}

TEST(BlockLu, SolvesLikeADenseLu) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    compare_with_dense(ring({3, 3, 3, 3, 3, 3, 3}, seed), std::vector<std::uint8_t>(7, 1));
    compare_with_dense(ring({3, 3, 3, 3, 3, 3, 3}, seed, true), std::vector<std::uint8_t>(7, 1));
    compare_with_dense(ring({1, 6, 3, 2, 4, 5, 3, 1}, seed), std::vector<std::uint8_t>(8, 1));
  }
}

TEST(BlockLu, LeavesOutWhatIsSwitchedOff) {
  compare_with_dense(ring({1, 6, 3, 2, 4, 5, 3, 1}, 7), {1, 0, 1, 1, 0, 1, 0, 1});
  compare_with_dense(ring({3, 3, 3, 3, 3}, 8), {0, 1, 1, 0, 1});
  compare_with_dense(ring({3, 3, 3, 3, 3, 3}, 9, true), {0, 1, 1, 0, 1, 1});
}

TEST(BlockLu, RefusesASingularPivot) {
  for (const bool contacts : {false, true}) {
    const FrictionProblem problem = ring({3, 3, 3}, 1, contacts);
    ScaledFriction s;
    ASSERT_TRUE(scale_friction(problem, s));
    BlockLu lu;
    lu.analyze(s);
    const std::vector<double> zeros(s.value.size(), 0.0);
    const std::vector<std::uint8_t> active(3, 1);
    EXPECT_FALSE(lu.factor(s, zeros.data(), active.data()));
  }
}

// Entries below the diagonal of L when a pattern is eliminated in an order.
int fill(int n, const std::vector<std::vector<int>>& neighbours, const std::vector<int>& order) {
  std::vector<std::vector<char>> linked(n, std::vector<char>(n, 0));
  for (int i = 0; i < n; ++i) {
    for (const int j : neighbours[i]) linked[i][j] = linked[j][i] = 1;
  }
  std::vector<char> gone(n, 0);
  int count = 0;
  for (const int pivot : order) {
    gone[pivot] = 1;
    std::vector<int> left;
    for (int j = 0; j < n; ++j) {
      if (linked[pivot][j] && !gone[j]) left.push_back(j);
    }
    count += static_cast<int>(left.size());
    for (const int a : left) {
      for (const int b : left) {
        if (a != b) linked[a][b] = 1;
      }
    }
  }
  return count;
}

std::vector<int> order_of(int n, const std::vector<std::vector<int>>& neighbours) {
  std::vector<int> row_start = {0}, column, order;
  for (int i = 0; i < n; ++i) {
    std::vector<int> row = neighbours[i];
    row.push_back(i);
    std::sort(row.begin(), row.end());
    column.insert(column.end(), row.begin(), row.end());
    row_start.push_back(static_cast<int>(column.size()));
  }
  MinDegree min_degree;
  min_degree.order(n, row_start.data(), column.data(), order);
  return order;
}

bool is_permutation(std::vector<int> order) {
  std::sort(order.begin(), order.end());
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<int>(i)) return false;
  }
  return true;
}

// An arrow (block 0 touches all) fills completely in natural order and not at all when its head goes last.
TEST(MinDegree, FillsAnArrowNowhere) {
  const int n = 20;
  std::vector<std::vector<int>> arrow(n);
  for (int i = 1; i < n; ++i) arrow[0].push_back(i), arrow[i].push_back(0);
  const std::vector<int> order = order_of(n, arrow);
  ASSERT_EQ(order.size(), static_cast<size_t>(n));
  EXPECT_TRUE(is_permutation(order));
  EXPECT_EQ(fill(n, arrow, order), n - 1);
  std::vector<int> natural(n);
  std::iota(natural.begin(), natural.end(), 0);
  EXPECT_EQ(fill(n, arrow, natural), n * (n - 1) / 2);
}

TEST(MinDegree, OrdersRandomPatternsNoWorseThanNature) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 5 + trial;
    std::vector<std::vector<int>> neighbours(n);
    for (int k = 0; k < 2 * n; ++k) {
      const int a = static_cast<int>(random() % n), b = static_cast<int>(random() % n);
      if (a == b || std::count(neighbours[a].begin(), neighbours[a].end(), b) > 0) continue;
      neighbours[a].push_back(b), neighbours[b].push_back(a);
    }
    const std::vector<int> order = order_of(n, neighbours);
    ASSERT_EQ(order.size(), static_cast<size_t>(n));
    EXPECT_TRUE(is_permutation(order));
    std::vector<int> natural(n);
    std::iota(natural.begin(), natural.end(), 0);
    EXPECT_LE(fill(n, neighbours, order), fill(n, neighbours, natural)) << n;
  }
}

}  // namespace
}  // namespace stiction::solvers
