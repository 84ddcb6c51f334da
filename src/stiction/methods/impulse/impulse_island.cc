#include "stiction/methods/impulse/impulse_island.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense.h"
#include "stiction/methods/shared/island_friction_problem.h"
#include "stiction/methods/shared/island_warm_start.h"

namespace stiction::methods {

namespace {

constexpr double rank_tolerance = 1e-10;
// A normal whose response is this share of what it would be without closing joints cannot move.
constexpr double immovable = 1e-10;

}  // namespace

bool ImpulseIsland::form(const StepProblem& problem, const contact::Island& island) {
  list_island_blocks(problem, island, blocks_);
  if (!rows_.form(problem, island, blocks_)) return false;
  bilateral_blocks_ = static_cast<int>(island.bilaterals.size());
  bilateral_rows_ = 0;
  for (int k = 0; k < bilateral_blocks_; ++k) bilateral_rows_ += rows_of(k);
  form_groups(problem, island);
  copy_rows();
  bias_.assign(rows_.rows(), 0.0);
  for (int k = 0; k < bilateral_blocks_; ++k) {
    const int first = problem.bilaterals[island.bilaterals[k]].first_bias;
    for (int r = 0; r < rows_of(k); ++r) bias_[rows_.first_row(k) + r] = problem.bilateral_bias[first + r];
  }
  answer_of_joints_.assign(static_cast<size_t>(bilateral_rows_) * rows_.rows(), 0.0);
  if (bilateral_rows_ > 0) eliminate_bilaterals();
  list_points(problem, island);
  impulse_.assign(rows_.rows(), 0.0);
  set_base(problem, problem.v_free);
  return true;
}

int ImpulseIsland::find_group(int tree) {
  while (parent_[tree] != tree) tree = parent_[tree] = parent_[parent_[tree]];
  return tree;
}

// Trees that closing joints join get places one after the other in their group's coordinates.
void ImpulseIsland::form_groups(const StepProblem& problem, const contact::Island& island) {
  parent_.resize(problem.trees.size());
  tree_group_.resize(problem.trees.size());
  tree_offset_.resize(problem.trees.size());
  for (const int t : island.trees) parent_[t] = t;
  for (int k = 0; k < bilateral_blocks_; ++k) {
    const std::array<int, 2>& tree = problem.blocks[blocks_[k]].tree;
    if (tree[0] < 0 || tree[1] < 0) continue;
    const int a = find_group(tree[0]), b = find_group(tree[1]);
    parent_[std::max(a, b)] = std::min(a, b);
  }
  group_size_.clear();
  for (const int t : island.trees) {
    const int root = find_group(t);
    if (root == t) {
      tree_group_[t] = static_cast<int>(group_size_.size());
      group_size_.push_back(0);
    }
    tree_group_[t] = tree_group_[root];
    tree_offset_[t] = group_size_[tree_group_[t]];
    group_size_[tree_group_[t]] += problem.trees[t].size;
  }
  group_offset_.clear();
  int total = 0;
  for (const int size : group_size_) {
    group_offset_.push_back(total);
    total += size;
  }
  y_.assign(total, 0.0);
}

// X of every block by group; a block on two trees of one group has one part.
void ImpulseIsland::copy_rows() {
  parts_.assign(blocks_.size(), {});
  loose_response_.assign(blocks_.size(), 0.0);
  x_.clear();
  for (const contact::IslandRows::Incidence& incidence : rows_.incidences()) {
    const int group = tree_group_[incidence.tree];
    std::array<Part, 2>& parts = parts_[incidence.block];
    Part& part = parts[0].group < 0 || parts[0].group == group ? parts[0] : parts[1];
    if (part.group < 0) {
      part = {group, static_cast<long>(x_.size())};
      x_.resize(x_.size() + static_cast<size_t>(rows_of(incidence.block)) * group_size_[group], 0.0);
    }
    for (int r = 0; r < rows_of(incidence.block); ++r) {
      double* to = x_.data() + part.offset + static_cast<long>(r) * group_size_[group] + tree_offset_[incidence.tree];
      std::copy_n(rows_.row(incidence, r), rows_.tree_size(incidence.tree), to);
    }
    loose_response_[incidence.block] +=
        Eigen::Map<const VectorX>(rows_.row(incidence, 0), rows_.tree_size(incidence.tree)).squaredNorm();
  }
}

// W_bb, scaled to a unit diagonal and factored.
void ImpulseIsland::form_bilateral_matrix() {
  const int n = bilateral_rows_;
  bilateral_factor_.assign(static_cast<size_t>(n) * n, 0.0);
  for (int a = 0; a < bilateral_blocks_; ++a) {
    for (int b = 0; b < bilateral_blocks_; ++b) {
      if (parts_[a][0].group != parts_[b][0].group) continue;
      for (int r = 0; r < rows_of(a); ++r) {
        for (int c = 0; c < rows_of(b); ++c) {
          const long at = static_cast<long>(rows_.first_row(b) + c) * n + rows_.first_row(a) + r;
          bilateral_factor_[at] = row_of(parts_[a][0], r).dot(row_of(parts_[b][0], c));
        }
      }
    }
  }
  bilateral_scale_.resize(n);
  bilateral_pivots_.resize(n);
  bilateral_scratch_.resize(2 * n);
  bilateral_right_.resize(n);
  bilateral_left_.resize(n);
  unit_diagonal(bilateral_factor_.data(), n, n, bilateral_scale_.data());
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      bilateral_factor_[static_cast<size_t>(j) * n + i] *= bilateral_scale_[i] * bilateral_scale_[j];
    }
  }
  bilateral_rank_ = pivoted_cholesky(bilateral_factor_.data(), n, rank_tolerance, bilateral_pivots_);
}

// x = W_bb^+ b.
void ImpulseIsland::solve_bilateral(const double* b, double* x) {
  const int n = bilateral_rows_;
  for (int i = 0; i < n; ++i) bilateral_scratch_[i] = bilateral_scale_[i] * b[i];
  solve_pivoted(bilateral_factor_.data(), n, bilateral_rank_, bilateral_pivots_, bilateral_scratch_.data(),
                bilateral_scratch_.data() + n);
  for (int i = 0; i < n; ++i) x[i] = bilateral_scale_[i] * bilateral_scratch_[n + i];
}

// Y and X' of one row on one group.
void ImpulseIsland::eliminate_from(int block, const Part& part, int r) {
  const int size = group_size_[part.group];
  Eigen::Map<VectorX> x_c(x_.data() + part.offset + static_cast<long>(r) * size, size);
  std::fill(bilateral_right_.begin(), bilateral_right_.end(), 0.0);
  for (int b = 0; b < bilateral_blocks_; ++b) {
    if (parts_[b][0].group != part.group) continue;
    for (int i = 0; i < rows_of(b); ++i) bilateral_right_[rows_.first_row(b) + i] = row_of(parts_[b][0], i).dot(x_c);
  }
  solve_bilateral(bilateral_right_.data(), bilateral_left_.data());
  double* Y = answer_of_joints_.data() + static_cast<size_t>(rows_.first_row(block) + r) * bilateral_rows_;
  for (int b = 0; b < bilateral_blocks_; ++b) {
    if (parts_[b][0].group != part.group) continue;
    for (int i = 0; i < rows_of(b); ++i) {
      const int row = rows_.first_row(b) + i;
      x_c -= bilateral_left_[row] * row_of(parts_[b][0], i);
      Y[row] += bilateral_left_[row];
    }
  }
}

void ImpulseIsland::eliminate_bilaterals() {
  form_bilateral_matrix();
  for (size_t k = bilateral_blocks_; k < blocks_.size(); ++k) {
    for (const Part& part : parts_[k]) {
      if (part.group < 0) continue;
      for (int r = 0; r < rows_of(static_cast<int>(k)); ++r) eliminate_from(static_cast<int>(k), part, r);
    }
  }
}

void ImpulseIsland::list_points(const StepProblem& problem, const contact::Island& island) {
  points_.clear();
  bounded_.clear();
  int block = bilateral_blocks_;
  for (const int c : island.contacts) {
    const ContactRows& contact = problem.contacts[c];
    for (int r = 0; r < rows_of(block); ++r) bias_[rows_.first_row(block) + r] = contact.surface[r];
    add_contact(contact, c, block);
    if (contact.rolling < 0) continue;
    const RollingRows& rolling = problem.rollings[contact.rolling];
    for (int r = 0; r < 2; ++r) bias_[rows_.first_row(block) + r] = rolling.surface[r];
    bounded_.push_back({.block = block++, .count = 2, .limit = rolling.limit, .point = point_count() - 1});
  }
  for (const int s : island.scalars) {
    const ScalarRow& scalar = problem.scalars[s];
    const bool limit = scalar.kind == ScalarRow::Kind::limit;
    bias_[rows_.first_row(block)] = limit ? scalar.surface : scalar.bias;
    if (limit) {
      add_limit(block);
    } else {
      bounded_.push_back({.block = block, .bound = scalar.bound});
    }
    ++block;
  }
  for (Bounded& bounded : bounded_) measure_bounded(bounded);
}

// Rows without friction are left out.
void ImpulseIsland::add_contact(const ContactRows& contact, int index, int& block) {
  Point point;
  point.contact = index;
  point.block = block;
  point.restitution = contact.restitution;
  const std::array<double, 3> axes = {contact.friction[0], contact.friction[1], contact.torsion};
  for (int r = 1; r < rows_of(block); ++r) {
    if (contact.cone != nullptr ? r > 2 : axes[r - 1] <= 0) continue;
    point.law.axes[point.law.count - 1] = contact.cone != nullptr ? contact.cone_scale : axes[r - 1];
    point.row[point.law.count++] = r;
  }
  point.law.cone = contact.cone;
  finish_point(point);
  ++block;
}

void ImpulseIsland::add_limit(int block) {
  Point point;
  point.block = block;
  finish_point(point);
}

// Groups and K.
void ImpulseIsland::finish_point(Point& point) {
  for (int side = 0; side < 2; ++side) {
    const Part& part = parts_[point.block][side];
    point.group[side] = part.group;
    point.K[side].setZero();
    if (part.group < 0) continue;
    for (int a = 0; a < point.law.count; ++a) {
      for (int b = 0; b < point.law.count; ++b) {
        point.K[side](a, b) = row_of(part, point.row[a]).dot(row_of(part, point.row[b]));
      }
    }
  }
  point.movable = point.K[0](0, 0) + point.K[1](0, 0) > immovable * loose_response_[point.block];
  points_.push_back(point);
}

void ImpulseIsland::measure_bounded(Bounded& bounded) {
  for (const Part& part : parts_[bounded.block]) {
    if (part.group < 0) continue;
    for (int a = 0; a < bounded.count; ++a) {
      for (int b = 0; b < bounded.count; ++b) bounded.K(a, b) += row_of(part, a).dot(row_of(part, b));
    }
  }
}

// J v + bias of every row.
void ImpulseIsland::row_velocities(const StepProblem& problem, const VectorX& v, std::vector<double>& u) const {
  u = bias_;
  for (size_t k = 0; k < blocks_.size(); ++k) {
    const RowBlock& block = problem.blocks[blocks_[k]];
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const VelocityTree& tree = problem.trees[block.tree[side]];
      const auto J = problem.jacobian_block(blocks_[k], side);
      const auto part = v.segment(tree.offset, tree.size);
      for (int r = 0; r < block.row_count; ++r) u[rows_.first_row(static_cast<int>(k)) + r] += J.row(r).dot(part);
    }
  }
}

void ImpulseIsland::set_base(const StepProblem& problem, const VectorX& v) {
  row_velocities(problem, v, base_);
  const int n = bilateral_rows_;
  const Eigen::Map<const VectorX> open(base_.data(), n);
  for (int row = n; n > 0 && row < rows_.rows(); ++row) {
    base_[row] -= Eigen::Map<const VectorX>(answer_of_joints_.data() + static_cast<size_t>(row) * n, n).dot(open);
  }
}

double ImpulseIsland::velocity_of_row(int block, int r) const {
  double u = base_[rows_.first_row(block) + r];
  for (const Part& part : parts_[block]) {
    if (part.group >= 0) u += row_of(part, r).dot(y_of(part.group));
  }
  return u;
}

Vector4 ImpulseIsland::velocity(int i) const {
  const Point& point = points_[i];
  Vector4 u = Vector4::Zero();
  for (int r = 0; r < point.law.count; ++r) u[r] = velocity_of_row(point.block, point.row[r]);
  return u;
}

double ImpulseIsland::normal_velocity(int i) const {
  return velocity_of_row(points_[i].block, 0);
}

Matrix4 ImpulseIsland::response(int i, int sides) const {
  Matrix4 K = Matrix4::Zero();
  for (int side = 0; side < 2; ++side) {
    if (sides & (1 << side)) K += points_[i].K[side];
  }
  return K;
}

void ImpulseIsland::add_impulse(int block, int r, double p, int sides) {
  for (int side = 0; side < 2; ++side) {
    const Part& part = parts_[block][side];
    if (part.group >= 0 && (sides & (1 << side))) y_of(part.group) += p * row_of(part, r);
  }
}

void ImpulseIsland::apply(int i, const Vector4& p, int sides) {
  Point& point = points_[i];
  for (int r = 0; r < point.law.count; ++r) {
    impulse_[rows_.first_row(point.block) + point.row[r]] += p[r];
    add_impulse(point.block, point.row[r], p[r], sides);
  }
  if (sides != both_sides) point.withheld += p;
}

void ImpulseIsland::release(int i, int felt_sides) {
  Point& point = points_[i];
  for (int r = 0; r < point.law.count; ++r) {
    add_impulse(point.block, point.row[r], point.withheld[r], both_sides & ~felt_sides);
  }
  point.withheld.setZero();
}

double ImpulseIsland::sweep_bounded() {
  double largest = 0;
  for (const Bounded& row : bounded_) {
    Vector4 u = Vector4::Zero(), p = Vector4::Zero();
    double* sum = impulse_.data() + rows_.first_row(row.block);
    for (int r = 0; r < row.count; ++r) u[r] = velocity_of_row(row.block, r);
    const Vector4 stop = solve_semidefinite(row.K, row.count, u);
    for (int r = 0; r < row.count; ++r) p[r] = sum[r] - stop[r];
    const double normal = row.point < 0 ? 0.0 : impulse_[rows_.first_row(points_[row.point].block)];
    const double bound = row.bound + row.limit * normal, size = p.norm();
    if (size > bound) p *= bound / size;
    for (int r = 0; r < row.count; ++r) {
      const double change = p[r] - sum[r];
      largest = std::max(largest, std::abs(row.K(r, r) * change));
      add_impulse(row.block, r, change, both_sides);
      sum[r] = p[r];
    }
  }
  return largest;
}

double ImpulseIsland::largest_approach() const {
  double fastest = 0;
  for (int i = 0; i < point_count(); ++i) {
    if (points_[i].movable) fastest = std::max(fastest, -normal_velocity(i));
  }
  return fastest;
}

// The closing rows' impulses, once more for what rounding leaves open.
void ImpulseIsland::finish(const StepProblem& problem, const contact::Island& island, StepAnswer& answer) {
  const int n = bilateral_rows_;
  rows_.apply(problem, island, impulse_, problem.v_free, answer.v_end);
  for (int pass = 0; pass < (n > 0 ? 2 : 0); ++pass) {
    row_velocities(problem, answer.v_end, base_);
    solve_bilateral(base_.data(), bilateral_left_.data());
    for (int i = 0; i < n; ++i) impulse_[i] -= bilateral_left_[i];
    rows_.apply(problem, island, impulse_, problem.v_free, answer.v_end);
  }
  write_impulses(problem, blocks_, rows_, impulse_, answer);
}

}  // namespace stiction::methods
