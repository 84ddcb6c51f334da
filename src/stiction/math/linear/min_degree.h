// Minimum-degree ordering of a symmetric pattern: which block to eliminate first so that the factors stay sparse.
//
// Quotient graph with approximate degrees (Amestoy, Davis, Duff 1996), in the caller's memory. Nodes with the same
// neighbours (contacts between the same two bodies) are merged before the elimination starts.
#pragma once

#include <vector>

namespace stiction {

/// Caller-owned memory; keeps its capacity.
class MinDegree {
 public:
  /// `order` gets the n nodes in order of elimination. The pattern (row_start, column) must be symmetric; diagonal
  /// entries are ignored.
  void order(int n, const int* row_start, const int* column, std::vector<int>& order);

 private:
  void merge_twins(int n, const int* row_start, const int* column);
  void build(int n, const int* row_start, const int* column);
  int take_lowest();
  void form_element(int pivot);
  void update_degrees(int pivot);
  void compress();
  void bucket_insert(int node);
  void bucket_remove(int node);

  int n_ = 0, left_ = 0, lowest_ = 0, stamp_ = 0;
  std::vector<int> twin_next_, twin_head_, weight_;         // merged nodes
  std::vector<int> pool_, start_, elements_, length_;       // lists: elements first, then variables
  std::vector<int> degree_, head_, next_, previous_;        // buckets by degree
  std::vector<int> mark_, overlap_, overlap_stamp_, size_;  // of elements: variables left
  std::vector<int> hash_order_, hash_;
  std::vector<char> state_;  // 0 variable, 1 element, 2 gone
};

}  // namespace stiction
