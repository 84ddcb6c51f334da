// Linear systems of blocks, by dense or sparse LU.
#include <algorithm>
#include <numeric>

#include "stiction/math/linear/dense_lu.h"
#include "stiction/solvers/ncp/mixed_ncp.h"

namespace stiction::solvers {

namespace {

// Up to this size a dense factorisation is as quick.
constexpr int largest_dense = 48;
// A pivot below this fraction of its column counts as zero.
constexpr double singular_pivot = 1e-15;

}  // namespace

bool BlockSystem::factor(int n, const BlockMatrix& J) {
  n_ = n;
  result_.resize(n);
  dense_ = n <= largest_dense;
  return dense_ ? factor_dense(J) : factor_sparse(J);
}

bool BlockSystem::factor_dense(const BlockMatrix& J) {
  matrix_.assign(static_cast<size_t>(n_) * n_, 0.0);
  pivots_.resize(n_);
  for (const BlockMatrix::Block& block : J.blocks) {
    const double* value = J.value.data() + block.at;
    for (int r = 0; r < block.rows; ++r) {
      for (int c = 0; c < block.columns; ++c) {
        matrix_[static_cast<size_t>(block.column + c) * n_ + block.row + r] += value[r * block.columns + c];
      }
    }
  }
  return factor_lu(n_, matrix_.data(), n_, pivots_.data(), singular_pivot);
}

// Blocks to columns, entries of the same place added up.
void BlockSystem::compress(const BlockMatrix& J) {
  cursor_.assign(n_ + 1, 0);
  for (const BlockMatrix::Block& block : J.blocks) {
    for (int c = 0; c < block.columns; ++c) cursor_[block.column + c + 1] += block.rows;
  }
  std::partial_sum(cursor_.begin(), cursor_.end(), cursor_.begin());
  entry_row_.resize(cursor_.back());
  entry_value_.resize(cursor_.back());
  for (const BlockMatrix::Block& block : J.blocks) {
    const double* value = J.value.data() + block.at;
    for (int c = 0; c < block.columns; ++c) {
      int& at = cursor_[block.column + c];
      for (int r = 0; r < block.rows; ++r, ++at) {
        entry_row_[at] = block.row + r;
        entry_value_[at] = value[r * block.columns + c];
      }
    }
  }
  columns_.n = n_;
  columns_.start.assign(1, 0);
  columns_.row.clear();
  columns_.value.clear();
  mark_.assign(n_, -1);
  for (int j = 0, p = 0; j < n_; ++j) {
    const int first = static_cast<int>(columns_.row.size());
    for (; p < cursor_[j]; ++p) {  // by now cursor_[j] is the end of column j
      int& place = mark_[entry_row_[p]];
      if (place < first) {
        place = static_cast<int>(columns_.row.size());
        columns_.row.push_back(entry_row_[p]);
        columns_.value.push_back(0);
      }
      columns_.value[place] += entry_value_[p];
    }
    columns_.start.push_back(static_cast<int>(columns_.row.size()));
  }
}

bool BlockSystem::factor_sparse(const BlockMatrix& J) {
  compress(J);
  minimum_degree(columns_, ordering_, order_);
  preferred_.resize(n_);
  std::iota(preferred_.begin(), preferred_.end(), 0);
  return lu_.factor(columns_, order_.data(), preferred_.data(), 0.05, singular_pivot);
}

void BlockSystem::solve(double* b) {
  if (dense_) return solve_lu(n_, matrix_.data(), n_, pivots_.data(), b);
  lu_.solve(b, result_.data());
  std::copy(result_.begin(), result_.end(), b);
}

}  // namespace stiction::solvers
