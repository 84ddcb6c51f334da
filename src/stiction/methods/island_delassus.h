// The island's Delassus matrix W = J M^-1 J^T and the way back from impulses to velocities.
//
// Local rows stand block after block in the order given. With M = L L^T by tree, X_b = L^-1 J_b^T is kept for every
// block and tree, so that W_ab = sum over shared trees of X_a^T X_b, and v = v_free + L^-T sum X_b p_b.
#pragma once

#include <span>
#include <vector>

#include "stiction/contact/islands.h"
#include "stiction/problem/step_problem.h"

namespace stiction::methods {

/// Caller-owned; allocates only for islands larger than ever before.
class IslandDelassus {
 public:
  /// Factors the masses of the island's trees and forms W and J v_free for `blocks` (indices into problem.blocks).
  /// False when a mass matrix is not positive definite.
  bool form(const StepProblem& problem, const contact::Island& island, std::span<const int> blocks);

  int rows() const { return rows_; }
  /// First local row of the k-th block.
  int first_row(int k) const { return first_[k]; }
  /// W, column-major rows x rows.
  const std::vector<double>& matrix() const { return matrix_; }
  std::vector<double>& matrix() { return matrix_; }
  /// J v_free, one a local row.
  const std::vector<double>& free_velocity() const { return free_velocity_; }

  /// Writes v_end of the island's trees: v_free + M^-1 J^T p for local impulses p.
  void apply(const StepProblem& problem, const contact::Island& island, std::span<const double> p, VectorX& v_end);

 private:
  struct Incidence {
    int tree;    // global index
    int block;   // local index k
    int offset;  // of X in x_
  };

  bool factor(const StepProblem& problem, const contact::Island& island);
  void transform(const StepProblem& problem, std::span<const int> blocks);
  void multiply();
  void project_free_velocity(const StepProblem& problem, std::span<const int> blocks);

  int rows_ = 0;
  std::vector<int> first_, count_;
  std::vector<double> factor_;        // L of each tree
  std::vector<int> factor_offset_;    // by global tree; valid for the island's trees
  std::vector<int> tree_size_;        // by global tree
  std::vector<Incidence> incidence_;  // sorted by tree, then block
  std::vector<double> x_;
  std::vector<double> matrix_, free_velocity_, change_;
};

}  // namespace stiction::methods
