// What the checks of a step compare with: weights and velocities of rows, the largest terms, the velocity scale s.
#include <algorithm>
#include <cmath>

#include "stiction/certify/step_certifier.h"

namespace stiction::certify {

void Certifier::size_workspace() {
  work.factor.assign(problem.mass.begin(), problem.mass.end());
  int widest = 0;
  for (const VelocityTree& tree : problem.trees) widest = std::max(widest, tree.size);
  work.column.resize(widest);
  work.weight.assign(problem.row_count, 0.0);
  work.end.assign(problem.row_count, 0.0);
  work.free.assign(problem.row_count, 0.0);
  work.defect.assign(answer.v_end.size(), 0.0);
  work.largest.assign(problem.trees.size(), 0.0);
}

// M = L L^T by tree, L in the lower triangle. False where a mass is not positive definite.
bool Certifier::factor_masses() {
  for (const VelocityTree& tree : problem.trees) {
    double* L = work.factor.data() + tree.mass_offset;
    const int n = tree.size;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < j; ++k) {
        const double multiple = L[k * n + j];
        if (multiple == 0) continue;
        for (int i = j; i < n; ++i) L[j * n + i] -= multiple * L[k * n + i];
      }
      if (!(L[j * n + j] > 0)) return false;
      const double root = std::sqrt(L[j * n + j]);
      for (int i = j; i < n; ++i) L[j * n + i] /= root;
    }
  }
  return true;
}

// |L^-1 J_i^T|^2 on one side.
double Certifier::row_weight(int block, int side, int row) {
  const VelocityTree& tree = problem.trees[problem.blocks[block].tree[side]];
  const auto J = problem.jacobian_block(block, side);
  const double* L = work.factor.data() + tree.mass_offset;
  const int n = tree.size;
  double sum = 0;
  for (int i = 0; i < n; ++i) work.column[i] = J(row, i);
  for (int j = 0; j < n; ++j) {
    if (work.column[j] == 0) continue;
    const double x = work.column[j] / L[j * n + j];
    sum += x * x;
    for (int i = j + 1; i < n; ++i) work.column[i] -= x * L[j * n + i];
  }
  return sum;
}

namespace {

// Rows a and b of six numbers, in the order in which pairs of lanes add them up.
double dot_six(const double* a, const double* b) {
  return ((a[0] * b[0] + a[2] * b[2]) + a[4] * b[4]) + ((a[1] * b[1] + a[3] * b[3]) + a[5] * b[5]);
}

// |L^-1 J_i^T|^2 of up to four rows of six numbers, side by side: each division waits for the one before, so that four
// of them cost as much as one.
void weigh_six(const double* L, const double* J, int rows, double* weight) {
  double column[6][4] = {};
  for (int r = 0; r < rows; ++r) {
    for (int i = 0; i < 6; ++i) column[i][r] = J[6 * r + i];
  }
  double sum[4] = {};
  for (int j = 0; j < 6; ++j) {
    double x[4];
    for (int r = 0; r < 4; ++r) x[r] = column[j][r] / L[6 * j + j];
    for (int r = 0; r < 4; ++r) sum[r] += x[r] * x[r];
    for (int i = j + 1; i < 6; ++i) {
      if (L[6 * j + i] == 0) continue;  // travel and turn of a free body do not wait for each other
      for (int r = 0; r < 4; ++r) column[i][r] -= x[r] * L[6 * j + i];
    }
  }
  for (int r = 0; r < rows; ++r) weight[r] += sum[r];
}

}  // namespace

// What the block's side adds, where its tree has six velocities as that of a free body.
void Certifier::measure_six(const RowBlock& block, int side) {
  const VelocityTree& tree = problem.trees[block.tree[side]];
  const double* J = problem.jacobian.data() + block.offset[side];
  const double* L = work.factor.data() + tree.mass_offset;
  const double *v_end = answer.v_end.data() + tree.offset, *v_free = problem.v_free.data() + tree.offset;
  double* defect = work.defect.data() + tree.offset;
  double& largest = work.largest[block.tree[side]];
  for (int r = 0; r < block.row_count; r += 4) {
    weigh_six(L, J + 6 * r, std::min(4, block.row_count - r), work.weight.data() + block.first_row + r);
  }
  for (int r = 0; r < block.row_count; ++r, J += 6) {
    const int row = block.first_row + r;
    const double p = answer.impulse[row];
    work.end[row] += dot_six(J, v_end);
    work.free[row] += dot_six(J, v_free);
    if (p == 0) continue;
    for (int i = 0; i < 6; ++i) {
      const double term = J[i] * p;
      defect[i] -= term;
      raise(largest, std::abs(term));
    }
  }
}

// The same for a tree of any size.
void Certifier::measure_tree(int index, int side) {
  const RowBlock& block = problem.blocks[index];
  const VelocityTree& tree = problem.trees[block.tree[side]];
  const auto J = problem.jacobian_block(index, side);
  for (int r = 0; r < block.row_count; ++r) {
    const int row = block.first_row + r;
    work.weight[row] += row_weight(index, side, r);
    work.end[row] += J.row(r).dot(answer.v_end.segment(tree.offset, tree.size));
    work.free[row] += J.row(r).dot(problem.v_free.segment(tree.offset, tree.size));
    for (int i = 0; i < tree.size; ++i) {
      const double term = J(r, i) * answer.impulse[row];
      work.defect[tree.offset + i] -= term;
      raise(work.largest[block.tree[side]], std::abs(term));
    }
  }
}

// W_ii, J v_end, J v_free of every row, and J^T p into the defect of momentum.
void Certifier::measure_rows() {
  for (size_t b = 0; b < problem.blocks.size(); ++b) {
    const RowBlock& block = problem.blocks[b];
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      if (problem.trees[block.tree[side]].size == 6) {
        measure_six(block, side);
      } else {
        measure_tree(static_cast<int>(b), side);
      }
    }
  }
}

// s: the largest relative velocity that the constraints would see without impulses, and the largest at which an overlap
// is driven apart (bodies that overlap may otherwise be at rest to each other, say in free fall).
void Certifier::find_scales() {
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      raise(scale, std::abs(work.free[block.first_row + r] + problem.bilateral_bias[joint.first_bias + r]));
    }
  }
  for (const ScalarRow& scalar : problem.scalars) {
    const bool is_limit = scalar.kind == ScalarRow::Kind::limit;
    const double surface = is_limit ? scalar.surface : scalar.bias;
    const int row = problem.blocks[scalar.block].first_row;
    raise(scale, std::abs(work.free[row] + surface));
    if (is_limit && scalar.gap < 0 && problem.normal_law != NormalLaw::rate)
      raise(scale, std::min(end(row, surface), -scalar.gap / problem.step));
  }
  for (const ContactRows& contact : problem.contacts) find_contact_scale(contact);
  for (const LayerRows& layer : problem.layers) find_layer_scale(layer);
  for (const RollingRows& rolling : problem.rollings) {
    const int row = problem.blocks[rolling.block].first_row;
    for (int r = 0; r < 2; ++r) raise(scale, std::abs(work.free[row + r] + rolling.surface[r]));
  }
}

void Certifier::find_contact_scale(const ContactRows& contact) {
  const RowBlock& block = problem.blocks[contact.block];
  for (int r = 0; r < block.row_count; ++r) {
    raise(scale, std::abs(work.free[block.first_row + r] + contact.surface[r]));
  }
  raise(largest_normal, answer.impulse[block.first_row]);
  if (problem.normal_law == NormalLaw::rate) return;
  const double u = end(block.first_row, contact.surface[0]);
  const bool at_end = problem.normal_law == NormalLaw::end_gap;
  const double start_gap = at_end ? contact.gap - problem.step * u + give(contact).start : contact.gap;
  if (start_gap < 0) raise(scale, std::min(u, -start_gap / problem.step));
}

// What a deflected layer sets in motion, and no more of it than the spring at its start would: bodies on it may be at
// rest otherwise.
void Certifier::find_layer_scale(const LayerRows& layer) {
  const ContactRows& contact = problem.contacts[layer.contact];
  const RowBlock& block = problem.blocks[contact.block];
  const Vector3 held = layer_impulse(*layer.layer, layer.start, layer.start, problem.step).value;
  for (int r = 0; r < std::min(block.row_count, 3); ++r) {
    const int row = block.first_row + r;
    raise(scale, std::min(std::abs(end(row, contact.surface[r])), std::abs(work.weight[row] * held[r])));
  }
}

}  // namespace stiction::certify
