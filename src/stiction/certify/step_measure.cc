// What the checks of a step compare with: weights and velocities of rows, and the largest terms of momentum.
#include <algorithm>
#include <cmath>

#include "stiction/certify/step_certifier.h"
#include "stiction/math/linear/quad.h"

namespace stiction::certify {
namespace {

constexpr size_t blocks_at_once = 256;  // in one chunk of what workers share
constexpr size_t least_shared = 1024;   // contacts that are worth sharing
constexpr int most_rows = 8;            // of a block over trees of six velocities

// M = L L^T of six velocities, L in the lower triangle, one over its diagonal on the diagonal: rows are weighed without
// a division. False where M is not positive definite.
bool factor_forward(double* L) {
  constexpr int n = 6;
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      const double multiple = L[k * n + j];
      if (multiple == 0) continue;
      for (int i = j; i < n; ++i) L[j * n + i] -= multiple * L[k * n + i];
    }
    if (!(L[j * n + j] > 0)) return false;
    const double inverse = 1 / std::sqrt(L[j * n + j]);
    L[j * n + j] = inverse;
    for (int i = j + 1; i < n; ++i) L[j * n + i] *= inverse;
  }
  return true;
}

}  // namespace

void Certifier::size_workspace() {
  const auto is_free = [](const VelocityTree& tree) { return tree.size == 6; };
  shares = work.workers != nullptr && work.workers->count() > 1 && problem.contacts.size() >= least_shared &&
           std::all_of(problem.trees.begin(), problem.trees.end(), is_free);
  work.factor.assign(problem.mass.begin(), problem.mass.end());
  int widest = 0;
  for (const VelocityTree& tree : problem.trees) widest = std::max(widest, tree.size);
  work.column.resize(quad_size * static_cast<size_t>(widest));
  work.used.resize(static_cast<size_t>(widest));
  for (auto* values : {&work.change, &work.start}) values->resize(static_cast<size_t>(widest));
  const size_t rows = static_cast<size_t>(problem.row_count) + 1;  // numbers of three rows are written in fours
  for (auto* values : {&work.weight, &work.end, &work.free, &work.pull}) {
    shares ? values->resize(rows) : values->assign(rows, 0.0);
  }
  work.load.resize(problem.v_free.size());
  for (size_t i = 0; i < work.load.size(); ++i) work.load[i] = problem.v_free[i] - problem.v_start[i];
  work.defect.assign(answer.v_end.size(), 0.0);
  for (auto* values : {&work.largest, &work.scale, &work.normal}) values->assign(problem.trees.size(), 0.0);
}

namespace {

// Does travel stand apart in L, from turn and along each axis, as with any free body that is not tied to more?
bool travels_apart(const double* L) {
  const auto coupled = (*half(L + 1) != 0) | (*half(L + 3) != 0) | (*half(L + 4) != 0) | (*half(L + 8) != 0) |
                       (*half(L + 10) != 0) | (*half(L + 15) != 0) | (*half(L + 16) != 0);
  return (coupled[0] | coupled[1]) == 0;
}

// |L^-1 J_i^T|^2 of two rows of six numbers, side by side, from velocity `first` on where rows of L before it are
// diagonal.
template <int first>
Half weigh_two(const double* L, const double* one, const double* other) {
  Half column[6];
  for (int i = 0; i < 6; ++i) column[i] = Half{one[i], other[i]};
  Half sum = {};
#pragma GCC unroll 6
  for (int j = 0; j < 6; ++j) {
    const Half x = column[j] * L[6 * j + j];
    sum += x * x;
#pragma GCC unroll 6
    for (int i = j + 1; i < 6 && j >= first; ++i) column[i] -= x * L[6 * j + i];
  }
  return sum;
}

// Adds the weights of a block's rows of six numbers.
template <int first>
void weigh_six(const double* L, const double* J, int rows, double* weight) {
  int r = 0;
  for (; r + 2 <= rows; r += 2) *half(weight + r) += weigh_two<first>(L, J + 6 * r, J + 6 * r + 6);
  if (r < rows) weight[r] += weigh_two<first>(L, J + 6 * r, J + 6 * r)[0];
}

// J^T p of one tree of six velocities, taken from its defect. A term that is not a number shows there, not in
// `largest`.
struct SixTerms {
  Half defect[3];
  Half largest = {};

  explicit SixTerms(const double* from) : defect{*half(from), *half(from + 2), *half(from + 4)} {}
  void take(const double* J, double p) {
    for (int i = 0; i < 3; ++i) {
      const Half term = *half(J + 2 * i) * p;
      defect[i] -= term;
      const Half size = absolute(term);
      largest = size > largest ? size : largest;
    }
  }
  void store(double* to) const {
    for (int i = 0; i < 3; ++i) *half(to + 2 * i) = defect[i];
  }
};

}  // namespace

// By tree; those of six velocities, as a free body has, have kernels of their own. False where a mass is not positive
// definite.
bool Certifier::factor_masses() {
  work.apart.resize(problem.trees.size());
  work.ancestors.clear();
  work.ancestors_start.resize(problem.v_free.size() + 1);
  for (size_t t = 0; t < problem.trees.size(); ++t) {
    const int n = problem.trees[t].size;
    double* factor = work.factor.data() + problem.trees[t].mass_offset;
    if (!(n == 6 ? factor_forward(factor) : factor_tree(problem.trees[t]))) return false;
    work.apart[t] = n == 6 && travels_apart(factor) && factor[0] == factor[7] && factor[0] == factor[14] ? 1 : 0;
  }
  return true;
}

namespace {

// |L^-1 J_i^T|^2 of the rows in the columns, for a body whose travel stands apart in L.
STICTION_INLINE Quad weigh_rows(const double* L, const Quad* column) {
  const Quad travel = (column[0] * column[0] + column[1] * column[1]) + column[2] * column[2];
  const Quad x = column[3] * L[21], y = (column[4] - x * L[22]) * L[28],
             z = ((column[5] - x * L[23]) - y * L[29]) * L[35];
  return travel * (L[0] * L[0]) + ((x * x + y * y) + z * z);
}

STICTION_INLINE Quad dot_rows(const Quad* column, const double* v) {
  return ((column[0] * v[0] + column[1] * v[1]) + (column[2] * v[2] + column[3] * v[3])) +
         (column[4] * v[4] + column[5] * v[5]);
}

// One side of three rows.
struct ThreeRows {
  const double *J, *L, *v_end, *v_free, *load, *p;
  RowSums to;
  double *defect, *largest;

  STICTION_INLINE void measure_rows() const {
    Quad column[6];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) column[i] = Quad{J[i], J[6 + i], J[12 + i], 0};
    *quad(to.weight) += weigh_rows(L, column);
    *quad(to.end) += dot_rows(column, v_end);
    *quad(to.free) += dot_rows(column, v_free);
    const Quad pulled = absolute(dot_rows(column, load)), before = *quad(to.pull);
    *quad(to.pull) = (pulled > before ? pulled : before) + pulled * 0;  // what is not a number stays
  }

  STICTION_INLINE void take_impulses() const {
    Half most = {};
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      Half sum = *half(defect + 2 * i);
#pragma GCC unroll 3
      for (int r = 0; r < 3; ++r) {
        const Half term = *half(J + 6 * r + 2 * i) * p[r], size = absolute(term);
        sum -= term;
        most = size > most ? size : most;
      }
      *half(defect + 2 * i) = sum;
    }
    certify::raise(*largest, std::max(most[0], most[1]));
  }
};

template <MeasuredPart part>
STICTION_INLINE void measure(const ThreeRows& rows) {
  if (part != MeasuredPart::momentum) rows.measure_rows();
  if (part != MeasuredPart::rows) rows.take_impulses();
}
template <MeasuredPart part>
void measure_plain(const ThreeRows& rows) {
  measure<part>(rows);
}
template <MeasuredPart part>
STICTION_WIDE void measure_wide(const ThreeRows& rows) {
  measure<part>(rows);
}

}  // namespace

// What the block's side adds, where its tree has six velocities as that of a free body. Of three rows the numbers are
// found side by side: a fourth adds nothing to the row behind them.
template <MeasuredPart part>
void Certifier::measure_six(const RowBlock& block, int side, const RowSums& to) {
  const VelocityTree& tree = problem.trees[block.tree[side]];
  const double* J = problem.jacobian.data() + block.offset[side];
  const double* L = work.factor.data() + tree.mass_offset;
  const double *v_end = answer.v_end.data() + tree.offset, *v_free = problem.v_free.data() + tree.offset;
  const double* load = work.load.data() + tree.offset;
  const double* p = answer.impulse.data() + block.first_row;
  if (block.row_count == 3 && work.apart[block.tree[side]]) {
    double *defect = work.defect.data() + tree.offset, *largest = &work.largest[block.tree[side]];
    const ThreeRows rows = {J, L, v_end, v_free, load, p, to, defect, largest};
    return use_wide_registers ? measure_wide<part>(rows) : measure_plain<part>(rows);
  }
  if (part != MeasuredPart::momentum) {
    work.apart[block.tree[side]] ? weigh_six<3>(L, J, block.row_count, to.weight)
                                 : weigh_six<0>(L, J, block.row_count, to.weight);
    for (int r = 0; r < block.row_count; ++r) {
      to.end[r] += dot_six(J + 6 * r, v_end);
      to.free[r] += dot_six(J + 6 * r, v_free);
      raise(to.pull[r], std::abs(dot_six(J + 6 * r, load)));
    }
  }
  if (part == MeasuredPart::rows) return;
  SixTerms terms(work.defect.data() + tree.offset);
  for (int r = 0; r < block.row_count; ++r) {
    if (p[r] != 0) terms.take(J + 6 * r, p[r]);
  }
  terms.store(work.defect.data() + tree.offset);
  raise(work.largest[block.tree[side]], std::max(terms.largest[0], terms.largest[1]));
}

// W_ii, J v_end, J v_free of every row, and J^T p into the defect of momentum.
void Certifier::measure_rows() {
  if (shares) return share_rows();
  for (const RowBlock& block : problem.blocks) {
    const int row = block.first_row;
    const RowSums to = {&work.weight[row], &work.end[row], &work.free[row], &work.pull[row]};
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      problem.trees[block.tree[side]].size == 6 ? measure_six<MeasuredPart::all>(block, side, to)
                                                : measure_tree(block, side);
    }
  }
}

// Rows by themselves, of which none is written in fours beyond its block.
void Certifier::share_rows() {
  for_ranges(work.workers, problem.blocks.size(), blocks_at_once, [this](size_t begin, size_t end) {
    for (size_t b = begin; b < end; ++b) {
      const RowBlock& block = problem.blocks[b];
      double own[4][most_rows] = {};
      for (int side = 0; side < 2; ++side) {
        if (block.tree[side] >= 0) measure_six<MeasuredPart::rows>(block, side, {own[0], own[1], own[2], own[3]});
      }
      std::copy_n(own[0], block.row_count, &work.weight[block.first_row]);
      std::copy_n(own[1], block.row_count, &work.end[block.first_row]);
      std::copy_n(own[2], block.row_count, &work.free[block.first_row]);
      std::copy_n(own[3], block.row_count, &work.pull[block.first_row]);
    }
  });
}

// What rows do to trees: each worker goes through all rows, in their order, and takes what concerns its own trees.
void Certifier::share_trees() {
  const int parts = work.workers->count();
  work.workers->for_chunks(parts, [this, parts](int part) {
    const int trees = static_cast<int>(problem.trees.size()), begin = trees * part / parts,
              end = trees * (part + 1) / parts;
    const auto is_own = [begin, end](int tree) { return tree >= begin && tree < end; };
    for (const RowBlock& block : problem.blocks) {
      for (int side = 0; side < 2; ++side) {
        if (is_own(block.tree[side])) measure_six<MeasuredPart::momentum>(block, side, {});
      }
    }
    for (size_t c = 0; c < problem.contacts.size(); ++c) {
      const RowBlock& block = problem.blocks[problem.contacts[c].block];
      for (const int tree : block.tree) {
        if (!is_own(tree)) continue;
        raise(work.scale[tree], work.speed[c]);
        raise(work.normal[tree], answer.impulse[block.first_row]);
      }
    }
  });
}

}  // namespace stiction::certify
