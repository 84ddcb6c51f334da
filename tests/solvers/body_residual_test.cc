// The residual that steps are solved to: each block by the motion of its own bodies.
#include <gtest/gtest.h>

#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/body/body_system.h"

namespace stiction::solvers {
namespace {

// Bodies of one velocity and of unit mass on the ground, without friction: r = -v_free is right.
BodyFrictionProblem on_the_ground(const std::vector<double>& v_free) {
  BodyFrictionProblem problem;
  problem.v_free = v_free;
  for (int i = 0; i < static_cast<int>(v_free.size()); ++i) {
    problem.bodies.push_back({i, 1, i});
    problem.mass.push_back(1);
    problem.sides.push_back({{i, -1}, {i, 0}});
    problem.jacobian.push_back(1);
    problem.bias.push_back(0);
    FrictionBlock block;
    block.first_row = i;
    block.row_count = 1;
    problem.blocks.push_back(block);
  }
  return problem;
}

double residual(const BodyFrictionProblem& problem, const std::vector<double>& r, double largest,
                std::span<const double> scales) {
  BodySystem system;
  EXPECT_TRUE(make_body_system(problem, system));
  judge_worst_block(largest, scales, system);
  std::vector<double> z(r.size()), u(r.size()), x(problem.v_free.size());
  to_system(system, r, z.data());
  velocity_of(system, z.data(), x.data());
  all_velocities(system, x.data(), u.data());
  return body_residual(system, z.data(), u.data());
}

TEST(BodyResidual, WhatIsSlowIsNotHiddenByWhatIsFast) {
  const BodyFrictionProblem problem = on_the_ground({-0.1, -100});
  const std::vector<double> r = {0.0999, 100}, scales = {0.1, 100};
  EXPECT_NEAR(residual(problem, r, 100, scales), 1e-3, 1e-9);
  EXPECT_NEAR(residual(problem, r, 100, {}), 1e-6, 1e-12);
}

TEST(BodyResidual, APushCountsUpToTheLargestScale) {
  const BodyFrictionProblem problem = on_the_ground({-0.1, -100});
  const std::vector<double> scales = {0.1, 100};
  EXPECT_NEAR(residual(problem, {50, 100}, 100, scales), 49.9 / 50, 1e-9);  // u_n = 49.9 where it is pushed by 50
  EXPECT_NEAR(residual(problem, {5000, 100}, 100, scales), 4999.9 / 100, 1e-9);
}

// A contact with much friction that stops a body sideways: what its friction does is the scale, as in the certificate.
TEST(BodyResidual, WhatFrictionDoesCountsAsWell) {
  BodyFrictionProblem problem;
  problem.bodies.push_back({0, 3, 0});
  problem.mass = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  problem.v_free = {-4.999, -50, 0};  // along the normal, and sideways
  problem.sides.push_back({{0, -1}, {0, 0}});
  problem.jacobian = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  problem.bias = {0, 0, 0};
  FrictionBlock block;
  block.axes = {20, 20, 0};
  problem.blocks.push_back(block);
  const std::vector<double> scales = {0.1};
  // u = (1e-3, 0, 0): the contact opens under load.
  EXPECT_NEAR(residual(problem, {5, 50, 0}, 100, scales), 1e-3 / 50, 1e-12);
}

TEST(BodyResidual, ABodyWithoutMotionHasAScaleAllTheSame) {
  const BodyFrictionProblem problem = on_the_ground({-1e-9, -1});
  const std::vector<double> scales = {0, 1};
  EXPECT_NEAR(residual(problem, {0, 1}, 1, scales), 1e-6, 1e-12);  // 1e-9 over 1e-3 of the largest
}

TEST(BodyResidual, SolvesToTheScaleOfEachBlock) {
  const BodyFrictionProblem problem = on_the_ground({-1e-6, -100});
  const std::vector<double> scales = {1e-6, 100};
  std::vector<double> r = {0, 100}, v(2);
  BodyWorkspace workspace;
  const BodyReport report =
      solve_body_friction(problem, {.scale = 100, .scales = scales, .warm_start = true}, workspace, r, v);
  EXPECT_EQ(report.solve.termination, Termination::solved);
  EXPECT_LE(std::abs(v[0]), 1e-8 * 0.1);  // the least scale is 1e-3 of the largest; without scales -1e-6 would do
}

}  // namespace
}  // namespace stiction::solvers
