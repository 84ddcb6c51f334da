// The island's Delassus matrix W = J M^-1 J^T, dense, and the way back from impulses to velocities.
#pragma once

#include <span>
#include <vector>

#include "stiction/contact/island_rows.h"

namespace stiction::contact {

/// Caller-owned; allocates only for islands larger than ever before.
class IslandDelassus {
 public:
  /// Factors the masses of the island's trees and forms W and J v_free for `blocks` (indices into problem.blocks).
  /// False when a mass matrix is not positive definite.
  bool form(const StepProblem& problem, const contact::Island& island, std::span<const int> blocks);

  int rows() const { return island_.rows(); }
  /// The rows that W was made of.
  const IslandRows& island_rows() const { return island_; }
  /// First local row of the k-th block.
  int first_row(int k) const { return island_.first_row(k); }
  /// W, column-major rows x rows.
  const std::vector<double>& matrix() const { return matrix_; }
  std::vector<double>& matrix() { return matrix_; }
  /// J v_free, one per local row.
  const std::vector<double>& free_velocity() const { return island_.free_velocity(); }

  /// Writes v_end of the island's trees: v_free + M^-1 J^T p for local impulses p.
  void apply(const StepProblem& problem, const contact::Island& island, std::span<const double> p, VectorX& v_end) {
    island_.apply(problem, island, p, problem.v_free, v_end);
  }

 private:
  void multiply(int tree);

  IslandRows island_;
  std::vector<double> matrix_;
};

}  // namespace stiction::contact
