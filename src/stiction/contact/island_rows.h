// The rows of an island in coordinates in which the mass matrix is the unit matrix, and the way back to velocities.
//
// With M = L L^T by tree, X_b = L^-1 J_b^T is kept for every block and tree, so that the Delassus matrix is
// W_ab = sum over shared trees of X_a^T X_b, and v = v_free + L^-T sum X_b p_b.
#pragma once

#include <span>
#include <vector>

#include "stiction/contact/islands.h"
#include "stiction/problem/step_problem.h"

namespace stiction::contact {

/// Caller-owned; allocates only for islands larger than ever before. Local rows stand block after block in the order
/// given.
class IslandRows {
 public:
  /// Factors the masses of the island's trees and transforms `blocks` (indices into problem.blocks). False when a mass
  /// matrix is not positive definite.
  bool form(const StepProblem& problem, const contact::Island& island, std::span<const int> blocks);

  int rows() const { return rows_; }
  int block_count() const { return static_cast<int>(first_.size()); }
  /// First local row of the k-th block, and how many it has.
  int first_row(int k) const { return first_[k]; }
  int row_count(int k) const { return count_[k]; }
  /// J v_free, one per local row.
  const std::vector<double>& free_velocity() const { return free_velocity_; }

  /// One block's part on one tree.
  struct Incidence {
    int tree;    ///< global index
    int block;   ///< local index k
    int offset;  ///< of X, row after row
  };
  /// All of them, sorted by tree, then block.
  std::span<const Incidence> incidences() const { return incidence_; }
  /// Those of one of the island's trees.
  std::span<const Incidence> on_tree(int tree) const {
    return {incidence_.data() + tree_begin_[tree], static_cast<size_t>(tree_end_[tree] - tree_begin_[tree])};
  }
  int tree_size(int tree) const { return tree_size_[tree]; }
  /// Row r of X, tree_size numbers.
  const double* row(const Incidence& incidence, int r) const {
    return x_.data() + incidence.offset + static_cast<long>(r) * tree_size_[incidence.tree];
  }

  /// Writes v of the island's trees: base + M^-1 J^T p for local impulses p.
  void apply(const StepProblem& problem, const contact::Island& island, std::span<const double> p, const VectorX& base,
             VectorX& v);

 private:
  bool factor(const StepProblem& problem, const contact::Island& island);
  void transform(const StepProblem& problem, std::span<const int> blocks);
  void index_trees();
  void project_free_velocity(const StepProblem& problem, std::span<const int> blocks);

  int rows_ = 0;
  std::vector<int> first_, count_;
  std::vector<double> factor_;      // L of each tree
  std::vector<int> factor_offset_;  // by global tree; valid for the island's trees, as the next three
  std::vector<int> tree_size_;
  std::vector<int> tree_begin_, tree_end_;  // into incidence_
  std::vector<Incidence> incidence_;
  std::vector<double> x_;
  std::vector<double> free_velocity_, change_;
};

}  // namespace stiction::contact
