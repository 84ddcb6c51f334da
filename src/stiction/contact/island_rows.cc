#include "stiction/contact/island_rows.h"

#include <algorithm>

#include "stiction/math/linear/dense.h"
#include "stiction/math/linear/quad.h"
#include "stiction/problem/row_velocity.h"

namespace stiction::contact {

bool IslandRows::form(const StepProblem& problem, const contact::Island& island, std::span<const int> blocks) {
  rows_ = 0;
  first_.clear();
  count_.clear();
  for (const int b : blocks) {
    first_.push_back(rows_);
    count_.push_back(problem.blocks[b].row_count);
    rows_ += problem.blocks[b].row_count;
  }
  if (!factor(problem, island)) return false;
  transform(problem, blocks);
  index_trees();
  project_free_velocity(problem, blocks);
  return true;
}

bool IslandRows::factor(const StepProblem& problem, const contact::Island& island) {
  factor_.clear();
  factor_offset_.resize(problem.trees.size());
  tree_size_.resize(problem.trees.size());
  tree_begin_.resize(problem.trees.size());
  tree_end_.resize(problem.trees.size());
  for (const int t : island.trees) {
    const int n = problem.trees[t].size;
    const double* mass = problem.mass.data() + problem.trees[t].mass_offset;
    factor_offset_[t] = static_cast<int>(factor_.size());
    tree_size_[t] = n;
    tree_begin_[t] = tree_end_[t] = 0;
    factor_.insert(factor_.end(), mass, mass + static_cast<long>(n) * n);
    if (!cholesky(factor_.data() + factor_offset_[t], n)) return false;
  }
  return true;
}

void IslandRows::transform(const StepProblem& problem, std::span<const int> blocks) {
  incidence_.clear();
  x_.clear();
  for (size_t k = 0; k < blocks.size(); ++k) {
    const RowBlock& block = problem.blocks[blocks[k]];
    for (int side = 0; side < 2; ++side) {
      const int tree = block.tree[side];
      if (tree < 0) continue;
      const int n = tree_size_[tree];
      const int offset = static_cast<int>(x_.size());
      incidence_.push_back({tree, static_cast<int>(k), offset});
      // A row-major rows x n block read column by column is its transpose: exactly the right-hand sides wanted.
      const double* J = problem.jacobian.data() + block.offset[side];
      x_.insert(x_.end(), J, J + static_cast<long>(block.row_count) * n);
      solve_lower_rows(factor_.data() + factor_offset_[tree], n, x_.data() + offset, block.row_count);
    }
  }
  std::sort(incidence_.begin(), incidence_.end(), [](const Incidence& a, const Incidence& b) {
    return a.tree != b.tree ? a.tree < b.tree : a.block < b.block;
  });
}

void IslandRows::index_trees() {
  const int count = static_cast<int>(incidence_.size());
  for (int i = 0; i < count; ++i) {
    const int tree = incidence_[i].tree;
    if (i == 0 || incidence_[i - 1].tree != tree) tree_begin_[tree] = i;
    tree_end_[tree] = i + 1;
  }
}

void IslandRows::project_free_velocity(const StepProblem& problem, std::span<const int> blocks) {
  free_velocity_.resize(rows_);
  for (size_t k = 0; k < blocks.size(); ++k) {
    for (int r = 0; r < count_[k]; ++r) {
      free_velocity_[first_[k] + r] = row_velocity(problem, blocks[k], r, problem.v_free);
    }
  }
}

namespace {

// change += p times a row of six numbers.
void add_six(double p, const double* row, double* change) {
  for (int i = 0; i < 6; i += 2) *half(change + i) += p * *half(row + i);
}

}  // namespace

void IslandRows::apply(const StepProblem& problem, const contact::Island& island, std::span<const double> p,
                       const VectorX& base, VectorX& v) {
  for (const int t : island.trees) {
    const int n = tree_size_[t];
    change_.assign(n, 0.0);
    Eigen::Map<VectorX> change(change_.data(), n);
    for (const Incidence& a : on_tree(t)) {
      for (int r = 0; r < count_[a.block]; ++r) {
        const double push = p[first_[a.block] + r];
        if (n == 6) {
          add_six(push, row(a, r), change_.data());
        } else {
          change += push * Eigen::Map<const VectorX>(row(a, r), n);
        }
      }
    }
    solve_lower_transposed(factor_.data() + factor_offset_[t], n, change_.data());
    const int offset = problem.trees[t].offset;
    v.segment(offset, n) = base.segment(offset, n) + change;
  }
}

}  // namespace stiction::contact
