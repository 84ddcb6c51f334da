// A small friction problem as a dense matrix, and with its bilateral rows eliminated.
//
// With rows B bilateral and F the others, u_B = 0 gives r_B = -W_BB^-1 (q_B + W_BF r_F) and, for F alone,
//
//     W~ = W_FF - W_FB W_BB^-1 W_BF,    q~ = q_F - W_FB W_BB^-1 q_B
//
// A touch of compliance on W_BB (1e-12 in scaled units) carries redundant joints.
#pragma once

#include <vector>

#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// W of the scaled problem, row-major row_count x row_count.
void dense_matrix(const ScaledFriction& s, std::vector<double>& W);

/// See the top of the file. Keeps its capacity.
class EliminatedFriction {
 public:
  /// False when W_BB cannot be inverted.
  bool eliminate(const ScaledFriction& s);
  /// Rows left, as rows of the problem.
  const std::vector<int>& rows() const { return rows_; }
  /// W~ between left rows number a and b.
  double W(int a, int b) const { return W_[static_cast<size_t>(a) * rows_.size() + b]; }
  const std::vector<double>& q() const { return q_; }
  /// Place of a row of the problem among those left, or -1.
  int place(int row) const { return place_[row]; }
  /// Fills the bilateral rows of r from the others. `with_q` false: of a homogeneous problem.
  void complete(double* r, bool with_q) const;

 private:
  std::vector<int> rows_, bilateral_, place_, exchanges_;
  std::vector<double> dense_, W_, q_, problem_q_, factor_, column_;
  mutable std::vector<double> right_;
};

}  // namespace stiction::solvers
