// Sort along the axis on which the boxes are spread most and sweep. Across the sweep, on the axis of the second spread,
// strips keep boxes that are far apart from being tested: without them bodies spread over a floor cost n^1.5.
#include "stiction/geometry/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stiction::geometry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Width of a strip over the mean width of a box: fewer than a quarter of the boxes are wider.
constexpr double strip_over_mean = 4;
// Covers the rounding of differences of coordinates.
constexpr double padding = 1.001;

bool overlap(const Aabb& a, const Aabb& b) {
  return (a.lower.array() <= b.upper.array()).all() && (b.lower.array() <= a.upper.array()).all();
}

bool bounded(const Aabb& box) {
  return box.lower.allFinite() && box.upper.allFinite();
}

}  // namespace

void BroadPhase::reserve(int boxes, int pairs) {
  order_.reserve(boxes);
  unbounded_.reserve(boxes);
  head_.reserve(boxes + 2);
  next_.reserve(boxes);
  pairs_.reserve(pairs);
  sorted_.reserve(pairs);
  first_.reserve(boxes + 1);
}

// The axes along which the centres of the bounded boxes vary most, and second.
void BroadPhase::choose_axes(std::span<const Aabb> boxes) {
  axis_ = 0, across_ = 1;
  if (order_.empty()) return;
  Vector3 sum = Vector3::Zero();
  Vector3 squares = Vector3::Zero();
  const Vector3 origin = boxes[order_.front()].lower;
  for (const int i : order_) {
    const Vector3 center = 0.5 * (boxes[i].lower + boxes[i].upper) - origin;
    sum += center;
    squares += center.cwiseAbs2();
  }
  const Vector3 spread = squares - sum.cwiseAbs2() / static_cast<double>(order_.size());
  spread.maxCoeff(&axis_);
  const int a = (axis_ + 1) % 3, b = (axis_ + 2) % 3;
  across_ = spread[a] >= spread[b] ? a : b;
}

// Strips as wide as several boxes, no more of them than boxes.
void BroadPhase::lay_strips(std::span<const Aabb> boxes) {
  const double count = static_cast<double>(order_.size());
  double lower = infinity, upper = -infinity, mean = 0;
  for (const int i : order_) {
    lower = std::min(lower, boxes[i].lower[across_]);
    upper = std::max(upper, boxes[i].lower[across_]);
    mean += (boxes[i].upper[across_] - boxes[i].lower[across_]) / count;
  }
  origin_ = lower;
  width_ = std::max(strip_over_mean * mean, (upper - lower) / count);
  const bool divides = width_ > 0 && std::isfinite(width_) && std::isfinite(upper - lower);
  if (!divides) width_ = infinity;
  const int strips = divides ? static_cast<int>((upper - lower) / width_) + 1 : 1;
  head_.assign(strips + 1, -1);
  next_.assign(boxes.size(), -1);
}

// Never decreases with the coordinate, whatever the rounding.
int BroadPhase::strip(double coordinate) const {
  if (std::isinf(width_)) return 0;
  const double last = static_cast<double>(head_.size() - 2);
  return static_cast<int>(std::clamp((coordinate - origin_) / width_, 0.0, last));
}

// Pairs of `box` with those in a list; boxes that the sweep has passed are taken out.
void BroadPhase::test_strip(std::span<const Aabb> boxes, int strip, int box) {
  for (int* link = &head_[strip]; *link >= 0;) {
    const int other = *link;
    if (boxes[other].upper[axis_] < boxes[box].lower[axis_]) {
      *link = next_[other];
      continue;
    }
    if (overlap(boxes[box], boxes[other])) pairs_.emplace_back(std::minmax(box, other));
    link = &next_[other];
  }
}

void BroadPhase::sweep(std::span<const Aabb> boxes) {
  const int wide = static_cast<int>(head_.size()) - 1;
  for (const int i : order_) {
    const double lower = boxes[i].lower[across_], upper = boxes[i].upper[across_];
    const int last = strip(upper);
    for (int s = strip(lower - padding * width_); s <= last; ++s) test_strip(boxes, s, i);
    test_strip(boxes, wide, i);
    const int own = upper - lower <= width_ ? strip(lower) : wide;
    next_[i] = head_[own];
    head_[own] = i;
  }
}

std::span<const std::pair<int, int>> BroadPhase::pairs(std::span<const Aabb> boxes) {
  const int count = static_cast<int>(boxes.size());
  order_.clear();
  unbounded_.clear();
  pairs_.clear();
  reserve(count, 0);
  for (int i = 0; i < count; ++i) (bounded(boxes[i]) ? order_ : unbounded_).push_back(i);
  choose_axes(boxes);
  std::sort(order_.begin(), order_.end(), [&](int i, int j) {
    const double a = boxes[i].lower[axis_];
    const double b = boxes[j].lower[axis_];
    return a != b ? a < b : i < j;
  });
  lay_strips(boxes);
  sweep(boxes);
  // Half-spaces are few: each against everything.
  const auto test = [&](int i, int j) {
    if (overlap(boxes[i], boxes[j])) pairs_.emplace_back(std::minmax(i, j));
  };
  for (size_t k = 0; k < unbounded_.size(); ++k) {
    for (const int j : order_) test(unbounded_[k], j);
    for (size_t m = k + 1; m < unbounded_.size(); ++m) test(unbounded_[k], unbounded_[m]);
  }
  sort_pairs(count);
  return pairs_;
}

// By counting how many have each first box: several times as fast as comparing pairs.
void BroadPhase::sort_pairs(int count) {
  first_.assign(count + 1, 0);
  for (const auto& pair : pairs_) ++first_[pair.first + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  sorted_.resize(pairs_.size());
  for (const auto& pair : pairs_) sorted_[first_[pair.first]++] = pair;
  // Each entry is now where the pairs of the next box begin.
  int begin = 0;
  for (int i = 0; i < count; ++i) {
    std::sort(sorted_.begin() + begin, sorted_.begin() + first_[i]);
    begin = first_[i];
  }
  pairs_.swap(sorted_);
}

}  // namespace stiction::geometry
