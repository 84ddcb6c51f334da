// Takes the joints' equations out of a problem in impulses: u = W p + q with u_B = 0 on the first rows B, others G.
//
//     W_GG - W_GB W_BB^+ W_BG  and  q_G - W_GB W_BB^+ q_B  replace W_GG and q_G          trinkle2003 (40)-(46)
//     p_B = -W_BB^+ (q_B + W_BG p_G)                                                     (43)
//
// Joints that form rigid loops make W_BB singular: W_BB^+ solves a maximal independent set of rows, found by pivoted
// Cholesky; dependent rows hold to the order of the constraint error squared.
#pragma once

#include <span>
#include <vector>

namespace stiction::methods {

/// Caller-owned; allocates only for problems larger than ever before.
class JointElimination {
 public:
  /// Replaces W_GG in W (column-major, rows x rows) and remembers how; the first `joint_rows` rows are B.
  void form(std::vector<double>& W, int rows, int joint_rows);
  /// Replaces q_G in q, one per row; W is what form() left.
  void reduce(const std::vector<double>& W, std::span<double> q);
  /// Fills p_B in p, one per row, for the q that was reduced last.
  void recover(std::span<double> p) const;

 private:
  void factor(const std::vector<double>& W);
  void solve(const double* b, double* x);

  int rows_ = 0, joint_rows_ = 0, rank_ = 0;
  std::vector<double> factor_, scale_, rhs_;
  std::vector<double> diagonal_;  // of W_GG before
  std::vector<int> pivots_;
  std::vector<double> coupling_;  // W_BB^+ W_BG column by column, last W_BB^+ q_B
};

}  // namespace stiction::methods
