#include "stiction/math/linear/multifrontal.h"

#include <algorithm>
#include <cstring>

#include "stiction/base/assert.h"

namespace stiction {

bool Multifrontal::analyze(std::span<const int> sizes, std::span<const BlockEdge> edges, double most_work) {
  const bool known = std::ranges::equal(sizes, sizes_) && std::ranges::equal(edges, edges_) && analyzed_;
  if (known && fits_ == (work_ <= most_work)) return false;
  if (!known) {
    sizes_.assign(sizes.begin(), sizes.end());
    edges_.assign(edges.begin(), edges.end());
    tree_.analyze(sizes, edges);
    count_work();
    analyzed_ = true;
  }
  fits_ = work_ <= most_work;
  if (!fits_) return true;
  start_.assign(1, 0);
  for (const int size : sizes) start_.push_back(start_.back() + size);
  place_values(edges);
  place_fronts();
  list_entries();
  map_children();
  list_row_scalars();
  return true;
}

void Multifrontal::count_work() {
  work_ = 0;
  for (const FrontNode& node : tree_.fronts()) {
    const double p = node.pivots, m = node.rows;
    work_ += p * p * p / 3 + p * p * m + p * m * m;
  }
}

// Diagonal blocks first, then the lower blocks of every pair, then the upper ones in the same order.
void Multifrontal::place_values(std::span<const BlockEdge> edges) {
  const int n = tree_.block_count();
  const auto &order = tree_.order(), &position = tree_.position();
  int size = 0;
  diagonal_.resize(n);
  for (int b = 0; b < n; ++b) {
    diagonal_[b] = size;
    size += sizes_[b] * sizes_[b];
  }
  pair_start_.assign(1, 0);
  pair_later_.clear();
  pair_value_.clear();
  const int first_pair = size;
  for (int k = 0; k < n; ++k) {
    const int b = order[k], begin = static_cast<int>(pair_later_.size());
    for (int e = tree_.adjacency_start()[b]; e < tree_.adjacency_start()[b + 1]; ++e) {
      const int later = position[tree_.adjacency()[e]];
      if (later > k) pair_later_.push_back(later);
    }
    std::sort(pair_later_.begin() + begin, pair_later_.end());
    for (size_t p = begin; p < pair_later_.size(); ++p) {
      pair_value_.push_back(size);
      size += sizes_[b] * sizes_[order[pair_later_[p]]];
    }
    pair_start_.push_back(static_cast<int>(pair_later_.size()));
  }
  lower_size_ = size;
  values_.resize(2 * size - first_pair);
  places_.resize(edges.size());
  for (size_t e = 0; e < edges.size(); ++e) {
    const int a = position[edges[e].a], b = position[edges[e].b], earlier = std::min(a, b), later = std::max(a, b);
    if (a == b) continue;
    const auto first = pair_later_.begin() + pair_start_[earlier],
               last = pair_later_.begin() + pair_start_[earlier + 1];
    const int lower = pair_value_[std::lower_bound(first, last, later) - pair_later_.begin()];
    places_[e] = {lower, lower + lower_size_ - first_pair, a > b};
  }
}

// Room for the pieces of every front, and for the stack of updates at its highest.
void Multifrontal::place_fronts() {
  const auto& fronts = tree_.fronts();
  P_.clear(), L_.clear();
  exchange_start_.clear();
  size_t size_P = 0, size_L = 0, height = 0, highest = 0;
  int pivots = 0, largest = 0;
  std::vector<int>& waiting = map_;  // doubles that the children of a front hold on the stack
  waiting.assign(fronts.size(), 0);
  for (size_t f = 0; f < fronts.size(); ++f) {
    const FrontNode& node = fronts[f];
    P_.push_back(size_P);
    L_.push_back(size_L);
    exchange_start_.push_back(pivots);
    size_P += static_cast<size_t>(front_stride(node.pivots)) * node.pivots;
    size_L += static_cast<size_t>(front_stride(node.rows)) * node.pivots;
    const int update = front_stride(node.rows) * node.rows;
    highest = std::max(highest, height + update);
    height += update - waiting[f];
    if (node.parent >= 0) waiting[node.parent] += update;
    pivots += node.pivots;
    largest = std::max(largest, node.pivots + node.rows);
  }
  factor_P_.resize(size_P);
  factor_L_.resize(size_L);
  factor_U_.resize(size_L);
  stack_.resize(highest);
  exchange_.resize(pivots);
  work_vector_.assign(pivots + front_lane + front_stride(largest), 0.0);
}

// Which blocks of A enter which front, and where.
void Multifrontal::list_entries() {
  const auto& order = tree_.order();
  local_.assign(tree_.block_count(), 0);
  entries_.clear();
  entry_start_.assign(1, 0);
  for (const FrontNode& node : tree_.fronts()) {
    int scalar = 0;
    for (int k = node.first; k < node.end; ++k) local_[k] = scalar, scalar += sizes_[order[k]];
    scalar = 0;
    for (int e = node.rows_first; e < node.rows_end; ++e) {
      local_[tree_.rows()[e]] = scalar;
      scalar += sizes_[order[tree_.rows()[e]]];
    }
    for (int k = node.first; k < node.end; ++k) {
      const int b = order[k], size = sizes_[b];
      entries_.push_back({diagonal_[b], size, size, local_[k], local_[k], false, true});
      for (int p = pair_start_[k]; p < pair_start_[k + 1]; ++p) {
        const int later = pair_later_[p];
        entries_.push_back({pair_value_[p], sizes_[order[later]], size, local_[later], local_[k], later >= node.end});
      }
    }
    entry_start_.push_back(static_cast<int>(entries_.size()));
  }
}

// Rows of a child's S, scalar by scalar, as rows of its parent: pivots from 0 on, rows below them from `pivots` on.
void Multifrontal::map_children() {
  const auto& fronts = tree_.fronts();
  const auto& order = tree_.order();
  child_start_.assign(fronts.size() + 1, 0);
  for (const FrontNode& node : fronts) {
    if (node.parent >= 0) ++child_start_[node.parent + 1];
  }
  for (size_t f = 0; f < fronts.size(); ++f) child_start_[f + 1] += child_start_[f];
  child_.resize(child_start_.back());
  map_start_.assign(child_start_.begin(), child_start_.end());  // a cursor, for now
  for (size_t f = 0; f < fronts.size(); ++f) {
    if (fronts[f].parent >= 0) child_[map_start_[fronts[f].parent]++] = static_cast<int>(f);
  }
  map_start_.assign(fronts.size(), 0);
  map_.clear();
  for (size_t f = 0; f < fronts.size(); ++f) {
    const FrontNode& node = fronts[f];
    int scalar = 0;
    for (int k = node.first; k < node.end; ++k) local_[k] = scalar, scalar += sizes_[order[k]];
    for (int e = node.rows_first; e < node.rows_end; ++e) {
      local_[tree_.rows()[e]] = scalar;
      scalar += sizes_[order[tree_.rows()[e]]];
    }
    for (int c = child_start_[f]; c < child_start_[f + 1]; ++c) {
      const FrontNode& child = fronts[child_[c]];
      map_start_[child_[c]] = static_cast<int>(map_.size());
      for (int e = child.rows_first; e < child.rows_end; ++e) {
        const int row = tree_.rows()[e], size = sizes_[order[row]];
        for (int i = 0; i < size; ++i) map_.push_back(local_[row] + i);
      }
    }
  }
}

void Multifrontal::list_row_scalars() {
  const auto& order = tree_.order();
  int scalar = 0;
  for (int k = 0; k < tree_.block_count(); ++k) local_[k] = scalar, scalar += sizes_[order[k]];
  row_scalar_.clear();
  row_scalar_start_.clear();
  for (const FrontNode& node : tree_.fronts()) {
    row_scalar_start_.push_back(static_cast<int>(row_scalar_.size()));
    for (int e = node.rows_first; e < node.rows_end; ++e) {
      const int row = tree_.rows()[e];
      for (int i = 0; i < sizes_[order[row]]; ++i) row_scalar_.push_back(local_[row] + i);
    }
  }
}

void Multifrontal::clear(MatrixKind kind) {
  const auto end = kind == MatrixKind::symmetric ? values_.begin() + lower_size_ : values_.end();
  std::fill(values_.begin(), end, 0.0);
}

Front Multifrontal::front(int f) {
  const FrontNode& node = tree_.fronts()[f];
  return {node.pivots,
          node.rows,
          factor_P_.data() + P_[f],
          factor_L_.data() + L_[f],
          factor_U_.data() + L_[f],
          nullptr,
          exchange_.data() + exchange_start_[f]};
}

// The blocks of A whose first pivot is in this front.
void Multifrontal::gather(MatrixKind kind, int f, const Front& front) {
  const int stride_P = front_stride(front.pivots), stride_L = front_stride(front.rows);
  const size_t size_P = static_cast<size_t>(stride_P) * front.pivots;
  const size_t size_L = static_cast<size_t>(stride_L) * front.pivots;
  const size_t to_upper = values_.size() - lower_size_;
  const bool general = kind == MatrixKind::general;
  std::fill_n(front.P, size_P, 0.0);
  std::fill_n(front.L, size_L, 0.0);
  if (general) std::fill_n(front.U, size_L, 0.0);
  std::fill_n(front.S, static_cast<size_t>(stride_L) * front.rows, 0.0);
  for (int e = entry_start_[f]; e < entry_start_[f + 1]; ++e) {
    const Entry& entry = entries_[e];
    const double *lower = values_.data() + entry.value, *upper = lower + to_upper;
    for (int j = 0; j < entry.columns; ++j, lower += entry.rows, upper += entry.rows) {
      const int column = entry.column + j;
      double* to = entry.below ? front.L + column * stride_L : front.P + column * stride_P;
      std::copy_n(lower, entry.rows, to + entry.row);
      if (!general || entry.diagonal) continue;
      if (entry.below) {
        std::copy_n(upper, entry.rows, front.U + column * stride_L + entry.row);
      } else {
        for (int i = 0; i < entry.rows; ++i) front.P[(entry.row + i) * stride_P + column] = upper[i];
      }
    }
  }
}

// Adds what a child left: its leading rows are pivots here, the others stay below them.
void Multifrontal::add_child(MatrixKind kind, int child, const double* update, const Front& front) {
  const int count = tree_.fronts()[child].rows, stride = front_stride(count), p = front.pivots;
  const int stride_P = front_stride(p), stride_L = front_stride(front.rows);
  const int* map = map_.data() + map_start_[child];
  const int pivots = static_cast<int>(std::lower_bound(map, map + count, p) - map);
  const bool general = kind == MatrixKind::general;
  for (int c = 0; c < count; ++c, update += stride) {
    if (c < pivots) {
      double *P = front.P + map[c] * stride_P, *L = front.L + map[c] * stride_L - p;
      for (int r = general ? 0 : c; r < pivots; ++r) P[map[r]] += update[r];
      for (int r = pivots; r < count; ++r) L[map[r]] += update[r];
    } else {
      double *U = front.U + map[c] - p, *S = front.S + (map[c] - p) * stride_L - p;
      if (general) {
        for (int r = 0; r < pivots; ++r) U[map[r] * stride_L] += update[r];
      }
      for (int r = general ? pivots : c; r < count; ++r) S[map[r]] += update[r];
    }
  }
}

bool Multifrontal::factor(MatrixKind kind) {
  kind_ = kind;
  double* top = stack_.data();
  for (int f = 0; f < static_cast<int>(tree_.fronts().size()); ++f) {
    Front front = this->front(f);
    front.S = top;
    gather(kind, f, front);
    double* bottom = top;  // where the first child's update starts
    for (int c = child_start_[f + 1] - 1; c >= child_start_[f]; --c) {
      const int rows = tree_.fronts()[child_[c]].rows;
      bottom -= static_cast<size_t>(front_stride(rows)) * rows;
      add_child(kind, child_[c], bottom, front);
    }
    if (!(kind == MatrixKind::symmetric ? factor_symmetric_front(front) : factor_general_front(front))) return false;
    const size_t size = static_cast<size_t>(front_stride(front.rows)) * front.rows;
    if (bottom != top) std::memmove(bottom, top, size * sizeof(double));
    top = bottom + size;
  }
  return true;
}

int Multifrontal::determinant_sign() const {
  if (kind_ == MatrixKind::symmetric) return 1;
  bool negative = false;
  for (size_t f = 0; f < tree_.fronts().size(); ++f) {
    const int pivots = tree_.fronts()[f].pivots, stride = front_stride(pivots);
    for (int k = 0; k < pivots; ++k) {
      const bool below_zero = factor_P_[P_[f] + static_cast<size_t>(k) * (stride + 1)] < 0;
      const bool exchanged = exchange_[exchange_start_[f] + k] != k;
      negative = negative != (below_zero != exchanged);
    }
  }
  return negative ? -1 : 1;
}

FrontFactors Multifrontal::factors(size_t f) const {
  const FrontNode& node = tree_.fronts()[f];
  const bool symmetric = kind_ == MatrixKind::symmetric;
  const double *L = factor_L_.data() + L_[f], *U = symmetric ? L : factor_U_.data() + L_[f];
  return {symmetric, node.pivots, node.rows, factor_P_.data() + P_[f], L, U};
}

void Multifrontal::solve(double* x) const {
  const auto& order = tree_.order();
  double *y = work_vector_.data(), *below = y + start_.back() + front_lane;
  int next = 0;  // y holds x in the order of elimination
  for (const int b : order) {
    std::copy_n(x + start_[b], sizes_[b], y + next);
    next += sizes_[b];
  }
  const size_t count = tree_.fronts().size();
  for (size_t f = 0; f < count; ++f) {
    const FrontFactors front = factors(f);
    const int *exchange = exchange_.data() + exchange_start_[f], *row = row_scalar_.data() + row_scalar_start_[f];
    double* pivots = y + exchange_start_[f];
    for (int k = 0; k < front.pivots && !front.symmetric; ++k) std::swap(pivots[k], pivots[exchange[k]]);
    solve_front_forward(front, pivots, below);
    for (int i = 0; i < front.rows; ++i) y[row[i]] += below[i];
  }
  for (size_t f = count; f-- > 0;) {
    const FrontFactors front = factors(f);
    const int* row = row_scalar_.data() + row_scalar_start_[f];
    for (int i = 0; i < front.rows; ++i) below[i] = y[row[i]];
    std::fill(below + front.rows, below + front_stride(front.rows), 0.0);
    solve_front_backward(front, below, y + exchange_start_[f]);
  }
  next = 0;
  for (const int b : order) {
    std::copy_n(y + next, sizes_[b], x + start_[b]);
    next += sizes_[b];
  }
}

}  // namespace stiction
