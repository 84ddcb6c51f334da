#include "stiction/math/linear/dense.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/math/linear/quad.h"
#include "stiction/math/types.h"

namespace stiction {

namespace {

using Column = Eigen::Map<VectorX>;
using ConstColumn = Eigen::Map<const VectorX>;

}  // namespace

namespace {

// The same steps as below for six rows, as free bodies have: to the bit what they give, in a fifth of the time.
bool cholesky_six(double* A) {
  constexpr int n = 6;
  for (int k = 0; k < n; ++k) {
    double* column = A + n * k;
    if (!(column[k] > 0)) return false;
    column[k] = std::sqrt(column[k]);
    if (std::all_of(column + k + 1, column + n, [](double x) { return x == 0; })) continue;  // as travel mostly
    for (int i = k + 1; i < n; ++i) column[i] /= column[k];
    for (int j = k + 1; j < n; ++j) {
      for (int i = j; i < n; ++i) A[n * j + i] -= column[j] * column[i];
    }
  }
  return true;
}

}  // namespace

bool cholesky(double* A, int n) {
  if (n == 6) return cholesky_six(A);
  // Right-looking: every update is an axpy down a column, which the compiler vectorises.
  for (int k = 0; k < n; ++k) {
    double* column = A + static_cast<long>(k) * n;
    if (!(column[k] > 0)) return false;
    column[k] = std::sqrt(column[k]);
    Column(column + k + 1, n - k - 1) /= column[k];
    for (int j = k + 1; j < n; ++j) {
      Column(A + static_cast<long>(j) * n + j, n - j) -= column[j] * ConstColumn(column + j, n - j);
    }
  }
  return true;
}

void solve_lower(const double* L, int n, double* b) {
  for (int k = 0; k < n; ++k) {
    const double* column = L + static_cast<long>(k) * n;
    b[k] /= column[k];
    Column(b + k + 1, n - k - 1) -= b[k] * ConstColumn(column + k + 1, n - k - 1);
  }
}

namespace {

// Two right-hand sides of six numbers side by side: to the bit what one after the other gives.
void solve_lower_six(const double* L, double* one, double* other) {
  constexpr int n = 6;
  Half x[n];
  for (int i = 0; i < n; ++i) x[i] = Half{one[i], other[i]};
#pragma GCC unroll 6
  for (int k = 0; k < n; ++k) {
    x[k] /= L[n * k + k];
#pragma GCC unroll 6
    for (int i = k + 1; i < n; ++i) x[i] -= x[k] * L[n * k + i];
  }
  for (int i = 0; i < n; ++i) one[i] = x[i][0], other[i] = x[i][1];
}

}  // namespace

void solve_lower_rows(const double* L, int n, double* b, int count) {
  int r = 0;
  for (; n == 6 && r + 2 <= count; r += 2) solve_lower_six(L, b + 6 * r, b + 6 * r + 6);
  if (n == 6 && r < count) return solve_lower_six(L, b + 6 * r, b + 6 * r);
  for (; r < count; ++r) solve_lower(L, n, b + static_cast<long>(r) * n);
}

void solve_lower_transposed(const double* L, int n, double* b) {
  for (int k = n - 1; k >= 0; --k) {
    const double* column = L + static_cast<long>(k) * n;
    b[k] = (b[k] - ConstColumn(column + k + 1, n - k - 1).dot(ConstColumn(b + k + 1, n - k - 1))) / column[k];
  }
}

void unit_diagonal(const double* A, int n, int stride, double* scale) {
  constexpr double rounding_of_rows = 1e-22;  // squared, with a wide margin for rows of different units
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, A[static_cast<size_t>(i) * stride + i]);
  for (int i = 0; i < n; ++i) {
    const double diagonal = A[static_cast<size_t>(i) * stride + i];
    scale[i] = diagonal > rounding_of_rows * largest ? 1.0 / std::sqrt(diagonal) : 0.0;
  }
}

int pivoted_cholesky(double* A, int n, double tolerance, std::span<int> permutation) {
  for (int k = 0; k < n; ++k) permutation[k] = k;
  const auto at = [&](int i, int j) -> double& { return A[static_cast<long>(j) * n + i]; };
  double largest = 0;
  for (int k = 0; k < n; ++k) largest = std::max(largest, at(k, k));
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int j = k + 1; j < n; ++j) {
      if (at(j, j) > at(pivot, pivot)) pivot = j;
    }
    if (!(at(pivot, pivot) > tolerance * largest)) return k;
    if (pivot != k) {
      // Symmetric swap of rows and columns k and pivot in the lower triangle.
      std::swap(permutation[k], permutation[pivot]);
      for (int j = 0; j < k; ++j) std::swap(at(k, j), at(pivot, j));
      std::swap(at(k, k), at(pivot, pivot));
      for (int i = k + 1; i < pivot; ++i) std::swap(at(i, k), at(pivot, i));
      for (int i = pivot + 1; i < n; ++i) std::swap(at(i, k), at(i, pivot));
    }
    double* column = A + static_cast<long>(k) * n;
    column[k] = std::sqrt(column[k]);
    Column(column + k + 1, n - k - 1) /= column[k];
    for (int j = k + 1; j < n; ++j) {
      Column(A + static_cast<long>(j) * n + j, n - j) -= column[j] * ConstColumn(column + j, n - j);
    }
  }
  return n;
}

void solve_pivoted(const double* L, int n, int rank, std::span<const int> permutation, const double* b, double* x) {
  std::fill(x, x + n, 0.0);
  // Forward and backward in the order of the pivots, written straight into the pivots' places of x.
  for (int k = 0; k < rank; ++k) {
    double sum = b[permutation[k]];
    for (int j = 0; j < k; ++j) sum -= L[static_cast<long>(j) * n + k] * x[permutation[j]];
    x[permutation[k]] = sum / L[static_cast<long>(k) * n + k];
  }
  for (int k = rank - 1; k >= 0; --k) {
    double sum = x[permutation[k]];
    for (int i = k + 1; i < rank; ++i) sum -= L[static_cast<long>(k) * n + i] * x[permutation[i]];
    x[permutation[k]] = sum / L[static_cast<long>(k) * n + k];
  }
}

bool factor_gram(const double* L, int n, int rank, double* gram) {
  for (int j = 0; j < rank; ++j) {
    for (int i = j; i < rank; ++i) {
      // Rows above i are zero in column i.
      const ConstColumn a(L + static_cast<long>(i) * n + i, n - i), b(L + static_cast<long>(j) * n + i, n - i);
      gram[static_cast<long>(j) * rank + i] = a.dot(b);
    }
  }
  return cholesky(gram, rank);
}

void solve_least_norm(const double* L, int n, int rank, std::span<const int> permutation, const double* gram,
                      const double* b, double* x, double* scratch) {
  for (int j = 0; j < rank; ++j) {
    double sum = 0;
    for (int i = j; i < n; ++i) sum += L[static_cast<long>(j) * n + i] * b[permutation[i]];
    scratch[j] = sum;
  }
  for (int twice = 0; twice < 2; ++twice) {
    solve_lower(gram, rank, scratch);
    solve_lower_transposed(gram, rank, scratch);
  }
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j <= std::min(i, rank - 1); ++j) sum += L[static_cast<long>(j) * n + i] * scratch[j];
    x[permutation[i]] = sum;
  }
}

}  // namespace stiction
