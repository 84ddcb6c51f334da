// A symmetric positive semidefinite A_SS over a set S of rows, factored with its null space: basic solutions, and what
// of a vector lies in the null space. Redundant contacts make A_N singular (drumwright2009 section 3.1).
#pragma once

#include <span>
#include <vector>

namespace stiction::methods {

/// Caller-owned; allocates only for sets larger than ever before.
class NormalFactor {
 public:
  /// Factors the rows and columns `set` of A (column-major, leading dimension `stride`). Pivots below `tolerance` times
  /// the largest diagonal entry count as zero.
  void form(const double* A, int stride, std::span<const int> set, double tolerance);

  int size() const { return size_; }
  int rank() const { return rank_; }
  int null_count() const { return size_ - rank_; }
  /// The k-th vector of a basis of the null space, `size` numbers: one in one of the rows that are not pivots.
  const double* null_vector(int k) const { return null_.data() + static_cast<size_t>(k) * size_; }

  /// x with A_SS x = b in the pivot rows, zero in the others.
  void solve(const double* b, double* x) const;
  /// Takes from x its part in the null space, orthogonal where entry i counts weight[i] times: x of least norm.
  void project(const double* weight, double* x);

 private:
  void form_null_space();

  int size_ = 0, rank_ = 0;
  std::vector<double> A_, L_, null_, gram_, right_;
  std::vector<double> gram_weight_;  // weights that gram_ is factored for
  std::vector<int> pivots_;
};

}  // namespace stiction::methods
