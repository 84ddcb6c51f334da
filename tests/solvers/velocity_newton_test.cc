// Proximal steps on velocities in contact space, alone and as rungs of `auto`; judged by certify/.
#include <gtest/gtest.h>

#include "stiction/certify/friction_residual.h"
#include "stiction/io/fclib.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/velocity_newton.h"
#include "support/random_bodies.h"
#include "support/small_friction.h"
#include "support/stored_problems.h"

namespace stiction::solvers {
namespace {

using stiction::testing::bilateral_block;
using stiction::testing::condensed;
using stiction::testing::contact_block;
using stiction::testing::friction_problem;
using stiction::testing::random_bodies;

// From zero; the residual as certify/ has it.
double solve_alone(const FrictionProblem& problem, double tolerance, NewtonResult& result) {
  ScaledFriction scaled;
  EXPECT_TRUE(scale_friction(problem, scaled));
  BlockLu lu;
  lu.analyze(scaled);
  VelocityNewtonWorkspace workspace;
  std::vector<double> r_scaled(scaled.row_count, 0.0), r(scaled.row_count);
  VelocityNewtonOptions options;
  options.tolerance = tolerance;
  result = run_velocity_newton(scaled, options, lu, workspace, r_scaled.data());
  from_scaled(scaled, r_scaled.data(), r);
  return certify::friction_residual(problem, r).natural;
}

// 72 rows on 24 velocities: forces are not determined, velocities are.
TEST(VelocityNewton, SolvesRedundantContacts) {
  int factorizations = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    const FrictionProblem problem =
        condensed(random_bodies({.bodies = 4, .contacts = 24, .mass_ratio = 10, .every_law = false}, seed));
    NewtonResult result;
    EXPECT_LE(solve_alone(problem, 1e-9, result), 1.001e-9) << seed;
    EXPECT_TRUE(result.solved) << seed;
    EXPECT_GT(result.factorizations, 0) << seed;
    factorizations += result.factorizations;
  }
  EXPECT_LE(factorizations, 30 * 60);
}

TEST(VelocityNewton, TakesJointsAndContactsWithoutFriction) {
  const std::vector<FrictionBlock> blocks = {bilateral_block(2), contact_block(1), contact_block(3),
                                             contact_block(3, 0.4, 0.4)};
  int rows = 0;
  std::vector<FrictionBlock> placed = blocks;
  for (FrictionBlock& block : placed) {
    block.first_row = rows;
    rows += block.row_count;
  }
  for (unsigned seed = 1; seed <= 20; ++seed) {
    srand(seed);
    const MatrixX half = MatrixX::Random(rows, rows);
    const MatrixX W = half * half.transpose() + 0.1 * MatrixX::Identity(rows, rows);
    const VectorX q = VectorX::Random(rows);
    const FrictionProblem problem = friction_problem(placed, W, q);
    NewtonResult result;
    EXPECT_LE(solve_alone(problem, 1e-9, result), 1.001e-9) << seed;
  }
}

// An open contact has no column in the matrix, yet its velocity must follow the others: without that the line search
// fails, and the answer is not found.
TEST(VelocityNewton, OpenContactsMoveWithTheOthers) {
  std::vector<FrictionBlock> blocks = {contact_block(3, 0.5, 0.5), contact_block(3, 0.5, 0.5)};
  blocks[1].first_row = 3;
  MatrixX W = MatrixX::Identity(6, 6);
  W(3, 0) = W(0, 3) = 0.9;  // what closes the first contact opens the second
  VectorX q = VectorX::Zero(6);
  q[0] = -1;
  q[3] = -0.5;
  NewtonResult result;
  EXPECT_LE(solve_alone(friction_problem(blocks, W, q), 1e-12, result), 1.001e-12);
  EXPECT_LE(result.factorizations, 12);
}

// More blocks than `auto` calls small: the damped interior point and these steps come before slower rungs.
TEST(VelocityNewton, EndsLargeRedundantProblems) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const FrictionProblem problem =
        condensed(random_bodies({.bodies = 20, .contacts = 100, .mass_ratio = 1e4, .every_law = false}, seed));
    FrictionWorkspace workspace;
    std::vector<double> r(problem.row_count(), 0.0);
    const FrictionReport report = solve_friction(auto_friction, problem, {.tolerance = 1e-8}, workspace, r);
    EXPECT_EQ(report.solve.termination, Termination::solved) << seed;
    EXPECT_LE(certify::friction_residual(problem, r).natural, 1.001e-8) << seed;
  }
}

// The second step of a pile of 100, whose bodies the file does not hold: 4436 iterations before these rungs, 301 now.
TEST(VelocityNewtonStudy, APileInLocalForm) {
  const auto folder = stiction::testing::shared_problems() / "hard";
  STICTION_STUDY_ON(folder);
  const auto file = read_friction_file((folder / "pile100-step2.hdf5").string());
  ASSERT_TRUE(file) << file.error().message();
  FrictionWorkspace workspace;
  std::vector<double> r(file->problem.row_count(), 0.0);
  const FrictionReport report = solve_friction(auto_friction, file->problem, {.tolerance = 1e-8}, workspace, r);
  EXPECT_EQ(report.solve.termination, Termination::solved);
  EXPECT_LE(certify::friction_residual(file->problem, r).natural, 1.001e-8);
  EXPECT_LE(report.solve.iterations, 600);
}

}  // namespace
}  // namespace stiction::solvers
