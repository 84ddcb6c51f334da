#include "stiction/solvers/friction/kernels/dense_friction.h"

#include <algorithm>

#include "stiction/math/linear/dense_lu.h"

namespace stiction::solvers {

void dense_matrix(const ScaledFriction& s, std::vector<double>& W) {
  const int n = s.row_count;
  W.assign(static_cast<size_t>(n) * n, 0.0);
  for (int i = 0; i < s.block_count; ++i) {
    for (int k = s.row_start()[i]; k < s.row_start()[i + 1]; ++k) {
      const int j = s.column()[k], columns = s.dim[j];
      for (int a = 0; a < s.dim[i]; ++a) {
        std::copy_n(s.value.data() + s.value_start()[k] + a * columns, columns,
                    W.data() + static_cast<size_t>(s.first[i] + a) * n + s.first[j]);
      }
    }
  }
}

bool EliminatedFriction::eliminate(const ScaledFriction& s) {
  constexpr double compliance = 1e-12;
  const int n = s.row_count;
  dense_matrix(s, dense_);
  problem_q_.assign(s.q.begin(), s.q.end());
  rows_.clear(), bilateral_.clear();
  place_.assign(n, -1);
  for (int i = 0; i < s.block_count; ++i) {
    const bool equation = s.law[i] == FrictionBlock::Law::bilateral;
    for (int row = s.first[i]; row < s.first[i] + s.dim[i]; ++row) {
      if (!equation) place_[row] = static_cast<int>(rows_.size());
      (equation ? bilateral_ : rows_).push_back(row);
    }
  }
  const int f = static_cast<int>(rows_.size()), b = static_cast<int>(bilateral_.size());
  const auto entry = [&](int row, int column) { return dense_[static_cast<size_t>(row) * n + column]; };
  factor_.resize(static_cast<size_t>(b) * b);
  exchanges_.resize(b);
  right_.resize(b);
  for (int c = 0; c < b; ++c) {
    for (int a = 0; a < b; ++a) {
      factor_[static_cast<size_t>(c) * b + a] = entry(bilateral_[a], bilateral_[c]) + (a == c ? compliance : 0.0);
    }
  }
  if (b > 0 && !factor_lu(b, factor_.data(), b, exchanges_.data(), 1e-15)) return false;
  W_.resize(static_cast<size_t>(f) * f);
  q_.resize(f);
  column_.resize(b);
  for (int c = 0; c <= f; ++c) {  // the last column is q
    for (int a = 0; a < b; ++a) column_[a] = c < f ? entry(bilateral_[a], rows_[c]) : s.q[bilateral_[a]];
    if (b > 0) solve_lu(b, factor_.data(), b, exchanges_.data(), column_.data());
    for (int a = 0; a < f; ++a) {
      double value = c < f ? entry(rows_[a], rows_[c]) : s.q[rows_[a]];
      for (int k = 0; k < b; ++k) value -= entry(rows_[a], bilateral_[k]) * column_[k];
      (c < f ? W_[static_cast<size_t>(a) * f + c] : q_[a]) = value;
    }
  }
  return true;
}

void EliminatedFriction::complete(double* r, bool with_q) const {
  const int b = static_cast<int>(bilateral_.size());
  if (b == 0) return;
  const int n = static_cast<int>(place_.size());
  for (int a = 0; a < b; ++a) {
    const double* row = dense_.data() + static_cast<size_t>(bilateral_[a]) * n;
    right_[a] = with_q ? -problem_q_[bilateral_[a]] : 0.0;
    for (const int column : rows_) right_[a] -= row[column] * r[column];
  }
  solve_lu(b, factor_.data(), b, exchanges_.data(), right_.data());
  for (int a = 0; a < b; ++a) r[bilateral_[a]] = right_[a];
}

}  // namespace stiction::solvers
