#include "stiction/problem/row_velocity.h"

namespace stiction {
namespace {

// The same sum in both cases: six numbers, as free bodies have, need no loop.
double multiply(const double* J, const double* v, int size) {
  if (size != 6) return Eigen::Map<const VectorX>(J, size).dot(Eigen::Map<const VectorX>(v, size));
  return ((J[0] * v[0] + J[2] * v[2]) + J[4] * v[4]) + ((J[1] * v[1] + J[3] * v[3]) + J[5] * v[5]);
}

}  // namespace

double row_velocity(const StepProblem& problem, int block, int row, const VectorX& v) {
  const RowBlock& rows = problem.blocks[block];
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    if (rows.tree[side] < 0) continue;
    const VelocityTree& tree = problem.trees[rows.tree[side]];
    sum += multiply(problem.jacobian.data() + rows.offset[side] + row * tree.size, v.data() + tree.offset, tree.size);
  }
  return sum;
}

Vector4 contact_velocity(const StepProblem& problem, const ContactRows& contact, const VectorX& v) {
  const RowBlock& block = problem.blocks[contact.block];
  Vector4 u = contact.surface;
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    const VelocityTree& tree = problem.trees[block.tree[side]];
    const double* J = problem.jacobian.data() + block.offset[side];
    for (int r = 0; r < block.row_count; ++r) u[r] += multiply(J + r * tree.size, v.data() + tree.offset, tree.size);
  }
  return u;
}

}  // namespace stiction
