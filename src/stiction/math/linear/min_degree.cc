#include "stiction/math/linear/min_degree.h"

#include <algorithm>
#include <numeric>

namespace stiction {

namespace {
constexpr char variable = 0, element = 1, gone = 2;
}

// Nodes with equal closed neighbourhoods go together: sort by a hash of the neighbourhood, compare equals.
void MinDegree::merge_twins(int n, const int* row_start, const int* column) {
  twin_head_.resize(n), twin_next_.assign(n, -1), weight_.assign(n, 1);
  hash_.resize(n), hash_order_.resize(n), mark_.assign(n, -1);
  for (int i = 0; i < n; ++i) {
    unsigned sum = static_cast<unsigned>(i) * 2654435761u;
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      if (column[k] != i) sum += static_cast<unsigned>(column[k]) * 2654435761u;
    }
    hash_[i] = static_cast<int>(sum & 0x7fffffffu);
    twin_head_[i] = i;
  }
  std::iota(hash_order_.begin(), hash_order_.end(), 0);
  std::sort(hash_order_.begin(), hash_order_.end(),
            [this](int a, int b) { return hash_[a] != hash_[b] ? hash_[a] < hash_[b] : a < b; });
  for (int at = 0; at < n;) {
    const int i = hash_order_[at];
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) mark_[column[k]] = i;
    mark_[i] = i;
    int tail = i, end = at + 1;
    for (; end < n && hash_[hash_order_[end]] == hash_[i]; ++end) {
      const int j = hash_order_[end];
      bool same = mark_[j] == i && row_start[j + 1] - row_start[j] == row_start[i + 1] - row_start[i];
      for (int k = row_start[j]; same && k < row_start[j + 1]; ++k) same = mark_[column[k]] == i;
      if (!same) break;
      twin_next_[tail] = j;
      tail = j;
      twin_head_[j] = i;
      weight_[i] += 1;
      weight_[j] = 0;
    }
    at = end;
  }
}

void MinDegree::build(int n, const int* row_start, const int* column) {
  n_ = n;
  start_.resize(n), elements_.assign(n, 0), length_.assign(n, 0), degree_.assign(n, 0);
  head_.assign(n + 1, -1), next_.assign(n, -1), previous_.assign(n, -1);
  overlap_.assign(n, 0), overlap_stamp_.assign(n, -1), size_.assign(n, 0), state_.assign(n, variable);
  mark_.assign(n, -1);
  pool_.clear();
  pool_.reserve(2 * static_cast<size_t>(row_start[n]) + 2 * n);
  left_ = n;
  lowest_ = n;
  stamp_ = 0;
  for (int i = 0; i < n; ++i) {
    start_[i] = static_cast<int>(pool_.size());
    if (weight_[i] == 0) {
      state_[i] = gone;
      continue;
    }
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      const int j = column[k];
      if (j == i || weight_[j] == 0) continue;
      pool_.push_back(j);
      degree_[i] += weight_[j];
    }
    length_[i] = static_cast<int>(pool_.size()) - start_[i];
  }
  for (int i = n - 1; i >= 0; --i) {
    if (state_[i] == variable) bucket_insert(i);
  }
}

void MinDegree::bucket_insert(int node) {
  const int d = std::min(degree_[node], n_);
  next_[node] = head_[d];
  previous_[node] = -1;
  if (head_[d] >= 0) previous_[head_[d]] = node;
  head_[d] = node;
  lowest_ = std::min(lowest_, d);
}

void MinDegree::bucket_remove(int node) {
  if (next_[node] >= 0) previous_[next_[node]] = previous_[node];
  if (previous_[node] >= 0) {
    next_[previous_[node]] = next_[node];
  } else {
    head_[std::min(degree_[node], n_)] = next_[node];
  }
}

int MinDegree::take_lowest() {
  while (head_[lowest_] < 0) ++lowest_;
  const int node = head_[lowest_];
  bucket_remove(node);
  return node;
}

// The pivot's neighbours, through variables and through elements, become the variables of a new element.
void MinDegree::form_element(int pivot) {
  const int begin = static_cast<int>(pool_.size());
  const int stamp = ++stamp_;
  const auto take = [&](int i) {
    if (state_[i] != variable || i == pivot || mark_[i] == stamp) return;
    mark_[i] = stamp;
    pool_.push_back(i);
  };
  for (int k = 0; k < length_[pivot]; ++k) {
    const int x = pool_[start_[pivot] + k];
    if (k >= elements_[pivot]) {
      take(x);
      continue;
    }
    if (state_[x] != element) continue;
    for (int m = 0; m < length_[x]; ++m) take(pool_[start_[x] + m]);
    state_[x] = gone;
  }
  state_[pivot] = element;
  start_[pivot] = begin;
  length_[pivot] = static_cast<int>(pool_.size()) - begin;
  size_[pivot] = 0;
  for (int k = 0; k < length_[pivot]; ++k) size_[pivot] += weight_[pool_[begin + k]];
}

// Drops absorbed elements and covered variables from the lists of the element's variables, adds the element to them,
// and bounds their new degrees: |A_i| + |L_p| + sum over other elements of |L_e \ L_p|.
void MinDegree::update_degrees(int pivot) {
  const int stamp = stamp_;
  for (int k = 0; k < length_[pivot]; ++k) {
    const int i = pool_[start_[pivot] + k];
    for (int m = 0; m < elements_[i]; ++m) {
      const int e = pool_[start_[i] + m];
      if (state_[e] != element) continue;
      if (overlap_stamp_[e] != stamp) overlap_stamp_[e] = stamp, overlap_[e] = size_[e];
      overlap_[e] -= weight_[i];
    }
  }
  for (int k = 0; k < length_[pivot]; ++k) {
    const int i = pool_[start_[pivot] + k];
    bucket_remove(i);
    int* list = pool_.data() + start_[i];
    int keep = 0, degree = size_[pivot] - weight_[i];
    const int elements = elements_[i], length = length_[i];
    int kept_elements = 0;
    for (int m = 0; m < elements; ++m) {
      const int e = list[m];
      if (state_[e] != element) continue;
      if (overlap_[e] <= 0) {  // all its variables are in the new element: absorbed
        state_[e] = gone;
        continue;
      }
      list[keep++] = e;
      degree += overlap_[e];
    }
    kept_elements = keep;
    for (int m = elements; m < length; ++m) {
      const int j = list[m];
      if (state_[j] != variable || mark_[j] == stamp) continue;
      list[keep++] = j;
      degree += weight_[j];
    }
    // Room for the new element: i was adjacent to the pivot, so at least one entry has gone.
    for (int m = keep; m > kept_elements; --m) list[m] = list[m - 1];
    list[kept_elements] = pivot;
    elements_[i] = kept_elements + 1;
    length_[i] = keep + 1;
    degree_[i] = std::min(degree, left_);
    bucket_insert(i);
  }
}

// Moves live lists together when dead ones take most of the pool.
void MinDegree::compress() {
  if (pool_.size() + n_ <= pool_.capacity()) return;
  hash_order_.clear();
  for (int i = 0; i < n_; ++i) {
    if (state_[i] != gone && length_[i] > 0) hash_order_.push_back(i);
  }
  std::sort(hash_order_.begin(), hash_order_.end(), [this](int a, int b) { return start_[a] < start_[b]; });
  int to = 0;
  for (const int i : hash_order_) {
    std::copy_n(pool_.begin() + start_[i], length_[i], pool_.begin() + to);
    start_[i] = to;
    to += length_[i];
  }
  pool_.resize(to);
}

void MinDegree::order(int n, const int* row_start, const int* column, std::vector<int>& order) {
  merge_twins(n, row_start, column);
  build(n, row_start, column);
  order.clear();
  while (static_cast<int>(order.size()) < n) {
    compress();
    const int pivot = take_lowest();
    form_element(pivot);
    left_ -= weight_[pivot];
    update_degrees(pivot);
    for (int i = pivot; i >= 0; i = twin_next_[i]) order.push_back(i);
  }
}

}  // namespace stiction
