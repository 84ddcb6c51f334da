#include "stiction/solvers/friction/kernels/block_lu.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stiction::solvers {

namespace {

constexpr int widest = 6;

// C -= A B for row-major blocks m x k and k x n.
void subtract_product(const double* A, const double* B, double* C, int m, int k, int n) {
  for (int i = 0; i < m; ++i) {
    for (int p = 0; p < k; ++p) {
      const double a = A[i * k + p];
      for (int j = 0; j < n; ++j) C[i * n + j] -= a * B[p * n + j];
    }
  }
}

// y -= A x for a row-major block m x k.
void subtract_times(const double* A, const double* x, double* y, int m, int k) {
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int p = 0; p < k; ++p) sum += A[i * k + p] * x[p];
    y[i] -= sum;
  }
}

bool invert_block(const double* A, double* inverse, int n) {
  using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, widest, widest>;
  const Block block = Eigen::Map<const Block>(A, n, n);
  const Block result = block.partialPivLu().inverse();
  Eigen::Map<Block>(inverse, n, n) = result;
  return result.allFinite();
}

}  // namespace

// The union of the pattern and its transpose.
void BlockLu::symmetrize(const ScaledFriction& s) {
  const int *row_start = s.row_start(), *column = s.column();
  cursor_.assign(n_ + 1, 0);
  for (int i = 0; i < n_; ++i) {
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) ++cursor_[column[k]], ++cursor_[i];
  }
  pattern_start_.assign(n_ + 1, 0);
  for (int i = 0; i < n_; ++i) pattern_start_[i + 1] = pattern_start_[i] + cursor_[i];
  pattern_.resize(pattern_start_[n_]);
  std::copy_n(pattern_start_.begin(), n_, cursor_.begin());
  for (int i = 0; i < n_; ++i) {
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      pattern_[cursor_[i]++] = column[k];
      pattern_[cursor_[column[k]]++] = i;
    }
  }
  mark_.assign(n_, -1);
  int to = 0;
  for (int i = 0; i < n_; ++i) {
    const int begin = pattern_start_[i], end = pattern_start_[i + 1];
    pattern_start_[i] = to;
    for (int k = begin; k < end; ++k) {
      if (mark_[pattern_[k]] == i) continue;
      mark_[pattern_[k]] = i;
      pattern_[to++] = pattern_[k];
    }
  }
  pattern_start_[n_] = to;
}

// Rows of U, by the elimination tree.
void BlockLu::find_upper() {
  position_.resize(n_);
  for (int k = 0; k < n_; ++k) position_[order_[k]] = k;
  parent_.assign(n_, -1);
  mark_.assign(n_, -1);
  upper_start_.assign(n_ + 1, 0);
  const auto visit_row = [&](int i, auto&& visit) {
    mark_[i] = i;
    const int block = order_[i];
    for (int k = pattern_start_[block]; k < pattern_start_[block + 1]; ++k) {
      for (int p = position_[pattern_[k]]; p < i && mark_[p] != i; p = parent_[p]) {
        mark_[p] = i;
        if (parent_[p] < 0) parent_[p] = i;
        visit(p);
      }
    }
  };
  for (int i = 0; i < n_; ++i) visit_row(i, [&](int p) { ++upper_start_[p + 1]; });
  for (int i = 0; i < n_; ++i) upper_start_[i + 1] += upper_start_[i];
  upper_.resize(upper_start_[n_]);
  cursor_.assign(upper_start_.begin(), upper_start_.end());
  mark_.assign(n_, -1);
  for (int i = 0; i < n_; ++i) visit_row(i, [&](int p) { upper_[cursor_[p]++] = i; });
}

// Rows of L are the columns of U.
void BlockLu::find_lower() {
  lower_start_.assign(n_ + 1, 0);
  for (const int i : upper_) ++lower_start_[i + 1];
  for (int i = 0; i < n_; ++i) lower_start_[i + 1] += lower_start_[i];
  lower_.resize(upper_.size());
  cursor_.assign(lower_start_.begin(), lower_start_.end());
  work_ = 0;
  for (int k = 0; k < n_; ++k) {
    const double count = upper_start_[k + 1] - upper_start_[k];
    work_ += count * (count + 1) + 1;
    for (int e = upper_start_[k]; e < upper_start_[k + 1]; ++e) lower_[cursor_[upper_[e]]++] = k;
  }
}

// Where the values of each block stand.
void BlockLu::lay_out_values(const ScaledFriction& s) {
  lower_value_start_.resize(lower_.size() + 1);
  upper_value_start_.resize(upper_.size() + 1);
  inverse_start_.resize(n_ + 1);
  int lower = 0, upper = 0, inverse = 0;
  for (int i = 0; i < n_; ++i) {
    const int rows = s.dim[order_[i]];
    for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e) {
      lower_value_start_[e] = lower;
      lower += rows * s.dim[order_[lower_[e]]];
    }
    for (int e = upper_start_[i]; e < upper_start_[i + 1]; ++e) {
      upper_value_start_[e] = upper;
      upper += rows * s.dim[order_[upper_[e]]];
    }
    inverse_start_[i] = inverse;
    inverse += rows * rows;
  }
  lower_value_.resize(lower);
  upper_value_.resize(upper);
  inverse_.resize(inverse);
  work_row_.resize(static_cast<size_t>(widest) * s.row_count);
}

void BlockLu::analyze(const ScaledFriction& s) {
  n_ = s.block_count;
  symmetrize(s);
  min_degree_.order(n_, pattern_start_.data(), pattern_.data(), order_);
  find_upper();
  find_lower();
  s.all_three ? lay_out_three() : lay_out_values(s);
  active_.resize(n_);
}

bool BlockLu::factor_blocks(const ScaledFriction& s, const double* value) {
  const int *row_start = s.row_start(), *column = s.column(), *value_start = s.value_start();
  const std::uint8_t* dim = s.dim.data();
  double* row = work_row_.data();  // block of column position p at widest * first[order_[p]]
  const auto slot = [&](int position) { return row + widest * s.first[order_[position]]; };
  for (int i = 0; i < n_; ++i) {
    if (!active_[i]) continue;
    const int block = order_[i], m = dim[block];
    for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e) {
      std::fill_n(slot(lower_[e]), m * dim[order_[lower_[e]]], 0.0);
    }
    for (int e = upper_start_[i]; e < upper_start_[i + 1]; ++e) {
      std::fill_n(slot(upper_[e]), m * dim[order_[upper_[e]]], 0.0);
    }
    for (int k = row_start[block]; k < row_start[block + 1]; ++k) {
      std::copy_n(value + value_start[k], m * dim[column[k]], row + widest * s.first[column[k]]);
    }
    for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e) {
      const int p = lower_[e];
      if (!active_[p]) continue;
      const int k = dim[order_[p]];
      double* L = lower_value_.data() + lower_value_start_[e];
      std::fill_n(L, m * k, 0.0);
      subtract_product(slot(p), inverse_.data() + inverse_start_[p], L, m, k, k);  // -A_ip U_pp^-1
      for (int x = 0; x < m * k; ++x) L[x] = -L[x];
      for (int f = upper_start_[p]; f < upper_start_[p + 1]; ++f) {
        const int j = upper_[f];
        if (!active_[j]) continue;
        subtract_product(L, upper_value_.data() + upper_value_start_[f], slot(j), m, k, dim[order_[j]]);
      }
    }
    if (!invert_block(slot(i), inverse_.data() + inverse_start_[i], m)) return false;
    for (int e = upper_start_[i]; e < upper_start_[i + 1]; ++e) {
      std::copy_n(slot(upper_[e]), m * dim[order_[upper_[e]]], upper_value_.data() + upper_value_start_[e]);
    }
  }
  return true;
}

bool BlockLu::factor(const ScaledFriction& s, const double* value, const std::uint8_t* active) {
  for (int i = 0; i < n_; ++i) active_[i] = active[order_[i]];
  return s.all_three ? factor_three(s, value) : factor_blocks(s, value);
}

void BlockLu::solve_blocks(const ScaledFriction& s, double* x) const {
  const std::uint8_t* dim = s.dim.data();
  for (int i = 0; i < n_; ++i) {
    if (!active_[i]) continue;
    const int m = dim[order_[i]];
    double* x_i = x + s.first[order_[i]];
    for (int e = lower_start_[i]; e < lower_start_[i + 1]; ++e) {
      const int p = lower_[e];
      if (!active_[p]) continue;
      subtract_times(lower_value_.data() + lower_value_start_[e], x + s.first[order_[p]], x_i, m, dim[order_[p]]);
    }
  }
  for (int i = n_ - 1; i >= 0; --i) {
    if (!active_[i]) continue;
    const int m = dim[order_[i]];
    double* x_i = x + s.first[order_[i]];
    for (int e = upper_start_[i]; e < upper_start_[i + 1]; ++e) {
      const int j = upper_[e];
      if (!active_[j]) continue;
      subtract_times(upper_value_.data() + upper_value_start_[e], x + s.first[order_[j]], x_i, m, dim[order_[j]]);
    }
    double y[widest];
    const double* inverse = inverse_.data() + inverse_start_[i];
    for (int a = 0; a < m; ++a) {
      y[a] = 0;
      for (int b = 0; b < m; ++b) y[a] += inverse[a * m + b] * x_i[b];
    }
    std::copy_n(y, m, x_i);
  }
}

void BlockLu::solve(const ScaledFriction& s, double* x) const {
  if (s.all_three) {
    solve_three(x);
  } else {
    solve_blocks(s, x);
  }
}

}  // namespace stiction::solvers
