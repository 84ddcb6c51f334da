// The responses of points, with closing joints eliminated, against dense matrices.
#include "stiction/methods/impulse/impulse_island.h"

#include <gtest/gtest.h>
#include <Eigen/QR>

#include "support/box_stack.h"
#include "support/scenarios.h"

namespace stiction::methods {
namespace {

// A step of a mechanism in maximal coordinates on the ground: closing joints, limits, dry friction and contacts.
StepProblem jointed_problem() {
  testing::Scenario scenario = testing::cart_beside_tower(Coordinates::maximal);
  scenario.settings.method = "sequential-impulse";
  Simulation simulation = testing::make_simulation(scenario.model, scenario.settings);
  testing::take_steps(simulation, 40);
  return simulation.last_step().problem;
}

struct Dense {
  MatrixX J, M, W;
  std::vector<int> bilateral;  // rows
  VectorX bias;                // of bilateral rows

  explicit Dense(const StepProblem& problem)
      : J(testing::dense_jacobian(problem)), M(testing::dense_mass(problem)), W(J * M.ldlt().solve(J.transpose())) {
    for (const BilateralRows& joint : problem.bilaterals) {
      const RowBlock& block = problem.blocks[joint.block];
      for (int r = 0; r < block.row_count; ++r) bilateral.push_back(block.first_row + r);
    }
    bias = Eigen::Map<const VectorX>(problem.bilateral_bias.data(), static_cast<long>(problem.bilateral_bias.size()));
  }
  MatrixX joints_answer(const std::vector<int>& rows) const {
    return W(bilateral, bilateral).completeOrthogonalDecomposition().solve(W(bilateral, rows));
  }
  // W with the answer of the closing joints.
  MatrixX response(const std::vector<int>& rows) const {
    return W(rows, rows) - W(rows, bilateral) * joints_answer(rows);
  }
};

// The point's rows in the step problem.
std::vector<int> rows_of(const StepProblem& problem, const ImpulseIsland::Point& point) {
  const RowBlock& block = problem.blocks[problem.contacts[point.contact].block];
  std::vector<int> rows;
  for (int r = 0; r < point.law.count; ++r) rows.push_back(block.first_row + point.row[r]);
  return rows;
}

TEST(ImpulseIsland, ClosingJointsAnswerEveryImpulse) {
  const StepProblem problem = jointed_problem();
  const Dense dense(problem);
  ASSERT_GT(dense.bilateral.size(), 10u);
  contact::Islands islands;
  islands.update(problem);
  int compared = 0;
  for (int k = 0; k < islands.count(); ++k) {
    ImpulseIsland island;
    ASSERT_TRUE(island.form(problem, islands[k]));
    for (int i = 0; i < island.point_count(); ++i) {
      const ImpulseIsland::Point& point = island.point(i);
      if (point.contact < 0) continue;
      const std::vector<int> rows = rows_of(problem, point);
      Matrix4 K = Matrix4::Zero();
      const MatrixX expected = dense.response(rows);
      for (int r = 0; r < point.law.count; ++r) {
        for (int c = 0; c < point.law.count; ++c) K(r, c) = expected(r, c);
      }
      EXPECT_LT((island.response(i) - K).norm(), 1e-9 * K.norm());
      const Vector4 before = island.velocity(i);
      const Vector4 p = point.law.count == 3 ? Vector4(0.3, -0.1, 0.2, 0) : Vector4(0.3, 0, 0, 0);
      const Vector4 change = K * p;
      island.apply(i, p);
      EXPECT_LT((island.velocity(i) - before - change).norm(), 1e-9 * change.norm());
      ++compared;
    }
  }
  EXPECT_GT(compared, 10);
}

// At the end all impulses together give the velocities, and the joints stay closed.
TEST(ImpulseIsland, TheAnswerKeepsMomentumAndJoints) {
  const StepProblem problem = jointed_problem();
  const Dense dense(problem);
  contact::Islands islands;
  islands.update(problem);
  StepAnswer answer{.v_end = problem.v_free, .impulse = VectorX::Zero(problem.row_count)};
  for (int k = 0; k < islands.count(); ++k) {
    ImpulseIsland island;
    ASSERT_TRUE(island.form(problem, islands[k]));
    for (int i = 0; i < island.point_count(); ++i) island.apply(i, Vector4::UnitX() * 0.1 * (1 + i));
    island.sweep_bounded();
    std::vector<Vector4> velocity;
    for (int i = 0; i < island.point_count(); ++i) velocity.push_back(island.velocity(i));
    island.finish(problem, islands[k], answer);
    for (int i = 0; i < island.point_count(); ++i) {
      const ImpulseIsland::Point& point = island.point(i);
      if (point.contact < 0) continue;
      const double u_n =
          dense.J.row(rows_of(problem, point)[0]).dot(answer.v_end) + problem.contacts[point.contact].surface[0];
      EXPECT_NEAR(velocity[i][0], u_n, 1e-10);
    }
  }
  const VectorX change = dense.M * (answer.v_end - problem.v_free);
  EXPECT_LT((change - dense.J.transpose() * answer.impulse).norm(), 1e-12 * change.norm());
  const VectorX open = dense.J(dense.bilateral, Eigen::indexing::all) * answer.v_end + dense.bias;
  EXPECT_LT(open.norm(), 1e-11);
}

// An impulse that one side has not felt moves the other alone, and both once it is released.
TEST(ImpulseIsland, WithheldImpulsesAreFeltOnRelease) {
  const StepProblem problem = testing::box_stack({.boxes = 2});
  contact::Islands islands;
  islands.update(problem);
  ImpulseIsland once, apart;
  ASSERT_TRUE(once.form(problem, islands[0]));
  ASSERT_TRUE(apart.form(problem, islands[0]));
  const Vector4 p(1, 0.2, -0.1, 0);
  const int upper = once.point_count() - 1;
  once.apply(upper, p);
  const Vector4 before = apart.velocity(0);
  const int upper_side = apart.point(upper).group[0] == 1 ? 1 : 2;
  apart.apply(upper, p, upper_side);
  EXPECT_EQ((apart.velocity(0) - before).norm(), 0);
  apart.release(upper, upper_side);
  for (int i = 0; i <= upper; ++i) EXPECT_LT((apart.velocity(i) - once.velocity(i)).norm(), 1e-14);
  EXPECT_GT((apart.velocity(0) - before).norm(), 0.1);
}

}  // namespace
}  // namespace stiction::methods
