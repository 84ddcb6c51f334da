#include "stiction/math/linear/dense_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/math/linear/dense_kernels.h"

namespace stiction {
namespace {

constexpr int panel_columns = 4;  // columns eliminated together, as many as subtract_scaled_4 takes

double largest_entry(int n, const double* a, int stride) {
  double largest = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(a[j * stride + i]));
  }
  return largest;
}

int largest_below(const double* column, int first, int n) {
  int best = first;
  for (int i = first + 1; i < n; ++i) {
    if (std::abs(column[i]) > std::abs(column[best])) best = i;
  }
  return best;
}

void exchange_rows(int n, double* a, int stride, int i, int j) {
  if (i == j) return;
  for (int c = 0; c < n; ++c) std::swap(a[c * stride + i], a[c * stride + j]);
}

// Eliminates columns [first, last) from each other only; the columns to the right wait for update_column.
bool factor_panel(int n, double* a, int stride, int first, int last, int* rows, double smallest) {
  for (int k = first; k < last; ++k) {
    double* column = a + k * stride;
    rows[k] = largest_below(column, k, n);
    exchange_rows(n, a, stride, k, rows[k]);
    const double pivot = column[k];
    if (!(std::abs(pivot) > smallest) || !std::isfinite(pivot)) return false;
    for (int i = k + 1; i < n; ++i) column[i] /= pivot;
    for (int j = k + 1; j < last; ++j) {
      double* right = a + j * stride;
      if (right[k] != 0) subtract_scaled(n - k - 1, right[k], column + k + 1, right + k + 1);
    }
  }
  return true;
}

// Applies a finished panel to a column on its right.
void update_column(int n, const double* a, int stride, int first, int last, double* right) {
  for (int k = first; k < last; ++k) {
    if (right[k] == 0) continue;
    for (int i = k + 1; i < last; ++i) right[i] -= right[k] * a[k * stride + i];
  }
  if (last - first == panel_columns) {
    const bool all_zero = std::all_of(right + first, right + last, [](double u) { return u == 0; });
    if (!all_zero) subtract_scaled_4(n - last, right + first, a + first * stride + last, stride, right + last);
    return;
  }
  for (int k = first; k < last; ++k) {
    if (right[k] != 0) subtract_scaled(n - last, right[k], a + k * stride + last, right + last);
  }
}

}  // namespace

bool factor_lu(int n, double* a, int stride, int* rows, double singular) {
  const double smallest = singular * largest_entry(n, a, stride);
  for (int first = 0; first < n; first += panel_columns) {
    const int last = std::min(first + panel_columns, n);
    if (!factor_panel(n, a, stride, first, last, rows, smallest)) return false;
    for (int j = last; j < n; ++j) update_column(n, a, stride, first, last, a + j * stride);
  }
  return true;
}

void solve_lu(int n, const double* a, int stride, const int* rows, double* x) {
  for (int k = 0; k < n; ++k) std::swap(x[k], x[rows[k]]);
  for (int k = 0; k < n; ++k) {
    if (x[k] != 0) subtract_scaled(n - k - 1, x[k], a + k * stride + k + 1, x + k + 1);
  }
  for (int k = n - 1; k >= 0; --k) {
    x[k] /= a[k * stride + k];
    if (x[k] != 0) subtract_scaled(k, x[k], a + k * stride, x);
  }
}

}  // namespace stiction
