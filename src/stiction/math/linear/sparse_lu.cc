#include "stiction/math/linear/sparse_lu.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stiction {
namespace {

// Columns of every row of A.
void transpose_pattern(const SparseColumns& A, OrderingMemory& memory) {
  memory.transposed_start.assign(A.n + 1, 0);
  memory.transposed.resize(A.row.size());
  for (const int i : A.row) ++memory.transposed_start[i + 1];
  std::partial_sum(memory.transposed_start.begin(), memory.transposed_start.end(), memory.transposed_start.begin());
  memory.mark.assign(memory.transposed_start.begin(), memory.transposed_start.end() - 1);
  for (int j = 0; j < A.n; ++j) {
    for (int p = A.start[j]; p < A.start[j + 1]; ++p) memory.transposed[memory.mark[A.row[p]]++] = j;
  }
}

}  // namespace

void SparseColumns::assign_dense(int size, const double* M) {
  n = size;
  start.resize(n + 1);
  row.clear();
  value.clear();
  start[0] = 0;
  for (int j = 0; j < n; ++j) {
    const double* column = M + static_cast<size_t>(j) * n;
    for (int i = 0; i < n; ++i) {
      if (column[i] == 0) continue;
      row.push_back(i);
      value.push_back(column[i]);
    }
    start[j + 1] = static_cast<int>(row.size());
  }
}

void minimum_degree(const SparseColumns& A, OrderingMemory& memory, std::vector<int>& order) {
  transpose_pattern(A, memory);
  memory.mark.assign(A.n, -1);
  memory.start.assign(1, 0);
  memory.column.clear();
  for (int i = 0; i < A.n; ++i) {
    const auto add = [&](int j) {
      if (j == i || memory.mark[j] == i) return;
      memory.mark[j] = i;
      memory.column.push_back(j);
    };
    for (int p = A.start[i]; p < A.start[i + 1]; ++p) add(A.row[p]);
    for (int p = memory.transposed_start[i]; p < memory.transposed_start[i + 1]; ++p) add(memory.transposed[p]);
    memory.start.push_back(static_cast<int>(memory.column.size()));
  }
  memory.engine.order(A.n, memory.start.data(), memory.column.data(), order);
}

// Rows that column j of A reaches through L, in `reach` in reverse topological order.
void SparseLu::find_reach(const SparseColumns& A, int j, int stamp) {
  reach.clear();
  for (int p = A.start[j]; p < A.start[j + 1]; ++p) {
    if (mark[A.row[p]] == stamp) continue;
    stack.push_back(A.row[p]);
    mark[A.row[p]] = stamp;
    next[A.row[p]] = position[A.row[p]] < 0 ? -1 : l_start[position[A.row[p]]];
    while (!stack.empty()) {
      const int i = stack.back();
      const int at = position[i];
      int child = -1;
      while (at >= 0 && next[i] < l_start[at + 1] && child < 0) {
        const int r = l_row[next[i]++];
        if (mark[r] != stamp) child = r;
      }
      if (child < 0) {
        reach.push_back(i);
        stack.pop_back();
        continue;
      }
      stack.push_back(child);
      mark[child] = stamp;
      next[child] = position[child] < 0 ? -1 : l_start[position[child]];
    }
  }
}

// -1: nothing but zeros.
int SparseLu::choose_pivot(int preferred, double threshold) const {
  double largest = 0;
  for (const int i : reach) {
    if (position[i] < 0) largest = std::max(largest, std::abs(x[i]));
  }
  if (!(largest > 0)) return -1;
  if (position[preferred] < 0 && std::abs(x[preferred]) >= threshold * largest) return preferred;
  int best = -1;
  for (const int i : reach) {
    if (position[i] >= 0 || std::abs(x[i]) < threshold * largest) continue;
    const bool sparser = best < 0 || row_count[i] < row_count[best];
    const bool larger = best >= 0 && row_count[i] == row_count[best] && std::abs(x[i]) > std::abs(x[best]);
    if (sparser || larger) best = i;
  }
  return best;
}

bool SparseLu::factor(const SparseColumns& A, const int* order, const int* preferred, double threshold,
                      double singular) {
  n = A.n;
  operations = n;
  l_start.assign(1, 0);
  u_start.assign(1, 0);
  l_row.clear(), l_value.clear(), u_row.clear(), u_value.clear(), pivot.clear(), pivot_row.clear();
  position.assign(n, -1);
  mark.assign(n, -1);
  next.resize(n);
  x.assign(n, 0.0);
  reach.reserve(n), stack.reserve(n);
  stack.clear();
  column.assign(order, order + n);
  row_count.assign(n, 0);
  for (const int i : A.row) ++row_count[i];
  for (int k = 0; k < n; ++k) {
    const int j = order[k];
    find_reach(A, j, k);
    double largest = 0;
    for (int p = A.start[j]; p < A.start[j + 1]; ++p) {
      x[A.row[p]] += A.value[p];
      largest = std::max(largest, std::abs(A.value[p]));
    }
    for (size_t t = reach.size(); t-- > 0;) {
      const int at = position[reach[t]];
      if (at < 0) continue;
      const double u = x[reach[t]];
      u_row.push_back(at);
      u_value.push_back(u);
      if (u == 0) continue;
      operations += l_start[at + 1] - l_start[at];
      for (int p = l_start[at]; p < l_start[at + 1]; ++p) x[l_row[p]] -= u * l_value[p];
    }
    const int row = choose_pivot(preferred[j], threshold);
    if (row < 0 || !(std::abs(x[row]) > singular * largest) || !std::isfinite(x[row])) return false;
    for (const int i : reach) {
      if (position[i] >= 0 || i == row || x[i] == 0) continue;
      l_row.push_back(i);
      l_value.push_back(x[i] / x[row]);
    }
    pivot.push_back(x[row]);
    for (const int i : reach) x[i] = 0;
    pivot_row.push_back(row);
    position[row] = k;
    l_start.push_back(static_cast<int>(l_row.size()));
    u_start.push_back(static_cast<int>(u_row.size()));
  }
  return true;
}

void SparseLu::solve(double* b, double* result) const {
  for (int k = 0; k < n; ++k) {
    const double value = b[pivot_row[k]];
    if (value == 0) continue;
    for (int p = l_start[k]; p < l_start[k + 1]; ++p) b[l_row[p]] -= value * l_value[p];
  }
  for (int k = n - 1; k >= 0; --k) {
    double value = b[pivot_row[k]];
    if (value != 0) {
      value /= pivot[k];
      for (int p = u_start[k]; p < u_start[k + 1]; ++p) b[pivot_row[u_row[p]]] -= value * u_value[p];
    }
    result[column[k]] = value;
  }
}

}  // namespace stiction
