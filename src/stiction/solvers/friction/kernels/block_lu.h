// Sparse LU of a matrix of small dense blocks: A = L U, minimum-degree order, no pivoting between blocks.
//
// The pattern is symmetric, the numbers need not be. Blocks that are switched off (rows of the identity) take no part:
// their rows and columns are skipped, so that one symbolic analysis serves every active set of a Newton method.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/math/linear/min_degree.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"

namespace stiction::solvers {

/// Caller-owned memory; problems no larger than before allocate nothing.
class BlockLu {
 public:
  /// Symbolic analysis of the problem's pattern.
  void analyze(const ScaledFriction& s);
  /// Number of multiplications of blocks in one factorisation with everything active: a measure of its cost.
  double work() const { return work_; }
  /// Numeric factorisation of `value`, laid out as the problem's W. False when a pivot block cannot be inverted.
  bool factor(const ScaledFriction& s, const double* value, const std::uint8_t* active);
  /// x <- A^-1 x on the rows of active blocks; rows of other blocks are left alone and not read.
  void solve(const ScaledFriction& s, double* x) const;

 private:
  void symmetrize(const ScaledFriction& s);
  void find_upper();
  void find_lower();
  void lay_out_values(const ScaledFriction& s);
  bool factor_blocks(const ScaledFriction& s, const double* value);
  void solve_blocks(const ScaledFriction& s, double* x) const;

  // Where every block has three rows (block_lu_three.cc): the lists of active columns, and blocks padded to 3 x 4.
  struct ThreeRows {
    std::vector<int> lower_start, lower, upper_start, upper;
    std::vector<double> lower_value, upper_value, inverse, row;
    mutable std::vector<double> x;
  };
  void lay_out_three();
  bool factor_three(const ScaledFriction& s, const double* value);
  void solve_three(double* x) const;
  void scatter_three(const ScaledFriction& s, const double* value, int i);
  bool factor_rows(const ScaledFriction& s, const double* value);
  bool factor_rows_wide(const ScaledFriction& s, const double* value);
  void solve_rows(double* x) const;
  void solve_rows_wide(double* x) const;

  int n_ = 0;
  double work_ = 0;
  MinDegree min_degree_;
  std::vector<int> pattern_start_, pattern_;  // symmetric pattern, original numbers
  std::vector<int> order_, position_;         // order_[k]: block eliminated k-th
  std::vector<int> parent_, mark_;
  // Columns, in positions; rows of L and of U (no diagonal).
  std::vector<int> lower_start_, lower_, upper_start_, upper_;
  std::vector<int> lower_value_start_, upper_value_start_;  // by entry
  std::vector<double> lower_value_, upper_value_, inverse_, work_row_;
  std::vector<int> cursor_, inverse_start_;
  std::vector<std::uint8_t> active_;  // by position
  ThreeRows three_;
};

}  // namespace stiction::solvers
