// Velocities of contacts against Eigen's products.
#include "stiction/problem/row_velocity.h"

#include <gtest/gtest.h>

#include "support/random_impacts.h"

namespace stiction {
namespace {

Vector4 by_eigen(const StepProblem& step, const ContactRows& contact, const VectorX& v) {
  Vector4 u = contact.surface;
  const RowBlock& block = step.blocks[contact.block];
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    const VelocityTree& tree = step.trees[block.tree[side]];
    u.head(block.row_count) += step.jacobian_block(contact.block, side) * v.segment(tree.offset, tree.size);
  }
  return u;
}

TEST(RowVelocity, ContactsOfBodiesAndOfTrees) {
  std::mt19937_64 random(3);
  StepProblem step = testing::random_impact({.bodies = 5, .contacts = 30}, random);
  for (ContactRows& contact : step.contacts) contact.surface = Vector4(0.1, -0.2, 0.3, 0);
  for (const bool tied : {false, true}) {
    if (tied) {  // body 3 is not free any more: its last two velocities are gone
      step.trees[3].size = 4;
    }
    const auto count = static_cast<int>(6 * step.trees.size());
    const VectorX v = VectorX::Random(count), w = VectorX::Random(count);
    for (const ContactRows& contact : step.contacts) {
      const auto [u_v, u_w] = contact_velocities(step, contact, v, w);
      EXPECT_LT((u_v - by_eigen(step, contact, v)).norm(), 1e-14);
      EXPECT_LT((u_w - by_eigen(step, contact, w)).norm(), 1e-14);
      EXPECT_EQ(u_v, contact_velocity(step, contact, v));
      EXPECT_EQ(u_w, contact_velocity(step, contact, w));
    }
  }
}

}  // namespace
}  // namespace stiction
