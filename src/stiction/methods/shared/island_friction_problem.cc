#include "stiction/methods/shared/island_friction_problem.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/base/infinity.h"
#include "stiction/math/linear/quad.h"

namespace stiction::methods {

void IslandFrictionProblem::clear() {
  problem.blocks.clear();
  problem.q.clear();
  selection.clear();
}

int IslandFrictionProblem::add(FrictionBlock block, const RowSelection& rows, std::span<const double> q) {
  STICTION_ASSERT(selection.empty() || selection.back().block <= rows.block, "blocks come in the island's order");
  block.first_row = problem.row_count();
  block.row_count = rows.count;
  for (int r = 0; r < rows.count; ++r) problem.q.push_back(q[r]);
  problem.blocks.push_back(block);
  selection.push_back(rows);
  return problem.block_count() - 1;
}

namespace {

bool is_plain(const RowSelection& rows) {
  return rows.count == 3 && rows.row[0] == 0 && rows.row[1] == 1 && rows.row[2] == 2;
}

}  // namespace

// Adds X_a^T X_b on one tree.
void IslandFrictionProblem::add_product(const contact::IslandRows& rows, const contact::IslandRows::Incidence& a,
                                        const RowSelection& rows_a, const contact::IslandRows::Incidence& b,
                                        const RowSelection& rows_b, double* value) const {
  const int n = rows.tree_size(a.tree);
  if (n == 6 && is_plain(rows_a) && is_plain(rows_b)) {  // two contacts of a free body
    const double *x = rows.row(a, 0), *y = rows.row(b, 0);
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) value[3 * r + c] += dot_six(x + 6 * r, y + 6 * c);
    }
    return;
  }
  for (int r = 0; r < rows_a.count; ++r) {
    const Eigen::Map<const VectorX> x_a(rows.row(a, rows_a.row[r]), n);
    for (int c = 0; c < rows_b.count; ++c) {
      value[r * rows_b.count + c] += x_a.dot(Eigen::Map<const VectorX>(rows.row(b, rows_b.row[c]), n));
    }
  }
}

// Do all blocks stand for three rows on one and the same tree of six velocities, as the contacts of one free body do?
bool IslandFrictionProblem::is_of_one_body(const contact::IslandRows& rows) const {
  const auto incidences = rows.incidences();
  if (incidences.size() != selection.size() || incidences.empty()) return false;
  if (incidences.front().tree != incidences.back().tree || rows.tree_size(incidences.front().tree) != 6) return false;
  return std::all_of(selection.begin(), selection.end(), is_plain);
}

// W is full then, and half of it is the other half: the same sums as add_product.
void IslandFrictionProblem::form_full_matrix(const contact::IslandRows& rows) {
  const auto incidences = rows.incidences();
  const int n = static_cast<int>(incidences.size());
  problem.row_start.resize(n + 1);
  problem.column.resize(static_cast<size_t>(n) * n);
  problem.value_start.resize(problem.column.size());
  problem.value.resize(9 * problem.column.size());
  for (int i = 0, k = 0; i < n; ++i) {
    problem.row_start[i] = n * i;
    for (int j = 0; j < n; ++j, ++k) problem.column[k] = j, problem.value_start[k] = 9 * k;
  }
  problem.row_start[n] = n * n;
  double* value = problem.value.data();
  for (int i = 0; i < n; ++i) {
    const double* x = rows.row(incidences[i], 0);
    for (int j = i; j < n; ++j) {
      const double* y = rows.row(incidences[j], 0);
      double *W = value + 9 * (n * i + j), *mirrored = value + 9 * (n * j + i);
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) W[3 * r + c] = mirrored[3 * c + r] = dot_six(x + 6 * r, y + 6 * c);
      }
    }
  }
}

void IslandFrictionProblem::form_matrix(const StepProblem& step, std::span<const int> step_blocks,
                                        const contact::IslandRows& rows) {
  if (is_of_one_body(rows)) return form_full_matrix(rows);
  first_of_.assign(step_blocks.size() + 1, 0);
  for (const RowSelection& s : selection) ++first_of_[s.block + 1];
  for (size_t k = 0; k < step_blocks.size(); ++k) first_of_[k + 1] += first_of_[k];
  problem.row_start.assign(1, 0);
  problem.column.clear();
  problem.value_start.clear();
  problem.value.clear();
  for (const RowSelection& row : selection) {
    const RowBlock& block = step.blocks[step_blocks[row.block]];
    std::array<std::span<const contact::IslandRows::Incidence>, 2> lists;
    std::array<const contact::IslandRows::Incidence*, 2> own = {nullptr, nullptr};
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      lists[side] = rows.on_tree(block.tree[side]);
      own[side] = std::lower_bound(lists[side].data(), lists[side].data() + lists[side].size(), row.block,
                                   [](const contact::IslandRows::Incidence& a, int k) { return a.block < k; });
    }
    // Merges the blocks on the two trees, both sorted.
    std::array<size_t, 2> at = {0, 0};
    while (at[0] < lists[0].size() || at[1] < lists[1].size()) {
      const int k0 = at[0] < lists[0].size() ? lists[0][at[0]].block : static_cast<int>(step_blocks.size());
      const int k1 = at[1] < lists[1].size() ? lists[1][at[1]].block : static_cast<int>(step_blocks.size());
      const int k = std::min(k0, k1);
      for (int j = first_of_[k]; j < first_of_[k + 1]; ++j) {
        problem.column.push_back(j);
        problem.value_start.push_back(static_cast<int>(problem.value.size()));
        problem.value.resize(problem.value.size() + static_cast<size_t>(row.count) * selection[j].count, 0.0);
        double* value = problem.value.data() + problem.value_start.back();
        if (k0 == k) add_product(rows, *own[0], row, lists[0][at[0]], selection[j], value);
        if (k1 == k) add_product(rows, *own[1], row, lists[1][at[1]], selection[j], value);
      }
      at[0] += k0 == k ? 1 : 0;
      at[1] += k1 == k ? 1 : 0;
    }
    problem.row_start.push_back(static_cast<int>(problem.column.size()));
  }
}

void IslandFrictionProblem::scatter(const contact::IslandRows& rows, std::span<const double> r,
                                    std::vector<double>& p) const {
  p.assign(rows.rows(), 0.0);
  for (size_t i = 0; i < selection.size(); ++i) {
    const RowSelection& s = selection[i];
    for (int k = 0; k < s.count; ++k) p[rows.first_row(s.block) + s.row[k]] = r[problem.blocks[i].first_row + k];
  }
}

void IslandFrictionProblem::gather(const contact::IslandRows& rows, std::span<const double> p,
                                   std::vector<double>& r) const {
  r.resize(problem.q.size());
  for (size_t i = 0; i < selection.size(); ++i) {
    const RowSelection& s = selection[i];
    for (int k = 0; k < s.count; ++k) r[problem.blocks[i].first_row + k] = p[rows.first_row(s.block) + s.row[k]];
  }
}

void list_island_blocks(const StepProblem& step, const contact::Island& island, std::vector<int>& blocks) {
  blocks.clear();
  for (const int b : island.bilaterals) blocks.push_back(step.bilaterals[b].block);
  for (const int c : island.contacts) {
    const ContactRows& contact = step.contacts[c];
    blocks.push_back(contact.block);
    if (contact.rolling >= 0) blocks.push_back(step.rollings[contact.rolling].block);
  }
  for (const int s : island.scalars) blocks.push_back(step.scalars[s].block);
}

namespace {

// Walks the island's blocks in local order and adds each with its law.
struct VelocityProblem {
  const StepProblem& step;
  const contact::IslandRows& rows;
  IslandFrictionProblem& result;
  int k = 0;  // local block
  double motion_squared = 0;

  // `open`: the part of a right-hand side that is a gap over h.
  void count(std::span<const double> q, int n, double open = 0) {
    for (int r = 0; r < n; ++r) motion_squared += std::pow(r == 0 ? q[r] - open : q[r], 2);
  }
  double free(int r) const { return rows.free_velocity()[rows.first_row(k) + r]; }
  void add_bilateral(const BilateralRows& bilateral);
  void add_contact(const ContactRows& contact);
  void add_rolling(const RollingRows& rolling, int contact);
  void add_scalar(const ScalarRow& scalar);
};

void VelocityProblem::add_bilateral(const BilateralRows& bilateral) {
  RowSelection selection{.block = k, .count = rows.row_count(k)};
  std::array<double, 6> q;
  for (int r = 0; r < selection.count; ++r) q[r] = free(r) + step.bilateral_bias[bilateral.first_bias + r];
  result.add({.law = FrictionBlock::Law::bilateral}, selection, q);
  count(q, selection.count);
  ++k;
}

// Rows without friction are left out: the ellipsoid of the others is not flat.
void VelocityProblem::add_contact(const ContactRows& contact) {
  const std::array<double, 3> axes = {contact.friction[0], contact.friction[1], contact.torsion};
  RowSelection selection{.block = k, .count = 1};
  FrictionBlock block{.law = FrictionBlock::Law::contact};
  std::array<double, 4> q = {free(0) + contact.surface[0] + contact.normal_bias};
  for (int r = 1; r < rows.row_count(k); ++r) {
    if (axes[r - 1] <= 0) continue;
    block.axes[selection.count - 1] = axes[r - 1];
    q[selection.count] = free(r) + contact.surface[r];
    selection.row[selection.count++] = r;
  }
  const int index = result.add(block, selection, q);
  count(q, selection.count, std::max(contact.normal_bias, 0.0));
  ++k;
  if (contact.rolling >= 0) add_rolling(step.rollings[contact.rolling], index);
}

void VelocityProblem::add_rolling(const RollingRows& rolling, int contact) {
  const std::array<double, 2> q = {free(0) + rolling.surface[0], free(1) + rolling.surface[1]};
  count(q, 2);
  result.add({.law = FrictionBlock::Law::bounded, .axes = {rolling.limit, rolling.limit, 0}, .link = contact},
             {.block = k, .count = 2}, q);
  ++k;
}

void VelocityProblem::add_scalar(const ScalarRow& scalar) {
  const bool limit = scalar.kind == ScalarRow::Kind::limit;
  const bool by_gap = limit && step.normal_law == NormalLaw::gap;
  const double bias = by_gap ? scalar.surface + std::max(scalar.gap, 0.0) / step.step : scalar.bias;
  const std::array<double, 1> q = {free(0) + bias};
  count(q, 1, limit ? bias - scalar.surface : 0.0);
  FrictionBlock block{.law = limit ? FrictionBlock::Law::contact : FrictionBlock::Law::bounded};
  if (!limit) {
    block.axes[0] = 1;
    block.bound = scalar.bound;
  }
  result.add(block, {.block = k, .count = 1}, q);
  ++k;
}

// Shrinks x, n rows, into the ellipsoid of that radius.
void shrink_into(const std::array<double, 3>& axes, double radius, int n, double* x) {
  double gauge = 0, square = 0;
  for (int i = 0; i < n; ++i) square += axes[i] > 0 ? (x[i] / axes[i]) * (x[i] / axes[i]) : x[i] == 0 ? 0 : infinity;
  if (square < (1 - 1e-12) * (radius * radius)) return;  // clearly inside
  for (int i = 0; i < n; ++i) gauge = axes[i] > 0 ? std::hypot(gauge, x[i] / axes[i]) : gauge;
  const double factor = gauge > radius ? radius / gauge : 1.0;
  for (int i = 0; i < n; ++i) x[i] = axes[i] > 0 ? factor * x[i] : 0.0;
}

}  // namespace

void make_admissible(const FrictionProblem& problem, std::span<double> r) {
  for (const FrictionBlock& block : problem.blocks) {
    if (block.law != FrictionBlock::Law::contact) continue;
    double* x = r.data() + block.first_row;
    x[0] = std::max(x[0], 0.0);
    shrink_into(block.axes, x[0], block.row_count - 1, x + 1);
  }
  for (const FrictionBlock& block : problem.blocks) {
    if (block.law != FrictionBlock::Law::bounded) continue;
    const double normal = block.link < 0 ? 0.0 : r[problem.blocks[block.link].first_row];
    shrink_into(block.axes, block.bound + normal, block.row_count, r.data() + block.first_row);
  }
}

void form_velocity_problem(const StepProblem& step, const contact::Island& island, std::span<const int> blocks,
                           const contact::IslandRows& rows, IslandFrictionProblem& result) {
  result.clear();
  VelocityProblem walk{step, rows, result};
  for (const int b : island.bilaterals) walk.add_bilateral(step.bilaterals[b]);
  for (const int c : island.contacts) walk.add_contact(step.contacts[c]);
  for (const int s : island.scalars) walk.add_scalar(step.scalars[s]);
  result.form_matrix(step, blocks, rows);
  result.motion = std::sqrt(walk.motion_squared);
}

}  // namespace stiction::methods
