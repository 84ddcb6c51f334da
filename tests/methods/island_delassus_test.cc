// W = J M^-1 J^T by trees against the dense product by Eigen; elimination of joints against Eigen's solution of the
// saddle-point system, also where the joints' rows depend on each other.
#include "stiction/contact/island_delassus.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "stiction/methods/stewart_trinkle.h"
#include "support/box_stack.h"
#include "support/one_step.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using contact::IslandDelassus;
using testing::dense_jacobian;
using testing::dense_mass;

StepProblem articulated_problem(methods::Coordinates coordinates) {
  const testing::Scenario scenario = testing::cart_beside_tower(coordinates);
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  testing::take_steps(simulation, 5);
  return simulation.last_step().problem;
}

// W, J v_free and v_end of every island against the dense matrices.
void compare_with_dense(const StepProblem& problem) {
  contact::Islands islands;
  islands.update(problem);
  const MatrixX J = dense_jacobian(problem), M = dense_mass(problem);
  const MatrixX W = J * M.ldlt().solve(J.transpose());
  const VectorX free = J * problem.v_free;
  VectorX v_end = problem.v_free, impulse = VectorX::Zero(problem.row_count);
  IslandDelassus delassus;
  for (int i = 0; i < islands.count(); ++i) {
    std::vector<int> blocks;
    for (const int b : islands[i].bilaterals) blocks.push_back(problem.bilaterals[b].block);
    for (const int c : islands[i].contacts) blocks.push_back(problem.contacts[c].block);
    for (const int s : islands[i].scalars) blocks.push_back(problem.scalars[s].block);
    ASSERT_TRUE(delassus.form(problem, islands[i], blocks));
    std::vector<int> rows;  // global row of each local row
    for (size_t k = 0; k < blocks.size(); ++k) {
      const RowBlock& block = problem.blocks[blocks[k]];
      ASSERT_EQ(delassus.first_row(static_cast<int>(k)), static_cast<int>(rows.size()));
      for (int r = 0; r < block.row_count; ++r) rows.push_back(block.first_row + r);
    }
    ASSERT_EQ(delassus.rows(), static_cast<int>(rows.size()));
    const Eigen::Map<const MatrixX> local(delassus.matrix().data(), delassus.rows(), delassus.rows());
    const double tolerance = 1e-12 * W.cwiseAbs().maxCoeff();  // rounding times the condition of M
    std::vector<double> p;
    for (size_t r = 0; r < rows.size(); ++r) {
      p.push_back(std::sin(1.0 + static_cast<double>(rows[r])));
      impulse[rows[r]] = p.back();
      EXPECT_NEAR(delassus.free_velocity()[r], free[rows[r]], 1e-12);
      for (size_t c = 0; c < rows.size(); ++c) EXPECT_NEAR(local(r, c), W(rows[r], rows[c]), tolerance);
    }
    delassus.apply(problem, islands[i], p, v_end);
  }
  const VectorX expected = problem.v_free + M.ldlt().solve(J.transpose() * impulse);
  EXPECT_LT((v_end - expected).norm(), 1e-12 * expected.norm());
}

TEST(IslandDelassus, IsTheDenseProduct) {
  testing::StackOptions options;
  options.boxes = 4;
  options.push = 0.3;
  options.mass_ratio = 3;
  compare_with_dense(testing::box_stack(options));
  options.tower = false;
  compare_with_dense(testing::box_stack(options));
  compare_with_dense(articulated_problem(methods::Coordinates::reduced));
  compare_with_dense(articulated_problem(methods::Coordinates::maximal));
}

TEST(IslandDelassus, RejectsAMassThatIsNotPositiveDefinite) {
  StepProblem problem = testing::box_stack({});
  problem.mass[0] = -1;
  contact::Islands islands;
  islands.update(problem);
  const std::vector<int> blocks = {0};
  IslandDelassus delassus;
  EXPECT_FALSE(delassus.form(problem, islands[0], blocks));
}

// The saddle-point system of an island's joints for given impulses of everything else,
//   M v - J_B^T p_B = M v_free + J_G^T p_G,   J_B v = -bias,
// by Eigen's complete orthogonal decomposition, which takes dependent rows; v is unique all the same.
VectorX saddle_point_velocity(const StepProblem& problem, const VectorX& impulse) {
  const MatrixX J = dense_jacobian(problem), M = dense_mass(problem);
  const int n = static_cast<int>(M.rows()), m = static_cast<int>(problem.bilateral_bias.size());
  VectorX p_G = impulse;
  MatrixX K = MatrixX::Zero(n + m, n + m);
  VectorX rhs(n + m);
  K.topLeftCorner(n, n) = M;
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      const int row = block.first_row + r, at = n + joint.first_bias + r;
      p_G[row] = 0;
      K.row(at).head(n) = J.row(row);
      K.col(at).head(n) = -J.row(row).transpose();
      rhs[at] = -problem.bilateral_bias[joint.first_bias + r];
    }
  }
  rhs.head(n) = M * problem.v_free + J.transpose() * p_G;
  return K.completeOrthogonalDecomposition().solve(rhs).head(n);
}

void compare_with_saddle_point(const StepProblem& problem) {
  ASSERT_FALSE(problem.bilaterals.empty());
  methods::StewartTrinkle method({}, 1);
  contact::Islands islands;
  islands.update(problem);
  StepAnswer answer{problem.v_free, VectorX::Zero(problem.row_count)};
  const testing::BareContext bare;
  method.begin(problem, bare.context());
  for (int i = 0; i < islands.count(); ++i) {
    ASSERT_EQ(method.solve_island(problem, islands[i], 0, answer).solve.termination, solvers::Termination::solved);
  }
  const VectorX expected = saddle_point_velocity(problem, answer.impulse);
  // The saddle point's condition is about 1e4 here, and h psi / h of redundant rows stays below 1e-12.
  EXPECT_LT((answer.v_end - expected).norm(), 1e-10 * std::max(1.0, expected.norm()));
  EXPECT_GT(answer.impulse.norm(), 0);
}

TEST(EliminationOfJoints, SolvesTheSaddlePointSystem) {
  compare_with_saddle_point(articulated_problem(methods::Coordinates::maximal));
}

TEST(EliminationOfJoints, TakesRedundantRows) {
  for (const bool maximal : {false, true}) {
    testing::Scenario scenario = testing::four_bar();
    scenario.settings.options.coordinates = maximal ? methods::Coordinates::maximal : methods::Coordinates::reduced;
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    testing::take_steps(simulation, 20);
    const StepProblem& problem = simulation.last_step().problem;
    const MatrixX J = dense_jacobian(problem);
    const auto bilateral_rows = static_cast<long>(problem.bilateral_bias.size());
    Eigen::ColPivHouseholderQR<MatrixX> qr(J.topRows(bilateral_rows));
    EXPECT_LT(qr.setThreshold(1e-9).rank(), bilateral_rows);
    compare_with_saddle_point(problem);
  }
}

// (44): the LCP's matrix over the normals is the Schur complement of the joints.
TEST(EliminationOfJoints, LeavesTheSchurComplement) {
  testing::Scenario scenario = testing::four_bar();
  ASSERT_EQ(scenario.model.bodies[3].name, "floor");
  scenario.model.bodies[3].shapes[0].collide = true;
  scenario.model.bodies.push_back(testing::cube("load", {0.15, 0, 0.86}));
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  testing::take_steps(simulation, 3);
  const StepProblem& problem = simulation.last_step().problem;
  contact::Islands islands;
  islands.update(problem);
  ASSERT_EQ(islands.count(), 1);
  ASSERT_GE(problem.contacts.size(), 2u);
  methods::StewartTrinkle method({}, 1);
  StepAnswer answer{problem.v_free, VectorX::Zero(problem.row_count)};
  const testing::BareContext bare;
  method.begin(problem, bare.context());
  method.solve_island(problem, islands[0], 0, answer);
  const methods::StewartTrinkleLcp& lcp = method.lcp(0);

  const MatrixX J = dense_jacobian(problem), A = dense_mass(problem).inverse();
  const long nB = static_cast<long>(problem.bilateral_bias.size());
  const MatrixX J_B = J.topRows(nB);  // bilaterals come first in the problem
  const MatrixX reduced =
      A - A * J_B.transpose() * (J_B * A * J_B.transpose()).completeOrthogonalDecomposition().solve(J_B * A);
  for (size_t i = 0; i < problem.contacts.size(); ++i) {
    for (size_t j = 0; j < problem.contacts.size(); ++j) {
      const auto row_i = J.row(problem.blocks[problem.contacts[i].block].first_row);
      const auto row_j = J.row(problem.blocks[problem.contacts[j].block].first_row);
      EXPECT_NEAR(lcp.F[j * lcp.n + i], row_i * reduced * row_j.transpose(), 1e-9 * A.cwiseAbs().maxCoeff());
    }
  }
}

}  // namespace
}  // namespace stiction
