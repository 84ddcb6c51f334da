#include "stiction/geometry/kept_pairs.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/quad.h"

namespace stiction::geometry {
namespace {

// Width of the skin over the mean width of a box: wider ones give more candidates, narrower ones are left sooner.
constexpr double skin_fraction = 0.1;
// A box that moves is fattened ahead for so many calls of the same motion, at most by its own width.
constexpr double look_ahead = 6;
// More boxes than this that leave at once are cheaper to find by sorting all boxes than by trying each with all.
constexpr size_t most_leavers = 100;
// Room for so many candidates of each box from the start: how many there are depends on when boxes left.
constexpr size_t room_for_each = 32;

bool is_inside(const Aabb& inner, const Aabb& outer) {
  bool inside = true;
  for (int k = 0; k < 3; ++k) {
    inside &= inner.lower[k] >= outer.lower[k];
    inside &= inner.upper[k] <= outer.upper[k];
  }
  return inside;
}

// Without branches, as whether candidates overlap is anyone's guess; two numbers at a time.
bool overlap(const Aabb& a, const Aabb& b) {
  const auto xy = [](const Vector3& v) { return *half(v.data()); };
  const Half a_z = {a.lower.z(), b.lower.z()}, b_z = {b.upper.z(), a.upper.z()};
  const auto overlaps = (xy(a.lower) <= xy(b.upper)) & (xy(b.lower) <= xy(a.upper)) & (a_z <= b_z);
  return (overlaps[0] & overlaps[1]) != 0;
}

}  // namespace

void KeptPairs::find_leavers(std::span<const Aabb> boxes) {
  ++call_;
  leavers_.clear();
  if (fat_.size() != boxes.size()) {
    fat_.assign(boxes.size(), {});
    center_.assign(boxes.size(), Vector3::Zero());
    fattened_.assign(boxes.size(), 0);
    leaves_.assign(boxes.size(), 0);
    leavers_.reserve(boxes.size());
    candidates_.clear();
    const size_t all = boxes.size() * (boxes.size() - 1) / 2, room = std::min(all, room_for_each * boxes.size());
    for (auto* list : {&candidates_, &fresh_, &merged_, &pairs_}) list->reserve(room);
    broad_phase_.reserve(static_cast<int>(boxes.size()), static_cast<int>(room));
  }
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (!is_inside(boxes[i], fat_[i])) leavers_.push_back(static_cast<int>(i));
  }
}

// Candidates with boxes that left, after those that they had are gone.
void KeptPairs::find_fresh(std::span<const Aabb> boxes) {
  fresh_.clear();
  if (leavers_.size() > most_leavers || leavers_.size() == boxes.size()) return rebuild(boxes);
  for (const int i : leavers_) {
    fatten(boxes[i], i);
    leaves_[i] = 1;
  }
  drop_leavers();
  for (const int i : leavers_) pair_leaver(i);
  for (const int i : leavers_) leaves_[i] = 0;
  std::sort(fresh_.begin(), fresh_.end());
}

// A skin all round, and ahead where the box has moved since it was last fattened. An unbounded box has the mean skin.
void KeptPairs::fatten(const Aabb& box, int i) {
  const Vector3 width = box.upper - box.lower;
  const bool bounded = width.allFinite();
  const Vector3 skin = Vector3::Constant(bounded ? skin_fraction * width.mean() : mean_skin_);
  fat_[i] = {box.lower - skin, box.upper + skin};
  if (!bounded) return;
  const Vector3 center = 0.5 * (box.lower + box.upper);
  if (fattened_[i] > 0) {
    const Vector3 per_call = (center - center_[i]) / static_cast<double>(call_ - fattened_[i]);
    const Vector3 ahead = (look_ahead * per_call).cwiseMin(width).cwiseMax(-width);
    fat_[i].lower += ahead.cwiseMin(0.0);
    fat_[i].upper += ahead.cwiseMax(0.0);
  }
  center_[i] = center;
  fattened_[i] = call_;
}

void KeptPairs::rebuild(std::span<const Aabb> boxes) {
  ++rebuilds_;
  double sum = 0;
  int bounded = 0;
  for (const Aabb& box : boxes) {
    const double width = (box.upper - box.lower).mean();
    if (std::isfinite(width)) sum += width, ++bounded;
  }
  mean_skin_ = bounded > 0 ? skin_fraction * sum / bounded : 0;
  for (size_t i = 0; i < boxes.size(); ++i) fatten(boxes[i], static_cast<int>(i));
  candidates_.clear();
  const auto all = broad_phase_.pairs(fat_);
  fresh_.assign(all.begin(), all.end());
}

void KeptPairs::drop_leavers() {
  std::erase_if(candidates_,
                [&](const std::pair<int, int>& pair) { return leaves_[pair.first] || leaves_[pair.second]; });
}

// A pair of two that leave is found by the first of them.
void KeptPairs::pair_leaver(int i) {
  for (int j = 0; j < static_cast<int>(fat_.size()); ++j) {
    if (j == i || !overlap(fat_[i], fat_[j]) || (leaves_[j] && j < i)) continue;
    fresh_.emplace_back(std::minmax(i, j));
  }
}

void KeptPairs::add_fresh() {
  merged_.resize(candidates_.size() + fresh_.size());
  std::merge(candidates_.begin(), candidates_.end(), fresh_.begin(), fresh_.end(), merged_.begin());
  candidates_.swap(merged_);
}

std::span<const std::pair<int, int>> KeptPairs::overlapping(std::span<const Aabb> boxes) {
  if (pairs_.size() < candidates_.size()) pairs_.resize(candidates_.size());
  size_t count = 0;
  for (const std::pair<int, int>& pair : candidates_) {
    pairs_[count] = pair;
    count += overlap(boxes[pair.first], boxes[pair.second]) ? 1 : 0;
  }
  return {pairs_.data(), count};
}

}  // namespace stiction::geometry
