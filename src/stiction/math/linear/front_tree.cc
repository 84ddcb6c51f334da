#include "stiction/math/linear/front_tree.h"

#include <algorithm>

#include <suitesparse/amd.h>

namespace stiction {

namespace {

constexpr int few_blocks = 40;

}  // namespace

void FrontTree::analyze(std::span<const int> sizes, std::span<const BlockEdge> edges) {
  n_ = static_cast<int>(sizes.size());
  build_adjacency(edges);
  minimum_degree();
  find_parents();
  postorder();
  find_parents();
  find_columns();
  form_fronts(sizes);
  merge_fronts(sizes);
  link_fronts();
}

// Each neighbour once.
void FrontTree::build_adjacency(std::span<const BlockEdge> edges) {
  adjacency_start_.assign(n_ + 1, 0);
  for (const BlockEdge& e : edges) {
    if (e.a == e.b) continue;
    ++adjacency_start_[e.a + 1];
    ++adjacency_start_[e.b + 1];
  }
  for (int i = 0; i < n_; ++i) adjacency_start_[i + 1] += adjacency_start_[i];
  adjacency_.resize(adjacency_start_[n_]);
  head_.assign(adjacency_start_.begin(), adjacency_start_.end());
  for (const BlockEdge& e : edges) {
    if (e.a == e.b) continue;
    adjacency_[head_[e.a]++] = e.b;
    adjacency_[head_[e.b]++] = e.a;
  }
  mark_.assign(n_, -1);
  int kept = 0;
  for (int i = 0; i < n_; ++i) {
    const int begin = adjacency_start_[i], end = adjacency_start_[i + 1];
    adjacency_start_[i] = kept;
    for (int k = begin; k < end; ++k) {
      const int j = adjacency_[k];
      if (mark_[j] == i) continue;
      mark_[j] = i;
      adjacency_[kept++] = j;
    }
  }
  adjacency_start_[n_] = kept;
  adjacency_.resize(kept);
}

// amd_2 works in our memory (amd_order would allocate) and destroys its copy of the graph.
void FrontTree::minimum_degree() {
  const int entries = adjacency_start_[n_], room = entries + entries / 5 + n_ + 1;
  auto& [start, graph, length, weight, inverse, head, elements, degree, work] = amd_;
  for (auto* memory : {&start, &length, &weight, &inverse, &head, &elements, &degree, &work}) memory->resize(n_ + 1);
  order_.resize(n_);
  position_.resize(n_);
  graph.resize(room);
  std::copy(adjacency_.begin(), adjacency_.end(), graph.begin());
  for (int i = 0; i < n_; ++i) {
    start[i] = adjacency_start_[i];
    length[i] = adjacency_start_[i + 1] - adjacency_start_[i];
  }
  if (n_ == 0) return;
  double control[AMD_CONTROL], info[AMD_INFO];
  amd_defaults(control);
  amd_2(n_, start.data(), graph.data(), length.data(), room, entries, weight.data(), inverse.data(), order_.data(),
        head.data(), elements.data(), degree.data(), work.data(), control, info);
  for (int k = 0; k < n_; ++k) position_[order_[k]] = k;
}

// The elimination tree, in positions (Liu 1990), with path compression in head_.
void FrontTree::find_parents() {
  parent_.assign(n_, -1);
  head_.assign(n_, -1);
  for (int k = 0; k < n_; ++k) {
    const int block = order_[k];
    for (int e = adjacency_start_[block]; e < adjacency_start_[block + 1]; ++e) {
      int i = position_[adjacency_[e]];
      while (i >= 0 && i < k) {
        const int up = head_[i];
        head_[i] = k;
        if (up < 0) parent_[i] = k;
        i = up;
      }
    }
  }
}

// Children before parents and subtrees in one piece; the child with the largest subtree comes last, next to its parent.
void FrontTree::postorder() {
  std::vector<int>& size = mark_;
  size.assign(n_, 1);
  for (int k = 0; k < n_; ++k) {
    if (parent_[k] >= 0) size[parent_[k]] += size[k];
  }
  // last position of a node's subtree, handed out from the root downwards: children in descending order of position,
  // the largest first
  next_.assign(n_, 0);   // positions left in the node's subtree, below itself
  stack_.assign(n_, 0);  // new position of each node
  head_.assign(n_, -1);  // largest child
  for (int k = 0; k < n_; ++k) {
    const int up = parent_[k];
    if (up >= 0 && (head_[up] < 0 || size[k] >= size[head_[up]])) head_[up] = k;
  }
  int left = n_;
  const auto place = [&](int k, int& room) {
    stack_[k] = room - 1;
    next_[k] = room - 1;
    room -= size[k];
  };
  for (int k = n_ - 1; k >= 0; --k) {
    const int up = parent_[k];
    if (up < 0) {
      place(k, left);
    } else if (head_[up] != k) {
      place(k, next_[up]);
    }
    if (head_[k] >= 0) place(head_[k], next_[k]);
  }
  for (int k = 0; k < n_; ++k) next_[stack_[k]] = order_[k];
  order_.assign(next_.begin(), next_.end());
  for (int k = 0; k < n_; ++k) position_[order_[k]] = k;
}

// Rows of column k of L: its own neighbours behind k and the rows of its children.
void FrontTree::find_columns() {
  column_start_.assign(1, 0);
  column_.clear();
  mark_.assign(n_, -1);
  head_.assign(n_, -1);
  next_.assign(n_, -1);
  for (int k = 0; k < n_; ++k) {
    const int begin = static_cast<int>(column_.size());
    mark_[k] = k;
    const auto add = [&](int row) {
      if (row <= k || mark_[row] == k) return;
      mark_[row] = k;
      column_.push_back(row);
    };
    const int block = order_[k];
    for (int e = adjacency_start_[block]; e < adjacency_start_[block + 1]; ++e) add(position_[adjacency_[e]]);
    for (int child = head_[k]; child >= 0; child = next_[child]) {
      for (int e = column_start_[child]; e < column_start_[child + 1]; ++e) add(column_[e]);
    }
    std::sort(column_.begin() + begin, column_.end());
    column_start_.push_back(static_cast<int>(column_.size()));
    if (parent_[k] >= 0) {
      next_[k] = head_[parent_[k]];
      head_[parent_[k]] = k;
    }
  }
}

// Neighbours in the tree whose columns have the same rows share a front.
void FrontTree::form_fronts(std::span<const int> sizes) {
  fronts_.clear();
  for (int k = 0; k < n_; ++k) {
    const int count = column_start_[k + 1] - column_start_[k];
    const bool joins = k > 0 && parent_[k - 1] == k && column_start_[k] - column_start_[k - 1] == count + 1;
    if (!joins) fronts_.push_back({.first = k});
    FrontNode& front = fronts_.back();
    front.end = k + 1;
    front.pivots += sizes[order_[k]];
    front.rows_first = column_start_[k];
    front.rows_end = column_start_[k + 1];
  }
  for (FrontNode& front : fronts_) {
    front.rows = 0;
    for (int e = front.rows_first; e < front.rows_end; ++e) front.rows += sizes[order_[column_[e]]];
  }
}

// Small fronts cost more in overhead than in arithmetic; large ones must not carry many zeros. Rows change places in
// one front alone: where hundreds of jammed bodies make the matrix ill-conditioned, fronts of several bodies lose fewer
// digits, and a few bodies do without.
bool FrontTree::worth_merging(const FrontNode& child, const FrontNode& parent, double zeros) const {
  const double pivots = child.pivots + parent.pivots, size = pivots * (pivots / 2 + parent.rows);
  const double share = zeros / size;
  const double small = n_ <= few_blocks ? 0.2 : 0.4;
  return share < (pivots <= 24 ? small : pivots <= 60 ? 0.2 : 0.06);
}

// A front swallows the last of its children while that is worth it. The pivots stay in one piece: the last child ends
// where its parent begins.
void FrontTree::merge_fronts(std::span<const int>) {
  zeros_.assign(fronts_.size(), 0.0);
  int kept = 0;
  for (int f = 0; f < static_cast<int>(fronts_.size()); ++f) {
    FrontNode parent = fronts_[f];
    double zeros = 0;
    while (kept > 0) {
      const FrontNode& child = fronts_[kept - 1];
      const int up = parent_[child.end - 1];
      if (child.end != parent.first || up < parent.first || up >= parent.end) break;
      const double more = static_cast<double>(child.pivots) * (parent.pivots + parent.rows - child.rows);
      const double all = zeros + zeros_[kept - 1] + more;
      if (!worth_merging(child, parent, all)) break;
      zeros = all;
      parent.first = child.first;
      parent.pivots += child.pivots;
      --kept;
    }
    fronts_[kept] = parent;
    zeros_[kept++] = zeros;
  }
  fronts_.resize(kept);
}

void FrontTree::link_fronts() {
  front_of_.resize(n_);
  rows_.clear();
  for (int f = 0; f < static_cast<int>(fronts_.size()); ++f) {
    FrontNode& front = fronts_[f];
    std::fill(front_of_.begin() + front.first, front_of_.begin() + front.end, f);
    const int first = static_cast<int>(rows_.size());
    rows_.insert(rows_.end(), column_.begin() + front.rows_first, column_.begin() + front.rows_end);
    front.rows_first = first;
    front.rows_end = static_cast<int>(rows_.size());
  }
  for (FrontNode& front : fronts_) {
    front.parent = front.rows_first == front.rows_end ? -1 : front_of_[rows_[front.rows_first]];
  }
}

}  // namespace stiction
