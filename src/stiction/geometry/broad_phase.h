// Which pairs of boxes overlap: sweep and prune, n log n, the same pairs in the same order for the same boxes.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stiction/geometry/shape.h"

namespace stiction::geometry {

/// Sort-and-sweep over axis-aligned boxes; reuses its memory from call to call.
class BroadPhase {
 public:
  /// Pairs (i < j) whose boxes overlap (touching counts), sorted by (i, j); boxes may be infinite. The view is valid
  /// until the next call. Allocates only when there are more boxes or pairs than ever before.
  std::span<const std::pair<int, int>> pairs(std::span<const Aabb> boxes);

  /// Reserves memory for this many boxes and pairs.
  void reserve(int boxes, int pairs);

 private:
  std::vector<int> order_;
  std::vector<int> active_;
  std::vector<int> unbounded_;
  std::vector<std::pair<int, int>> pairs_;
};

}  // namespace stiction::geometry
