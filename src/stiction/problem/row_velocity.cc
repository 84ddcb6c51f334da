#include "stiction/problem/row_velocity.h"

namespace stiction {

double row_velocity(const StepProblem& problem, int block, int row, const VectorX& v) {
  const RowBlock& rows = problem.blocks[block];
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    if (rows.tree[side] < 0) continue;
    const VelocityTree& tree = problem.trees[rows.tree[side]];
    sum += problem.jacobian_block(block, side).row(row).dot(v.segment(tree.offset, tree.size));
  }
  return sum;
}

Vector4 contact_velocity(const StepProblem& problem, const ContactRows& contact, const VectorX& v) {
  const RowBlock& block = problem.blocks[contact.block];
  Vector4 u = contact.surface;
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    const VelocityTree& tree = problem.trees[block.tree[side]];
    for (int r = 0; r < block.row_count; ++r) {
      u[r] += problem.jacobian_block(contact.block, side).row(r).dot(v.segment(tree.offset, tree.size));
    }
  }
  return u;
}

}  // namespace stiction
