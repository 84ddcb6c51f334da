// What step_measure.cc finds of rows on free bodies, of rows on trees of joints: most velocities of a tree have no part
// in a row.
#include <algorithm>
#include <cmath>

#include "stiction/certify/step_certifier.h"
#include "stiction/math/linear/quad.h"

namespace stiction::certify {
namespace {

// M = U U^T from the last velocity to the first, U in the upper triangle, one over its diagonal on the diagonal:
// parents stand before their children, so that what is zero in M, for velocities of different branches, is zero in U.
bool factor_backward(double* U, int n) {
  for (int j = n - 1; j >= 0; --j) {
    double* column = U + static_cast<long>(n) * j;
    if (!(column[j] > 0)) return false;
    const double inverse = 1 / std::sqrt(column[j]);
    for (int i = 0; i < j; ++i) column[i] *= inverse;
    column[j] = inverse;
    for (int k = 0; k < j; ++k) {
      const double multiple = column[k];
      if (multiple == 0) continue;
      double* other = U + static_cast<long>(n) * k;
      for (int i = 0; i <= k; ++i) other[i] -= multiple * column[i];
    }
  }
  return true;
}

// One side of up to four rows on a tree of n velocities.
struct TreeRows {
  int n, rows;
  const double *J, *U, *v_end, *v_free, *load, *p;
  const int *ancestors, *ancestors_start;
  double *weight, *end, *free, *pull, *defect, *largest;
  Quad* columns;  // scratch, one per velocity
  int* used;      // scratch, one per velocity

  // |U^-1 J_i^T|^2, of which only ancestors of what a row moves count.
  STICTION_INLINE Quad weigh() const {
    Quad sum = {};
    for (int j = n - 1; j >= 0; --j) {
      if (used[j] == 0) continue;
      const double* own = U + static_cast<long>(n) * j;
      const Quad x = columns[j] * own[j];
      sum += x * x;
      const int* last = ancestors + ancestors_start[j + 1];
      for (const int* ancestor = ancestors + ancestors_start[j]; ancestor != last; ++ancestor) {
        columns[*ancestor] -= x * own[*ancestor];
        used[*ancestor] = 1;
      }
    }
    return sum;
  }

  template <int N>
  STICTION_INLINE void measure() const {
    Quad impulse = {}, ends = {}, frees = {}, pulls = {}, most = {};
    for (int r = 0; r < N; ++r) impulse[r] = p[r];
    for (int i = 0; i < n; ++i) {
      Quad column = {};
      bool moves = false;
#pragma GCC unroll 4
      for (int r = 0; r < N; ++r) {
        const double entry = J[n * r + i];
        moves |= entry != 0;
        column[r] = entry;
      }
      columns[i] = column;
      used[i] = moves ? 1 : 0;
      if (!moves) continue;
      ends += column * v_end[i];
      frees += column * v_free[i];
      pulls += column * load[i];
      const Quad term = column * impulse, size = absolute(term);
      defect[i] -= (term[0] + term[1]) + (term[2] + term[3]);
      most = size > most ? size : most;
    }
    const Quad weights = weigh();
    for (int r = 0; r < N; ++r) {
      weight[r] += weights[r];
      end[r] += ends[r];
      free[r] += frees[r];
      certify::raise(pull[r], std::abs(pulls[r]));
    }
    certify::raise(*largest, std::max(std::max(most[0], most[1]), std::max(most[2], most[3])));
  }

  STICTION_INLINE void measure_rows() const {
    switch (rows) {
      case 1:
        return measure<1>();
      case 2:
        return measure<2>();
      case 3:
        return measure<3>();
      default:
        return measure<4>();
    }
  }
};

void measure_plain(const TreeRows& rows) {
  rows.measure_rows();
}
STICTION_WIDE void measure_wide(const TreeRows& rows) {
  rows.measure_rows();
}

}  // namespace

// The tree's factor, and what is not zero in its columns above the diagonal. False where the mass is not positive
// definite.
bool Certifier::factor_tree(const VelocityTree& tree) {
  double* U = work.factor.data() + tree.mass_offset;
  if (!factor_backward(U, tree.size)) return false;
  for (int j = 0; j < tree.size; ++j, U += tree.size) {
    work.ancestors_start[tree.offset + j] = static_cast<int>(work.ancestors.size());
    for (int i = 0; i < j; ++i) {
      if (U[i] != 0) work.ancestors.push_back(i);
    }
  }
  work.ancestors_start[tree.offset + tree.size] = static_cast<int>(work.ancestors.size());
  return true;
}

void Certifier::measure_tree(const RowBlock& block, int side) {
  const VelocityTree& tree = problem.trees[block.tree[side]];
  const int n = tree.size;
  for (int r = 0; r < block.row_count; r += quad_size) {
    const int row = block.first_row + r;
    const TreeRows rows = {.n = n,
                           .rows = std::min(quad_size, block.row_count - r),
                           .J = problem.jacobian.data() + block.offset[side] + static_cast<long>(n) * r,
                           .U = work.factor.data() + tree.mass_offset,
                           .v_end = answer.v_end.data() + tree.offset,
                           .v_free = problem.v_free.data() + tree.offset,
                           .load = work.load.data() + tree.offset,
                           .p = answer.impulse.data() + row,
                           .ancestors = work.ancestors.data(),
                           .ancestors_start = work.ancestors_start.data() + tree.offset,
                           .weight = work.weight.data() + row,
                           .end = work.end.data() + row,
                           .free = work.free.data() + row,
                           .pull = work.pull.data() + row,
                           .defect = work.defect.data() + tree.offset,
                           .largest = &work.largest[block.tree[side]],
                           .columns = quad(work.column.data()),
                           .used = work.used.data()};
    use_wide_registers ? measure_wide(rows) : measure_plain(rows);
  }
}

}  // namespace stiction::certify
