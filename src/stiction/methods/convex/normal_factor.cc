#include "stiction/methods/convex/normal_factor.h"

#include <algorithm>

#include "stiction/math/linear/dense.h"

namespace stiction::methods {

void NormalFactor::form(const double* A, int stride, std::span<const int> set, double tolerance) {
  size_ = static_cast<int>(set.size());
  A_.resize(static_cast<size_t>(size_) * size_);
  for (int j = 0; j < size_; ++j) {
    for (int i = 0; i < size_; ++i)
      A_[static_cast<size_t>(j) * size_ + i] = A[static_cast<size_t>(set[j]) * stride + set[i]];
  }
  L_ = A_;
  pivots_.resize(size_);
  rank_ = pivoted_cholesky(L_.data(), size_, tolerance, pivots_);
  gram_weight_.clear();
  form_null_space();
}

void NormalFactor::solve(const double* b, double* x) const {
  solve_pivoted(L_.data(), size_, rank_, pivots_, b, x);
}

// Column f of A is a combination of the pivots' columns: e_f minus that.
void NormalFactor::form_null_space() {
  null_.resize(static_cast<size_t>(size_) * null_count());
  for (int k = 0; k < null_count(); ++k) {
    const int f = pivots_[rank_ + k];
    double* x = null_.data() + static_cast<size_t>(k) * size_;
    solve(A_.data() + static_cast<size_t>(f) * size_, x);
    for (int i = 0; i < size_; ++i) x[i] = -x[i];
    x[f] = 1;
  }
}

void NormalFactor::project(const double* weight, double* x) {
  const int n = null_count();
  if (n == 0) return;
  if (gram_weight_.empty() || !std::equal(gram_weight_.begin(), gram_weight_.end(), weight)) {
    gram_weight_.assign(weight, weight + size_);
    gram_.resize(static_cast<size_t>(n) * n);
    for (int j = 0; j < n; ++j) {
      for (int k = j; k < n; ++k) {
        double sum = 0;
        for (int i = 0; i < size_; ++i) sum += weight[i] * null_vector(j)[i] * weight[i] * null_vector(k)[i];
        gram_[static_cast<size_t>(j) * n + k] = sum;
      }
    }
    cholesky(gram_.data(), n);  // each vector has a one where the others have none: definite
  }
  right_.resize(n);
  for (int pass = 0; pass < 2; ++pass) {  // twice, for what the first leaves by rounding
    for (int k = 0; k < n; ++k) {
      double sum = 0;
      for (int i = 0; i < size_; ++i) sum += weight[i] * null_vector(k)[i] * weight[i] * x[i];
      right_[k] = sum;
    }
    solve_lower(gram_.data(), n, right_.data());
    solve_lower_transposed(gram_.data(), n, right_.data());
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < size_; ++i) x[i] -= right_[k] * null_vector(k)[i];
    }
  }
}

}  // namespace stiction::methods
