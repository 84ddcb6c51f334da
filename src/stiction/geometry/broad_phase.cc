// Sort along the axis on which the boxes are spread most, sweep, and test the other two axes.
#include "stiction/geometry/broad_phase.h"

#include <algorithm>
#include <cmath>

namespace stiction::geometry {
namespace {

bool overlap(const Aabb& a, const Aabb& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

bool bounded(const Aabb& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

/// The axis along which the centres of the bounded boxes vary most.
int sweep_axis(std::span<const Aabb> boxes, std::span<const int> bounded_boxes) {
  if (bounded_boxes.empty()) return 0;
  Vector3 sum = Vector3::Zero();
  Vector3 squares = Vector3::Zero();
  const Vector3 origin = boxes[bounded_boxes.front()].lower;
  for (const int i : bounded_boxes) {
    const Vector3 center = 0.5 * (boxes[i].lower + boxes[i].upper) - origin;
    sum += center;
    squares += center.cwiseAbs2();
  }
  int axis = 0;
  (squares - sum.cwiseAbs2() / static_cast<double>(bounded_boxes.size())).maxCoeff(&axis);
  return axis;
}

}  // namespace

void BroadPhase::reserve(int boxes, int pairs) {
  order_.reserve(boxes);
  active_.reserve(boxes);
  unbounded_.reserve(boxes);
  pairs_.reserve(pairs);
}

std::span<const std::pair<int, int>> BroadPhase::pairs(std::span<const Aabb> boxes) {
  const int count = static_cast<int>(boxes.size());
  order_.clear();
  active_.clear();
  unbounded_.clear();
  pairs_.clear();
  reserve(count, 0);
  for (int i = 0; i < count; ++i) (bounded(boxes[i]) ? order_ : unbounded_).push_back(i);
  const int axis = sweep_axis(boxes, order_);
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const double a = boxes[i].lower[axis];
    const double b = boxes[j].lower[axis];
    return a != b ? a < b : i < j;
  });
  const auto add = [&](int i, int j) { pairs_.emplace_back(std::min(i, j), std::max(i, j)); };
  for (const int i : order_) {
    std::erase_if(active_, [&](int j) { return boxes[j].upper[axis] < boxes[i].lower[axis]; });
    for (const int j : active_) {
      if (overlap(boxes[i], boxes[j])) add(i, j);
    }
    active_.push_back(i);
  }
  // Half-spaces are few: each against everything.
  for (size_t k = 0; k < unbounded_.size(); ++k) {
    for (const int j : order_) {
      if (overlap(boxes[unbounded_[k]], boxes[j])) add(unbounded_[k], j);
    }
    for (size_t m = k + 1; m < unbounded_.size(); ++m) {
      if (overlap(boxes[unbounded_[k]], boxes[unbounded_[m]])) add(unbounded_[k], unbounded_[m]);
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  return pairs_;
}

}  // namespace stiction::geometry
