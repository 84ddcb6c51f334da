// The whitened system: products are those of dense matrices, and of trees of joints only ancestors have columns.
#include <algorithm>

#include <gtest/gtest.h>

#include "stiction/solvers/friction/body/body_matrix.h"
#include "stiction/solvers/friction/body/body_system.h"
#include "support/branched_tree.h"
#include "support/random_bodies.h"

namespace stiction::solvers {
namespace {

using stiction::testing::BranchedTree;

constexpr double rounding = 1e-12;  // of sums over some thirty numbers of order one to a hundred

// Appends a body; its velocities follow those before.
void add_body(const MatrixX& M, BodyFrictionProblem& problem) {
  const int size = static_cast<int>(M.rows());
  problem.bodies.push_back({problem.velocity_count(), size, static_cast<int>(problem.mass.size())});
  problem.mass.insert(problem.mass.end(), M.data(), M.data() + M.size());
  for (int i = 0; i < size; ++i) problem.v_free.push_back(0.1 * i - 0.3);
}

// Appends a block; rows(side, r) is row r on one of its bodies.
template <class Rows>
void add_block(FrictionBlock block, std::array<int, 2> body, Rows&& rows, BodyFrictionProblem& problem) {
  block.first_row = problem.row_count();
  BodyRows sides = {body, {0, 0}};
  for (int side = 0; side < 2 && body[side] >= 0; ++side) {
    sides.offset[side] = static_cast<int>(problem.jacobian.size());
    for (int r = 0; r < block.row_count; ++r) {
      const VectorX J = rows(side, r);
      problem.jacobian.insert(problem.jacobian.end(), J.data(), J.data() + J.size());
    }
  }
  problem.blocks.push_back(block);
  problem.sides.push_back(sides);
  for (int r = 0; r < block.row_count; ++r) problem.bias.push_back(0.05 * r);
}

struct TreeProblem {
  BodyFrictionProblem problem;
  std::vector<int> link;  // of each block: the velocity of its link on the tree
};

// Every law on the links of a tree, one by one, some of them against a free body.
TreeProblem on_a_tree(BranchedTree& tree, unsigned seed) {
  TreeProblem result;
  BodyFrictionProblem& problem = result.problem;
  add_body(tree.mass(), problem);
  add_body(stiction::testing::definite_matrix(6, seed), problem);
  for (int link = 5; link < tree.size(); ++link) {
    const auto rows = [&](int side, int r) -> VectorX {
      return side == 0 ? tree.row(link) : VectorX(VectorX::LinSpaced(6, -1, 0.3 * (r + 1)));
    };
    const auto add = [&](const FrictionBlock& block) {
      add_block(block, {0, link % 3 == 0 ? 1 : -1}, rows, problem);
      result.link.push_back(link);
    };
    add(stiction::testing::contact_block(3, 0.5, 0.3));
    add(stiction::testing::contact_block(1));
    add(stiction::testing::bilateral_block(1 + link % 6));
    add(stiction::testing::contact_block(4, 0.5, 0.5, 0.1));
    add(stiction::testing::bounded_block(2, 0, problem.block_count() - 1, 0.1));
  }
  return result;
}

// H H^T, column by column as solvers multiply.
MatrixX product_of(const BodySystem& system) {
  MatrixX W(system.row_count, system.row_count);
  VectorX x(system.velocity_count);
  for (int i = 0; i < system.row_count; ++i) {
    const VectorX z = VectorX::Unit(system.row_count, i);
    velocity_of(system, z.data(), x.data());
    all_rates(system, x.data(), W.col(i).data());
  }
  return W;
}

// The largest entry of H H^T - D T W T D, W by dense matrices.
double error_of(const BodyFrictionProblem& problem, const BodySystem& system) {
  const MatrixX W = MatrixX(matrix_of(stiction::testing::condensed(problem)));
  const VectorX scale = Eigen::Map<const VectorX>(system.scale.data(), system.row_count) / system.q_norm;
  const MatrixX wanted = scale.asDiagonal() * W * scale.asDiagonal();
  MatrixX own = product_of(system);
  for (const SystemBlock& block : system.blocks) {  // and W of each block as the system keeps it
    const Eigen::Map<const RowMatrixX> kept(system.W.data() + block.W, block.dim, block.dim);
    EXPECT_LE((own.block(block.first, block.first, block.dim, block.dim) - kept).lpNorm<Eigen::Infinity>(), rounding);
  }
  return (own - wanted).lpNorm<Eigen::Infinity>();
}

double end_velocity_error(const BodyFrictionProblem& problem, const BodySystem& system) {
  const VectorX r = VectorX::LinSpaced(problem.row_count(), -1, 2);
  VectorX v(problem.velocity_count());
  end_velocity(problem, system, {r.data(), static_cast<size_t>(r.size())}, {v.data(), static_cast<size_t>(v.size())});
  return (v - body_velocity(problem, r)).lpNorm<Eigen::Infinity>();
}

// G of every block, not symmetric unless wanted; small enough to keep the matrix far from singular.
void fill(bool symmetric, int n, std::vector<double>& G) {
  G.assign(static_cast<size_t>(n) * n, 0.0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) G[i * n + j] = i == j ? 1.0 : symmetric ? 0.1 : 0.1 * (i - j);
  }
}

// Of x = A^-1 b: the largest entry of x + H^T G H x (and links) - b.
double matrix_error(const BodyFrictionProblem& problem, const BodySystem& system, MatrixKind kind) {
  BodyMatrix matrix;
  matrix.analyze(system);
  matrix.start(kind);
  const bool symmetric = kind == MatrixKind::symmetric;
  std::vector<double> G, rates(system.row_count), right(system.row_count, 0.0);
  const VectorX b = VectorX::LinSpaced(system.velocity_count, -1, 1);
  const double c[] = {0.2, -0.1};
  for (int i = 0; i < problem.block_count(); ++i) {
    fill(symmetric, system.blocks[i].dim, G);
    if (system.blocks[i].dim > 0) matrix.add(system, i, G.data(), 0.5);
    if (!symmetric && system.blocks[i].link >= 0) matrix.add_link(system, i, c, 0.5);
  }
  EXPECT_TRUE(matrix.factor());
  VectorX x = b, back(system.velocity_count);
  matrix.solve(x.data());
  all_rates(system, x.data(), rates.data());
  for (const SystemBlock& block : system.blocks) {
    fill(symmetric, block.dim, G);
    for (int i = 0; i < block.dim; ++i) {
      for (int j = 0; j < block.dim; ++j) right[block.first + i] += 0.5 * G[i * block.dim + j] * rates[block.first + j];
      if (!symmetric && block.link >= 0) right[block.first + i] += 0.5 * c[i] * rates[system.blocks[block.link].first];
    }
  }
  velocity_of(system, right.data(), back.data());
  return (x + back - b).lpNorm<Eigen::Infinity>();
}

TEST(BodySystemOfATree, OnlyAncestorsHaveColumns) {
  BranchedTree tree(4, 5, 1);
  const auto [problem, link] = on_a_tree(tree, 2);
  BodySystem system;
  ASSERT_TRUE(make_body_system(problem, system));
  for (int b = 0; b < problem.block_count(); ++b) {
    const SystemBlock& block = system.blocks[b];
    const int* columns = system.columns.data() + block.columns[0];
    for (int k = 0; k < block.width[0]; ++k) {
      if (columns[k] < 26 && tree.moves(columns[k], link[b])) continue;
      for (int r = 0; r < block.dim; ++r) EXPECT_EQ(system.H[block.H[0] + r * block.width[0] + k], 0) << "fills a quad";
    }
    EXPECT_LE(block.width[0], 16);  // root and one limb, 11 of 26 velocities, and what fills their quads
  }
}

TEST(BodySystemOfATree, TheSameBitsWithNarrowRegisters) {
  const bool wide = use_wide_registers;
  BranchedTree tree(3, 4, 2);
  const BodyFrictionProblem problem = on_a_tree(tree, 2).problem;
  MatrixX product[2];
  VectorX solution[2];
  for (const bool narrow : {false, true}) {
    use_wide_registers = wide && !narrow;
    BodySystem system;
    const bool made = make_body_system(problem, system);
    product[narrow] = product_of(system);
    BodyMatrix matrix;
    matrix.analyze(system);
    matrix.start(MatrixKind::symmetric);
    std::vector<double> G;
    for (int b = 0; b < problem.block_count(); ++b) {
      fill(true, system.blocks[b].dim, G);
      if (system.blocks[b].dim > 0) matrix.add(system, b, G.data(), 0.5);
    }
    const bool factored = matrix.factor();
    solution[narrow] = VectorX::LinSpaced(system.velocity_count, -1, 1);
    matrix.solve(solution[narrow].data());
    use_wide_registers = wide;
    ASSERT_TRUE(made && factored);
  }
  EXPECT_EQ(product[0], product[1]);
  EXPECT_EQ(solution[0], solution[1]);
}

TEST(BodySystemOfATree, ProductsAreThoseOfDenseMatrices) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    for (const bool reversed : {false, true}) {  // children first: right all the same, but dense
      BranchedTree tree(3, 4, seed, reversed);
      const BodyFrictionProblem problem = on_a_tree(tree, seed).problem;
      BodySystem system;
      ASSERT_TRUE(make_body_system(problem, system));
      EXPECT_LE(error_of(problem, system), rounding) << seed;
      EXPECT_LE(end_velocity_error(problem, system), 100 * rounding) << seed;
      EXPECT_LE(matrix_error(problem, system, MatrixKind::symmetric), rounding) << seed;
      EXPECT_LE(matrix_error(problem, system, MatrixKind::general), rounding) << seed;
    }
  }
}

TEST(BodySystemOfATree, DenseMassesOfAnySizeAreRight) {
  for (const int size : {1, 3, 6, 7, 12, 40}) {
    BodyFrictionProblem problem;
    add_body(stiction::testing::definite_matrix(size, size), problem);
    const auto rows = [&](int, int r) { return VectorX(VectorX::LinSpaced(size, 0.5 - r, 1 + 0.2 * r * r)); };
    add_block(stiction::testing::contact_block(3, 0.5, 0.5), {0, -1}, rows, problem);
    add_block(stiction::testing::contact_block(1), {0, -1}, rows, problem);
    BodySystem system;
    ASSERT_TRUE(make_body_system(problem, system));
    EXPECT_LE(error_of(problem, system), rounding) << size;
    EXPECT_LE(end_velocity_error(problem, system), rounding * size) << size;
    EXPECT_LE(matrix_error(problem, system, MatrixKind::general), rounding) << size;
  }
}

// Contacts of three rows on one or two of them have kernels of their own.
TEST(BodySystemOfFreeBodies, ProductsAreThoseOfDenseMatrices) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const BodyFrictionProblem problem =
        stiction::testing::random_bodies({.bodies = 6, .contacts = 20, .every_law = seed % 2 == 0}, seed);
    BodySystem system;
    ASSERT_TRUE(make_body_system(problem, system));
    const auto is_pair = [](const SystemBlock& block) { return block.plain && block.size[0] > 0 && block.size[1] > 0; };
    EXPECT_TRUE(std::any_of(system.blocks.begin(), system.blocks.end(), is_pair)) << seed;
    EXPECT_LE(error_of(problem, system), rounding) << seed;
    EXPECT_LE(end_velocity_error(problem, system), 100 * rounding) << seed;
    EXPECT_LE(matrix_error(problem, system, MatrixKind::symmetric), rounding) << seed;
    EXPECT_LE(matrix_error(problem, system, MatrixKind::general), rounding) << seed;
  }
}

TEST(BodySystemOfATree, OneFlippedSignShows) {
  BranchedTree tree(3, 4, 1);
  BodyFrictionProblem problem = on_a_tree(tree, 1).problem;
  BodySystem system;
  ASSERT_TRUE(make_body_system(problem, system));
  double& factor = system.chol[5 * tree.size()];  // of the root's last velocity, in the row of its first
  factor = -factor;
  EXPECT_GT(end_velocity_error(problem, system), 1e-3);
  problem.jacobian[2] = -problem.jacobian[2];
  EXPECT_GT(error_of(problem, system), 1e-3);
}

TEST(BodySystemOfATree, RefusesAMassThatIsNotPositive) {
  BranchedTree tree(2, 3, 1);
  MatrixX M = tree.mass();
  M(4, 4) = -1;
  BodyFrictionProblem problem;
  add_body(M, problem);
  add_block(
      stiction::testing::contact_block(1), {0, -1}, [&](int, int) { return tree.row(7); }, problem);
  BodySystem system;
  EXPECT_FALSE(make_body_system(problem, system));
}

}  // namespace
}  // namespace stiction::solvers
