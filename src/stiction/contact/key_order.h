// Keys of contacts in order, sorted in the time of a few passes over them.
#pragma once

#include <cstdint>
#include <vector>

namespace stiction::contact {

/// Where the item with this key stands in some list.
struct KeyedIndex {
  std::uint64_t key;
  int index;
};

/// Sorts by key, then by index. Caller-owned memory that keeps its capacity.
///
/// Detection goes through pairs of shapes in order, and a key begins with the shape that gives the frame. One pass that
/// counts by that shape therefore leaves little to be moved; whatever the order, the result is the same.
class KeyOrder {
 public:
  /// Items stand in the order of their indices.
  void sort(std::vector<KeyedIndex>& items);

 private:
  void sort_by_first_shape(std::uint64_t last, std::vector<KeyedIndex>& items);

  std::vector<KeyedIndex> spare_;
  std::vector<int> first_;  // of each shape
};

}  // namespace stiction::contact
