// Which pairs of boxes overlap: sweep and prune, n log n, the same pairs in the same order for the same boxes.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stiction/geometry/shapes/shape.h"

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
  void choose_axes(std::span<const Aabb> boxes);
  void lay_strips(std::span<const Aabb> boxes);
  int strip(double coordinate) const;
  void test_strip(std::span<const Aabb> boxes, int strip, int box);
  void sweep(std::span<const Aabb> boxes);
  void sort_pairs(int count);

  std::vector<int> order_;  // bounded boxes along axis_
  std::vector<int> unbounded_;
  std::vector<std::pair<int, int>> pairs_, sorted_;
  std::vector<int> first_;  // where the pairs of each first box begin
  // Boxes that the sweep has reached and not yet left, in lists: one per strip of axis across_, by the box's lower end,
  // and a last one for boxes wider than a strip. -1 ends a list.
  std::vector<int> head_, next_;
  int axis_ = 0, across_ = 1;
  double origin_ = 0, width_ = 1;
};

}  // namespace stiction::geometry
