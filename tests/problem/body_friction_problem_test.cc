// The body form of stored problems and of steps: condensed, it is the problem that condensing gives.
#include "stiction/problem/body_friction_problem.h"

#include <gtest/gtest.h>

#include "stiction/problem/body_step.h"
#include "stiction/problem/condense_step.h"
#include "support/random_bodies.h"

namespace stiction {
namespace {

using stiction::testing::condensed;

// Equal blocks and, to rounding, equal W and q.
void expect_same(const FrictionProblem& a, const FrictionProblem& b) {
  ASSERT_EQ(a.block_count(), b.block_count());
  for (int i = 0; i < a.block_count(); ++i) {
    EXPECT_EQ(a.blocks[i].law, b.blocks[i].law);
    EXPECT_EQ(a.blocks[i].first_row, b.blocks[i].first_row);
    EXPECT_EQ(a.blocks[i].row_count, b.blocks[i].row_count);
    EXPECT_EQ(a.blocks[i].axes, b.blocks[i].axes);
    EXPECT_EQ(a.blocks[i].bound, b.blocks[i].bound);
    EXPECT_EQ(a.blocks[i].link, b.blocks[i].link);
  }
  const MatrixX W_a = MatrixX(matrix_of(a)), W_b = MatrixX(matrix_of(b));
  EXPECT_LE((W_a - W_b).norm(), 1e-12 * W_b.norm());
  for (int i = 0; i < a.row_count(); ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-12);
}

// Two bodies with diagonal mass and one contact between them, one with the ground, one bilateral row.
GlobalFrictionProblem two_bodies(bool stored_zeros) {
  GlobalFrictionProblem global;
  std::vector<Eigen::Triplet<double>> M, H, G;
  for (int i = 0; i < 12; ++i) {
    for (int j = i / 6 * 6; j < i / 6 * 6 + 6 && stored_zeros; ++j) M.emplace_back(i, j, i == j ? 2.0 + i : 0.0);
    if (!stored_zeros) M.emplace_back(i, i, 2.0 + i);
    for (int c = 0; c < 3; ++c) H.emplace_back(i, c, 0.1 * (i + 1) - 0.3 * c);
    if (i < 6) H.emplace_back(i, 3 + i % 3, 1.0 + 0.1 * i);
    if (i >= 6) G.emplace_back(i, 0, i - 8.0);
    global.f.push_back(0.5 - 0.1 * i);
  }
  global.M = SparseRows(12, 12), global.H = SparseRows(12, 6), global.G = SparseRows(12, 1);
  global.M.setFromTriplets(M.begin(), M.end());
  global.H.setFromTriplets(H.begin(), H.end());
  global.G.setFromTriplets(G.begin(), G.end());
  global.w = {0.1, 0, 0, -0.2, 0.3, 0};
  global.b = {0.05};
  global.mu = {0.3, 0.7};
  return global;
}

TEST(BodyForm, FindsBodiesByTheStoredPatternOrBySixes) {
  for (const bool stored_zeros : {true, false}) {
    const GlobalFrictionProblem global = two_bodies(stored_zeros);
    const auto problem = body_form(global);
    ASSERT_TRUE(problem);
    ASSERT_EQ(problem->bodies.size(), 2u);
    EXPECT_EQ(problem->bodies[1].size, 6);
    const auto expected = condense(global);
    ASSERT_TRUE(expected);
    expect_same(condensed(*problem), *expected);
  }
}

TEST(BodyForm, RefusesWhatIsNotBlockStructuredOrNotDefinite) {
  EXPECT_FALSE(body_form(two_bodies(true), 5)) << "bodies of six velocities";
  GlobalFrictionProblem skew = two_bodies(true);
  skew.M.coeffRef(0, 1) = 0.5;
  EXPECT_FALSE(body_form(skew));
  GlobalFrictionProblem indefinite = two_bodies(true);
  indefinite.M.coeffRef(0, 0) = -1;
  EXPECT_FALSE(body_form(indefinite));
}

// A contact between three bodies joins two of them.
TEST(BodyForm, JoinsCrowdedBodies) {
  GlobalFrictionProblem global;
  global.M = SparseRows(4, 4);
  global.M.setIdentity();
  global.H = SparseRows(4, 3);
  for (int i = 0; i < 3; ++i) global.H.insert(i, i) = 1;
  global.G = SparseRows(4, 0);
  global.f = {1, 2, 3, 4};
  global.w = {0, 0, 0};
  global.mu = {0.5};
  const auto problem = body_form(global);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->bodies.size(), 3u);
  expect_same(condensed(*problem), *condense(global));
}

// A step with a joint, a limit, dry joint friction, contacts of 1, 3 and 4 rows, one with rolling rows.
StepProblem small_step() {
  StepProblem step;
  step.trees = {{0, 6, 0}, {6, 7, 36}};
  step.mass.assign(36 + 49, 0.0);
  for (int i = 0; i < 6; ++i) step.mass[i * 7] = 1.0 + 0.2 * i;
  for (int i = 0; i < 7; ++i) step.mass[36 + i * 8] = 2.0 + 0.1 * i;
  step.mass[36 + 1] = step.mass[36 + 7] = 0.3;
  step.v_free = VectorX::LinSpaced(13, -1, 1);
  const auto add = [&](int rows, int a, int b) {
    RowBlock block = {step.row_count, rows, {a, b}, {0, 0}};
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      block.offset[side] = static_cast<int>(step.jacobian.size());
      for (int i = 0; i < rows * step.trees[block.tree[side]].size; ++i) {
        step.jacobian.push_back(std::sin(1.0 + static_cast<double>(step.jacobian.size())));
      }
    }
    step.row_count += rows;
    step.blocks.push_back(block);
    return static_cast<int>(step.blocks.size()) - 1;
  };
  step.bilaterals = {{add(2, 0, 1), 0}};
  step.bilateral_bias = {0.1, -0.2};
  step.scalars.resize(2);
  step.scalars[0].block = add(1, 1, -1), step.scalars[0].bias = 0.4;
  step.scalars[1].block = add(1, -1, 1), step.scalars[1].kind = ScalarRow::Kind::friction, step.scalars[1].bound = 0.6;
  step.contacts.resize(3);
  step.contacts[0].block = add(3, 0, 1), step.contacts[0].friction = {0.5, 0.25}, step.contacts[0].normal_bias = 0.2;
  step.contacts[1].block = add(4, 0, -1), step.contacts[1].friction = {0.3, 0.0}, step.contacts[1].torsion = 0.02;
  step.contacts[1].surface = {0.1, 0.2, 0.3, 0.4}, step.contacts[1].rolling = 0;
  step.rollings.resize(1);
  step.rollings[0].block = add(2, 0, -1), step.rollings[0].limit = 0.01, step.rollings[0].surface = {0.5, 0.6};
  step.contacts[2].block = add(1, 1, -1);
  return step;
}

TEST(BodyForm, OfAStepIsTheCondensedStep) {
  const StepProblem step = small_step();
  BodyStep body;
  body_form(step, body);
  const CondensedStep expected = condense_step(step);
  EXPECT_EQ(body.step_row, expected.step_row);
  expect_same(condensed(body.problem), expected.problem);
}

// Sets stand beside the blocks, at the contact that states one, and no file format has them.
TEST(BodyForm, OfAStepKeepsFrictionSets) {
  StepProblem step = small_step();
  BodyStep body;
  body_form(step, body);
  EXPECT_TRUE(body.problem.sets.empty());
  const FrictionCone diamond = *make_superellipse_cone(0.5, 0.5, 1);
  step.contacts[0].cone = &diamond, step.contacts[0].cone_scale = 1.5, step.contacts[0].friction = {0.75, 0.75};
  body_form(step, body);
  ASSERT_EQ(body.problem.sets.size(), body.problem.blocks.size());
  for (int b = 0; b < body.problem.block_count(); ++b) {  // a bilateral block and two scalars come first
    EXPECT_EQ(body.problem.set_of(b).cone, b == 3 ? &diamond : nullptr) << b;
  }
  EXPECT_EQ(body.problem.set_of(3).scale, 1.5);
  const std::vector<int> trees = {0, 1}, contacts = {0};
  body_form(step, {trees, {}, {}, contacts}, body);
  ASSERT_EQ(body.problem.sets.size(), 1u);
  EXPECT_FALSE(global_form(body.problem));
  body.problem.sets.clear();
  EXPECT_TRUE(global_form(body.problem));
}

// Only the second tree and what touches it alone.
TEST(BodyForm, OfAnIslandHasItsRowsOnly) {
  const StepProblem step = small_step();
  const std::vector<int> trees = {1}, scalars = {0, 1}, contacts = {2};
  BodyStep body;
  body_form(step, {trees, {}, scalars, contacts}, body);
  EXPECT_EQ(body.problem.bodies.size(), 1u);
  EXPECT_EQ(body.problem.velocity_count(), 7);
  EXPECT_EQ(body.step_velocity.front(), 6);
  EXPECT_EQ(body.body_of_tree, (std::vector<int>{-1, 0}));
  EXPECT_EQ(body.problem.row_count(), 3);
  EXPECT_EQ(body.step_row, (std::vector<int>{2, 3, 13}));
}

}  // namespace
}  // namespace stiction
