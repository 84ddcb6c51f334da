// A step with the contacts' states as they stand: exact where they stay, and no more than one part in rho off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/solvers/friction/body/body_active_step.h"

namespace stiction::solvers {
namespace {

constexpr double rho = 1e4;

// A point of 1 kg in the frame of its contact with the ground (n, t, o), friction 0.5; turning is idle.
BodyFrictionProblem point_on_ground(double v_n, double v_t) {
  BodyFrictionProblem problem;
  problem.bodies = {{0, 6, 0}};
  problem.mass.assign(36, 0.0);
  for (int i = 0; i < 6; ++i) problem.mass[7 * i] = 1;
  problem.v_free = {v_n, v_t, 0, 0, 0, 0};
  FrictionBlock block;
  block.law = FrictionBlock::Law::contact;
  block.row_count = 3;
  block.axes = {0.5, 0.5, 0};
  problem.blocks = {block};
  problem.sides = {{{0, -1}, {0, 0}}};
  problem.jacobian.assign(18, 0.0);
  for (int r = 0; r < 3; ++r) problem.jacobian[7 * r] = 1;
  problem.bias.assign(3, 0.0);
  return problem;
}

// The impulse after `change` was added to the bias of a problem that r solves.
std::vector<double> impulse_after(const BodyFrictionProblem& problem, std::vector<double> r,
                                  const std::vector<double>& change) {
  BodySystem system;
  EXPECT_TRUE(make_body_system(problem, system));
  add_bias(change, system);
  std::vector<double> z(3), x(6), u(3);
  to_system(system, r, z.data());
  velocity_of(system, z.data(), x.data());
  all_velocities(system, x.data(), u.data());
  BodyMatrix matrix;
  matrix.analyze(system);
  BodyProgress progress;
  BodyActiveStep step;
  EXPECT_TRUE(step.take(system, u.data(), rho, matrix, progress, z));
  EXPECT_EQ(progress.factorizations, 1);
  from_system(system, z.data(), r);
  return r;
}

using ::testing::DoubleNear;
using ::testing::ElementsAre;

constexpr double off = 10 / rho;  // W is about one: one part in rho, with room for its scaling

TEST(BodyActiveStep, WhatSticksIsLiftedAndTakenBack) {
  const BodyFrictionProblem problem = point_on_ground(-1, 0);
  EXPECT_THAT(impulse_after(problem, {1, 0, 0}, {-0.1, 0.05, -0.02}),
              ElementsAre(DoubleNear(1.1, off), DoubleNear(-0.05, off), DoubleNear(0.02, off)));
}

TEST(BodyActiveStep, WhatSlipsIsLiftedAndSlipsOn) {
  const BodyFrictionProblem problem = point_on_ground(-1, 3);
  EXPECT_THAT(impulse_after(problem, {1, -0.5, 0}, {-0.1, 0, 0}),
              ElementsAre(DoubleNear(1.1, off), DoubleNear(-0.55, off), DoubleNear(0, off)));
}

TEST(BodyActiveStep, WhatIsOpenStaysSoUnlessItIsToBeLifted) {
  const BodyFrictionProblem problem = point_on_ground(1, 0);
  EXPECT_THAT(impulse_after(problem, {0, 0, 0}, {-0.5, 0.1, 0}), ElementsAre(0, 0, 0));
  EXPECT_THAT(impulse_after(problem, {0, 0, 0}, {-1.5, 0.1, 0}), ElementsAre(DoubleNear(0.5, off), 0, 0));
}

}  // namespace
}  // namespace stiction::solvers
