// A step condensed to a friction problem: its velocities are those of the step's own answer, and the answer's impulses
// solve it.
#include "stiction/problem/condense_step.h"

#include <filesystem>

#include "stiction/certify/friction_residual.h"
#include "stiction/io/fclib.h"
#include "stiction/problem/friction_matrix.h"
#include "support/simulate.h"

namespace stiction::testing {
namespace {

// J v_end plus the constant velocity of every row, straight from the step.
VectorX velocities_of_step(const StepProblem& step, const StepAnswer& answer) {
  VectorX u = VectorX::Zero(step.row_count);
  for (size_t b = 0; b < step.blocks.size(); ++b) {
    const RowBlock& block = step.blocks[b];
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const VelocityTree& tree = step.trees[block.tree[side]];
      u.segment(block.first_row, block.row_count) +=
          step.jacobian_block(static_cast<int>(b), side) * answer.v_end.segment(tree.offset, tree.size);
    }
  }
  for (const BilateralRows& joint : step.bilaterals) {
    const RowBlock& block = step.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) u[block.first_row + r] += step.bilateral_bias[joint.first_bias + r];
  }
  for (const ScalarRow& scalar : step.scalars) u[step.blocks[scalar.block].first_row] += scalar.bias;
  for (const ContactRows& contact : step.contacts) {
    const RowBlock& block = step.blocks[contact.block];
    u.segment(block.first_row, block.row_count) += contact.surface.head(block.row_count);
    u[block.first_row] += contact.normal_bias;
  }
  return u;
}

VectorX vector(const std::vector<double>& x) {
  return Eigen::Map<const VectorX>(x.data(), static_cast<Eigen::Index>(x.size()));
}

// u = W r + q must be the velocity that the step ended with, row by row.
void expect_velocities_agree(const Simulation& simulation) {
  const StepRecord& step = simulation.last_step();
  const CondensedStep condensed = condense_step(step.problem);
  ASSERT_EQ(defect_of(condensed.problem), "");
  const VectorX r = vector(condensed.impulses(step.answer));
  const VectorX u = matrix_of(condensed.problem) * r + vector(condensed.problem.q);
  const VectorX expected = velocities_of_step(step.problem, step.answer);
  ASSERT_EQ(u.size(), static_cast<Eigen::Index>(condensed.step_row.size()));
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    // Rounding of v_end, in a mechanism whose speeds are of order one.
    EXPECT_NEAR(u[i], expected[condensed.step_row[static_cast<size_t>(i)]], 1e-9) << "row " << i;
  }
}

double residual_of_own_impulses(const Simulation& simulation) {
  const CondensedStep condensed = condense_step(simulation.last_step().problem);
  const std::vector<double> r = condensed.impulses(simulation.last_step().answer);
  return certify::friction_residual(condensed.problem, r).natural;
}

TEST(CondenseStep, VelocitiesAreThoseOfTheStep) {
  for (const char* scene : {"tower", "four_bar", "incline", "falling_boxes"}) {
    SCOPED_TRACE(scene);
    Simulation simulation = open_scene(scene, {"simulation.method=stewart-trinkle"});
    for (int step = 0; step < 5; ++step) {
      ASSERT_TRUE(simulation.step().ok);
      expect_velocities_agree(simulation);
    }
  }
}

// At rest no friction direction is in play, so that the polyhedral cone of the method and the round one agree; 1e-6 is
// far above the solver's 1e-9 and far below any impulse left out.
TEST(CondenseStep, ATowerAtRestIsSolvedByItsOwnImpulses) {
  Simulation simulation = open_scene("tower", {"simulation.method=stewart-trinkle"});
  for (int step = 0; step < 10; ++step) ASSERT_TRUE(simulation.step().ok);
  EXPECT_LE(residual_of_own_impulses(simulation), 1e-6);
  const CondensedStep condensed = condense_step(simulation.last_step().problem);
  std::vector<double> r = condensed.impulses(simulation.last_step().answer);
  for (double& value : r) value *= 0.9;
  EXPECT_GT(certify::friction_residual(condensed.problem, r).natural, 1e-3);
}

// A hinge with dry friction that holds a bar against gravity, and a bar at its limit.
TEST(CondenseStep, JointFrictionAndLimitsAreSolvedByTheirOwnImpulses) {
  const std::string scene = R"(
[simulation]
method = "stewart-trinkle"
step = 1e-3
[[body]]
name = "held"
mass = 1
position = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[joint]]
name = "hinge"
type = "revolute"
parent = "world"
child = "held"
position = [0, 0, 0]
axis = [0, 1, 0]
friction = FRICTION
[[body]]
name = "stopped"
mass = 1
position = [0.5, 5, 0]
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
[[joint]]
name = "stop"
type = "revolute"
parent = "world"
child = "stopped"
position = [0, 5, 0]
axis = [0, 1, 0]
limits = [-1, 0]
)";
  for (const char* friction : {"20", "1"}) {  // holds, slips: gravity turns with 4.9 N m
    SCOPED_TRACE(friction);
    std::string text = scene;
    text.replace(text.find("FRICTION"), 8, friction);
    Simulation simulation = open_text(text);
    for (int step = 0; step < 5; ++step) ASSERT_TRUE(simulation.step().ok);
    const CondensedStep condensed = condense_step(simulation.last_step().problem);
    int bounded = 0, limits = 0;
    for (const FrictionBlock& block : condensed.problem.blocks) {
      bounded += block.law == FrictionBlock::Law::bounded ? 1 : 0;
      limits += block.law == FrictionBlock::Law::contact ? 1 : 0;
    }
    EXPECT_EQ(bounded, 1);
    EXPECT_EQ(limits, 1);
    expect_velocities_agree(simulation);
    EXPECT_LE(residual_of_own_impulses(simulation), 1e-9);
  }
}

// Friction along one tangent only: the other row can carry nothing and is left out.
TEST(CondenseStep, RowsWithoutFrictionAreLeftOut) {
  StepProblem step;
  step.step = 1e-3;
  step.trees = {{0, 3, 0}};
  step.mass = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  step.v_free = Vector3(1, 2, -3);
  RowBlock block;
  block.row_count = 3;
  block.tree = {0, -1};
  step.blocks = {block};
  step.jacobian = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  ContactRows contact;
  contact.friction = {0, 0.5};
  contact.normal_bias = 0.25;
  contact.surface = Vector4(0.5, 0, 0.125, 0);
  step.contacts = {contact};
  step.row_count = 3;
  const CondensedStep condensed = condense_step(step);
  EXPECT_EQ(condensed.step_row, (std::vector<int>{0, 2}));
  EXPECT_EQ(condensed.problem.blocks[0].axes[0], 0.5);
  EXPECT_EQ(condensed.problem.blocks[0].row_count, 2);
  EXPECT_EQ(condensed.problem.q, (std::vector<double>{-3 + 0.5 + 0.25, 2.125}));
  ASSERT_EQ(condensed.problem.value.size(), 4U);
  EXPECT_NEAR(condensed.problem.value[0], 0.5, 1e-15);
  EXPECT_EQ(condensed.problem.value[1], 0);
  EXPECT_NEAR(condensed.problem.value[3], 0.5, 1e-15);
}

}  // namespace
}  // namespace stiction::testing
