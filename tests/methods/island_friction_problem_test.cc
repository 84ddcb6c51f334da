// An island as a friction problem: W and q against the dense product by Eigen, the blocks' laws against the rows they
// come from.
#include "stiction/methods/shared/island_friction_problem.h"

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "support/box_stack.h"
#include "support/random_impacts.h"
#include "support/scenarios.h"

namespace stiction {
namespace {

using contact::IslandRows;
using methods::IslandFrictionProblem;
using Law = FrictionBlock::Law;

StepProblem articulated_problem(methods::Coordinates coordinates) {
  testing::Scenario scenario = testing::cart_beside_tower(coordinates);
  scenario.model.materials[0].torsional_friction = 0.02;
  scenario.model.materials[0].rolling_friction = 0.01;
  scenario.settings.method = "stewart-trinkle";
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  testing::take_steps(simulation, 5);
  return simulation.last_step().problem;
}

MatrixX dense_delassus(const FrictionProblem& problem) {
  MatrixX W = MatrixX::Zero(problem.row_count(), problem.row_count());
  for (int i = 0; i < problem.block_count(); ++i) {
    for (int k = problem.row_start[i]; k < problem.row_start[i + 1]; ++k) {
      const FrictionBlock &row = problem.blocks[i], &column = problem.blocks[problem.column[k]];
      EXPECT_TRUE(k == problem.row_start[i] || problem.column[k - 1] < problem.column[k]);
      W.block(row.first_row, column.first_row, row.row_count, column.row_count) =
          Eigen::Map<const RowMatrixX>(problem.value.data() + problem.value_start[k], row.row_count, column.row_count);
    }
  }
  return W;
}

struct Formed {
  std::vector<int> blocks;
  contact::IslandRows rows;
  IslandFrictionProblem island;
};

Formed form(const StepProblem& step, const contact::Island& island) {
  Formed formed;
  methods::list_island_blocks(step, island, formed.blocks);
  EXPECT_TRUE(formed.rows.form(step, island, formed.blocks));
  methods::form_velocity_problem(step, island, formed.blocks, formed.rows, formed.island);
  return formed;
}

// Global row of every row of the friction problem.
std::vector<int> global_rows(const StepProblem& step, const Formed& formed) {
  std::vector<int> rows;
  for (const methods::RowSelection& s : formed.island.selection) {
    for (int r = 0; r < s.count; ++r) rows.push_back(step.blocks[formed.blocks[s.block]].first_row + s.row[r]);
  }
  return rows;
}

// The contacts of one body fill W, which is formed by halves then.
TEST(IslandFrictionProblem, DelassusOfOneBodyIsTheDenseOne) {
  std::mt19937_64 random(8);
  const StepProblem step = testing::random_impact({.bodies = 1, .contacts = 5, .friction = 0.5}, random);
  const MatrixX J = testing::dense_jacobian(step);
  const MatrixX W = J * testing::dense_mass(step).ldlt().solve(J.transpose());
  contact::Islands islands;
  islands.update(step);
  ASSERT_EQ(islands.count(), 1);
  const Formed formed = form(step, islands[0]);
  EXPECT_EQ(formed.island.problem.column.size(), 25u);
  const MatrixX found = dense_delassus(formed.island.problem);
  EXPECT_LT((found - W).cwiseAbs().maxCoeff(), 1e-13 * W.cwiseAbs().maxCoeff());
  EXPECT_EQ(found, found.transpose());
}

TEST(IslandFrictionProblem, DelassusIsTheDenseOneWhereTreesAreShared) {
  for (const auto coordinates : {methods::Coordinates::reduced, methods::Coordinates::maximal}) {
    const StepProblem step = articulated_problem(coordinates);
    const MatrixX J = testing::dense_jacobian(step);
    const MatrixX W = J * testing::dense_mass(step).ldlt().solve(J.transpose());
    contact::Islands islands;
    islands.update(step);
    size_t stored = 0;
    for (int i = 0; i < islands.count(); ++i) {
      const Formed formed = form(step, islands[i]);
      const FrictionProblem& problem = formed.island.problem;
      const std::vector<int> rows = global_rows(step, formed);
      ASSERT_EQ(rows.size(), problem.q.size());
      EXPECT_LT((dense_delassus(problem) - W(rows, rows)).cwiseAbs().maxCoeff(), 1e-10 * W.cwiseAbs().maxCoeff());
      stored += problem.column.size();
    }
    EXPECT_LT(stored, step.blocks.size() * step.blocks.size());  // the tower and the cart share nothing
  }
}

// v_end of random impulses by the island's way back and by the dense mass matrix.
TEST(IslandFrictionProblem, ImpulsesMoveTheTrees) {
  const StepProblem step = articulated_problem(methods::Coordinates::reduced);
  contact::Islands islands;
  islands.update(step);
  VectorX v = step.v_free, p = VectorX::Zero(step.row_count);
  for (int i = 0; i < islands.count(); ++i) {
    Formed formed = form(step, islands[i]);
    const std::vector<int> rows = global_rows(step, formed);
    std::vector<double> r(rows.size()), local, back;
    for (size_t k = 0; k < rows.size(); ++k) p[rows[k]] = r[k] = std::sin(1.0 + 3.0 * rows[k]);
    formed.island.scatter(formed.rows, r, local);
    formed.rows.apply(step, islands[i], local, step.v_free, v);
    formed.island.gather(formed.rows, local, back);
    EXPECT_EQ(back, r);
  }
  const VectorX expected =
      step.v_free + testing::dense_mass(step).ldlt().solve(testing::dense_jacobian(step).transpose() * p);
  EXPECT_LT((v - expected).norm(), 1e-10 * expected.norm());
}

// One row of each law with the numbers of the step problem.
TEST(IslandFrictionProblem, LawsAndRightSidesAreThoseOfTheRows) {
  const StepProblem step = articulated_problem(methods::Coordinates::reduced);
  const VectorX free = testing::dense_jacobian(step) * step.v_free;
  contact::Islands islands;
  islands.update(step);
  int contacts = 0, rollings = 0, limits = 0, frictions = 0;
  for (int i = 0; i < islands.count(); ++i) {
    const Formed formed = form(step, islands[i]);
    const FrictionProblem& problem = formed.island.problem;
    int index = 0;
    for (const int c : islands[i].contacts) {
      const ContactRows& contact = step.contacts[c];
      const FrictionBlock& block = problem.blocks[index];
      const int row = step.blocks[contact.block].first_row;
      EXPECT_EQ(block.law, Law::contact);
      EXPECT_EQ(block.row_count, 4);
      EXPECT_EQ(block.axes, (std::array<double, 3>{0.5, 0.5, 0.01}));
      EXPECT_NEAR(problem.q[block.first_row], free[row] + contact.surface[0] + contact.normal_bias, 1e-14);
      EXPECT_NEAR(problem.q[block.first_row + 2], free[row + 2] + contact.surface[2], 1e-14);
      const FrictionBlock& rolling = problem.blocks[index + 1];
      EXPECT_EQ(rolling.law, Law::bounded);
      EXPECT_EQ(rolling.link, index);
      EXPECT_EQ(rolling.axes[0], 0.5 * 0.01);
      EXPECT_EQ(rolling.bound, 0);
      index += 2;
      ++contacts;
      ++rollings;
    }
    for (const int s : islands[i].scalars) {
      const ScalarRow& scalar = step.scalars[s];
      const FrictionBlock& block = problem.blocks[index++];
      EXPECT_EQ(block.row_count, 1);
      if (scalar.kind == ScalarRow::Kind::limit) {
        EXPECT_EQ(block.law, Law::contact);
        ++limits;
      } else {
        EXPECT_EQ(block.law, Law::bounded);
        EXPECT_EQ(block.bound * block.axes[0], scalar.bound);
        ++frictions;
      }
    }
    EXPECT_EQ(index, problem.block_count());
  }
  EXPECT_GT(contacts, 8);
  EXPECT_GT(limits, 0);
  EXPECT_EQ(frictions, 3);
}

// An ellipse with a zero axis loses that row: the other stays where it was.
TEST(IslandFrictionProblem, RowsWithoutFrictionAreLeftOut) {
  for (const int zero : {0, 1}) {
    testing::Scenario scenario = testing::resting_box();
    scenario.model.materials[0].friction = {0.5, 0.5};
    scenario.model.materials[0].friction[zero] = 0;
    scenario.settings.method = "stewart-trinkle";
    Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
    testing::take_steps(simulation, 1);
    const StepProblem& step = simulation.last_step().problem;
    contact::Islands islands;
    islands.update(step);
    const Formed formed = form(step, islands[0]);
    ASSERT_EQ(formed.island.problem.block_count(), 4);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(formed.island.problem.blocks[i].row_count, 2);
      EXPECT_EQ(formed.island.problem.blocks[i].axes[0], 0.5);
      EXPECT_EQ(formed.island.selection[i].row[1], zero == 0 ? 2 : 1);
    }
  }
}

// What obeys the sets is left alone to the bit; what does not is moved to their surface.
TEST(IslandFrictionProblem, ImpulsesAreMovedIntoTheirSets) {
  FrictionProblem problem;
  problem.blocks.push_back({.law = Law::contact, .first_row = 0, .row_count = 4, .axes = {0.5, 0.25, 0.1}});
  problem.blocks.push_back({.law = Law::bounded, .first_row = 4, .row_count = 2, .axes = {0.2, 0.2, 0}, .link = 0});
  problem.blocks.push_back({.law = Law::bounded, .first_row = 6, .row_count = 1, .axes = {1, 0, 0}, .bound = 3});
  problem.blocks.push_back({.law = Law::contact, .first_row = 7, .row_count = 1});
  const std::vector<double> inside = {2, 0.5, -0.3, 0.05, 0.1, -0.3, -3, 0};
  std::vector<double> r = inside;
  methods::make_admissible(problem, r);
  EXPECT_EQ(r, inside);
  r = {2, 1.5, 0, 0, 0, 0.5, -4, -1};
  methods::make_admissible(problem, r);
  const std::vector<double> moved = {2, 1, 0, 0, 0, 0.4, -3, 0};
  for (size_t i = 0; i < r.size(); ++i) EXPECT_NEAR(r[i], moved[i], 1e-15) << i;
}

}  // namespace
}  // namespace stiction
