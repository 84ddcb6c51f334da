#include "stiction/math/linear/branch_cholesky.h"

#include <algorithm>
#include <cmath>

namespace stiction {

// Unknown i is the next ancestor of the roots of all trees that hold a neighbour of it; `root` shortens the ways there.
void branch_parents(const double* M, int n, int* parent, int* root) {
  std::fill_n(parent, n, -1);
  std::fill_n(root, n, -1);
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) {
      if (M[static_cast<long>(i) * n + k] == 0) continue;
      int top = k;
      while (root[top] >= 0 && root[top] != i) {
        const int next = root[top];
        root[top] = i;
        top = next;
      }
      if (root[top] < 0) root[top] = parent[top] = i;
    }
  }
}

bool branch_cholesky(double* M, int n) {
  for (int k = n - 1; k >= 0; --k) {
    double* column = M + static_cast<long>(k) * n;
    if (!(column[k] > 0)) return false;
    column[k] = std::sqrt(column[k]);
    for (int i = 0; i < k; ++i) column[i] /= column[k];
    for (int j = 0; j < k; ++j) {
      if (column[j] == 0) continue;
      double* other = M + static_cast<long>(j) * n;
      for (int i = 0; i <= j; ++i) other[i] -= column[j] * column[i];
    }
  }
  return true;
}

void solve_branches(const double* U, int n, double* b) {
  for (int k = n - 1; k >= 0; --k) {
    if (b[k] == 0) continue;
    const double* column = U + static_cast<long>(k) * n;
    b[k] /= column[k];
    for (int i = 0; i < k; ++i) b[i] -= column[i] * b[k];
  }
}

void solve_branches_transposed(const double* U, int n, double* b) {
  for (int k = 0; k < n; ++k) {
    const double* column = U + static_cast<long>(k) * n;
    double sum = b[k];
    for (int i = 0; i < k; ++i) sum -= column[i] * b[i];
    b[k] = sum / column[k];
  }
}

}  // namespace stiction
