// What the checks of a step compare with: weights and velocities of rows, the largest terms, the velocity scales s.
#include <algorithm>
#include <cmath>

#include "stiction/certify/step_certifier.h"
#include "stiction/math/linear/quad.h"

namespace stiction::certify {
namespace {

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
  work.factor.assign(problem.mass.begin(), problem.mass.end());
  int widest = 0;
  for (const VelocityTree& tree : problem.trees) widest = std::max(widest, tree.size);
  work.column.resize(quad_size * static_cast<size_t>(widest));
  work.used.resize(static_cast<size_t>(widest));
  for (auto* values : {&work.change, &work.start}) values->resize(static_cast<size_t>(widest));
  const size_t rows = static_cast<size_t>(problem.row_count) + 1;  // numbers of three rows are written in fours
  for (auto* values : {&work.weight, &work.end, &work.free, &work.pull}) values->assign(rows, 0.0);
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
  double *weight, *end, *free, *pull, *defect, *largest;

  STICTION_INLINE void measure() const {
    Quad column[6];
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) column[i] = Quad{J[i], J[6 + i], J[12 + i], 0};
    *quad(weight) += weigh_rows(L, column);
    *quad(end) += dot_rows(column, v_end);
    *quad(free) += dot_rows(column, v_free);
    const Quad pulled = absolute(dot_rows(column, load)), before = *quad(pull);
    *quad(pull) = (pulled > before ? pulled : before) + pulled * 0;  // what is not a number stays
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

void measure_plain(const ThreeRows& rows) {
  rows.measure();
}
STICTION_WIDE void measure_wide(const ThreeRows& rows) {
  rows.measure();
}

}  // namespace

// What the block's side adds, where its tree has six velocities as that of a free body. Of three rows the numbers are
// found side by side: a fourth adds nothing to the row behind them.
void Certifier::measure_six(const RowBlock& block, int side) {
  const VelocityTree& tree = problem.trees[block.tree[side]];
  const double* J = problem.jacobian.data() + block.offset[side];
  const double* L = work.factor.data() + tree.mass_offset;
  const double *v_end = answer.v_end.data() + tree.offset, *v_free = problem.v_free.data() + tree.offset;
  const double* load = work.load.data() + tree.offset;
  double *end = work.end.data() + block.first_row, *free = work.free.data() + block.first_row;
  double *pull = work.pull.data() + block.first_row, *weight = work.weight.data() + block.first_row;
  const double* p = answer.impulse.data() + block.first_row;
  if (block.row_count == 3 && work.apart[block.tree[side]]) {
    double *defect = work.defect.data() + tree.offset, *largest = &work.largest[block.tree[side]];
    const ThreeRows rows = {J, L, v_end, v_free, load, p, weight, end, free, pull, defect, largest};
    return use_wide_registers ? measure_wide(rows) : measure_plain(rows);
  }
  work.apart[block.tree[side]] ? weigh_six<3>(L, J, block.row_count, weight)
                               : weigh_six<0>(L, J, block.row_count, weight);
  SixTerms terms(work.defect.data() + tree.offset);
  for (int r = 0; r < block.row_count; ++r, J += 6) {
    end[r] += dot_six(J, v_end);
    free[r] += dot_six(J, v_free);
    raise(pull[r], std::abs(dot_six(J, load)));
    if (p[r] != 0) terms.take(J, p[r]);
  }
  terms.store(work.defect.data() + tree.offset);
  raise(work.largest[block.tree[side]], std::max(terms.largest[0], terms.largest[1]));
}

// W_ii, J v_end, J v_free of every row, and J^T p into the defect of momentum.
void Certifier::measure_rows() {
  for (const RowBlock& block : problem.blocks) {
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      problem.trees[block.tree[side]].size == 6 ? measure_six(block, side) : measure_tree(block, side);
    }
  }
}

// Raises s of the block's trees.
void Certifier::raise_scale(int block, double speed) {
  raise(fastest, speed);
  for (const int tree : problem.blocks[block].tree) {
    if (tree >= 0) raise(work.scale[tree], speed);
  }
}

// What a row would see without impulses, and what loads do to its sides.
double Certifier::speed_without_impulses(int row, double surface) const {
  return std::max(std::abs(work.free[row] + surface), work.pull[row]);
}

// s of a tree: the fastest motion that its own constraints would see without impulses, what loads alone would do to it
// and its neighbours, the largest velocity at which an overlap is driven apart (bodies that overlap may otherwise be at
// rest to each other, say in free fall), and what impulses do to it. Spin and rolling have scales of their own: a top
// must not hide how it slides.
void Certifier::find_scales() {
  for (const BilateralRows& joint : problem.bilaterals) {
    const RowBlock& block = problem.blocks[joint.block];
    for (int r = 0; r < block.row_count; ++r) {
      raise_scale(joint.block,
                  speed_without_impulses(block.first_row + r, problem.bilateral_bias[joint.first_bias + r]));
    }
  }
  for (const ScalarRow& scalar : problem.scalars) find_scalar_scale(scalar);
  for (const ContactRows& contact : problem.contacts) find_contact_scale(contact);
  for (const LayerRows& layer : problem.layers) find_layer_scale(layer);
  add_pushes();
}

void Certifier::find_scalar_scale(const ScalarRow& scalar) {
  const bool is_limit = scalar.kind == ScalarRow::Kind::limit;
  const double surface = is_limit ? scalar.surface : scalar.bias;
  const int row = problem.blocks[scalar.block].first_row;
  raise_scale(scalar.block, speed_without_impulses(row, surface));
  if (is_limit && scalar.gap < 0 && problem.normal_law != NormalLaw::rate)
    raise_scale(scalar.block, std::min(end(row, surface), -scalar.gap / problem.step));
}

void Certifier::find_contact_scale(const ContactRows& contact) {
  const RowBlock& block = problem.blocks[contact.block];
  double speed = 0;
  for (int r = 0; r < std::min(block.row_count, 3); ++r) {
    raise(speed, speed_without_impulses(block.first_row + r, contact.surface[r]));
  }
  if (problem.normal_law != NormalLaw::rate) {
    const double u = end(block.first_row, contact.surface[0]);
    const bool at_end = problem.normal_law == NormalLaw::end_gap;
    const double start_gap = at_end ? contact.gap - problem.step * u + give(contact).start : contact.gap;
    if (start_gap < 0) raise(speed, std::min(u, -start_gap / problem.step));
  }
  raise_scale(contact.block, speed);
  for (const int tree : block.tree) {
    if (tree >= 0) raise(work.normal[tree], answer.impulse[block.first_row]);
  }
}

// What a deflected layer sets in motion, and no more of it than the spring at its start would: bodies on it may be at
// rest otherwise.
void Certifier::find_layer_scale(const LayerRows& layer) {
  const ContactRows& contact = problem.contacts[layer.contact];
  const RowBlock& block = problem.blocks[contact.block];
  const Vector3 held = layer_impulse(*layer.layer, layer.start, layer.start, problem.step).value;
  for (int r = 0; r < std::min(block.row_count, 3); ++r) {
    const int row = block.first_row + r;
    raise_scale(contact.block, std::min(std::abs(end(row, contact.surface[r])), std::abs(work.weight[row] * held[r])));
  }
}

// A body that only passes a blow on is judged by that blow: W_ii p_i, no more of it than the fastest motion that there
// is, so that bodies that are jammed do not set a scale of their own.
void Certifier::add_pushes() {
  const auto add = [this](int block, int rows) {
    const int first = problem.blocks[block].first_row;
    double speed = 0;
    for (int row = first; row < first + rows; ++row) {
      raise(speed, std::min(std::abs(work.weight[row] * answer.impulse[row]), fastest));
    }
    raise_scale(block, speed);
  };
  for (const BilateralRows& joint : problem.bilaterals) add(joint.block, problem.blocks[joint.block].row_count);
  for (const ScalarRow& scalar : problem.scalars) add(scalar.block, 1);
  for (const ContactRows& contact : problem.contacts) {
    add(contact.block, std::min(problem.blocks[contact.block].row_count, 3));
  }
}

}  // namespace stiction::certify
