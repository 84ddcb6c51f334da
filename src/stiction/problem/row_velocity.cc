#include "stiction/problem/row_velocity.h"

#include "stiction/math/linear/quad.h"

namespace stiction {
namespace {

double multiply(const double* J, const double* v, int size) {
  if (size == 6) return dot_six(J, v);  // as free bodies have; the same sum as below
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

namespace {

bool is_plain(const StepProblem& problem, const RowBlock& block) {
  const auto is_free = [&](int tree) { return tree < 0 || problem.trees[tree].size == 6; };
  return block.row_count == 3 && is_free(block.tree[0]) && is_free(block.tree[1]);
}

}  // namespace

std::array<Vector4, 2> contact_velocities(const StepProblem& problem, const ContactRows& contact, const VectorX& v,
                                          const VectorX& w) {
  const RowBlock& block = problem.blocks[contact.block];
  if (!is_plain(problem, block)) return {contact_velocity(problem, contact, v), contact_velocity(problem, contact, w)};
  std::array<Vector4, 2> u = {contact.surface, contact.surface};
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    const int offset = problem.trees[block.tree[side]].offset;
    const double *J = problem.jacobian.data() + block.offset[side], *v_tree = v.data() + offset,
                 *w_tree = w.data() + offset;
    for (int r = 0; r < 3; ++r) {
      u[0][r] += dot_six(J + 6 * r, v_tree);
      u[1][r] += dot_six(J + 6 * r, w_tree);
    }
  }
  return u;
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
      for (int r = 0; r < 3; ++r) u[r] += dot_six(J + 6 * r, v_tree);
      continue;
    }
    for (int r = 0; r < block.row_count; ++r) u[r] += multiply(J + r * tree.size, v.data() + tree.offset, tree.size);
  }
  return u;
}

}  // namespace stiction
