#include "stiction/problem/row_velocity.h"

#include "stiction/math/linear/quad.h"

namespace stiction {
namespace {

// Six numbers, as free bodies have; the same sum as below.
double multiply_six(const double* J, const double* v) {
  const Half sum = (*half(J) * *half(v) + *half(J + 2) * *half(v + 2)) + *half(J + 4) * *half(v + 4);
  return sum[0] + sum[1];
}

double multiply(const double* J, const double* v, int size) {
  if (size == 6) return multiply_six(J, v);
  return Eigen::Map<const VectorX>(J, size).dot(Eigen::Map<const VectorX>(v, size));
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
    if (block.row_count == 3 && tree.size == 6) {
      const double* v_tree = v.data() + tree.offset;
      for (int r = 0; r < 3; ++r) u[r] += multiply_six(J + 6 * r, v_tree);
      continue;
    }
    for (int r = 0; r < block.row_count; ++r) u[r] += multiply(J + r * tree.size, v.data() + tree.offset, tree.size);
  }
  return u;
}

}  // namespace stiction
