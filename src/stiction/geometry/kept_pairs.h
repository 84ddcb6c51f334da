// Which pairs of boxes overlap, for boxes that move little from call to call: candidates are pairs of fattened boxes
// and are kept while every box stays inside its fat one. What is kept never shows in the answer.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stiction/geometry/broad_phase.h"

namespace stiction::geometry {

/// The answers of BroadPhase, with its work done only for boxes that leave their fat ones.
class KeptPairs {
 public:
  /// Of BroadPhase::pairs(boxes), in the same order, those that `wanted(i, j)` says; it is asked of new candidates only
  /// and must not change its mind. The view is valid until the next call. Allocates only when there are more boxes or
  /// pairs than ever before.
  template <class Wanted>
  std::span<const std::pair<int, int>> pairs(std::span<const Aabb> boxes, const Wanted& wanted) {
    find_leavers(boxes);
    if (!leavers_.empty()) {
      find_fresh(boxes);
      std::erase_if(fresh_, [&](const std::pair<int, int>& pair) { return !wanted(pair.first, pair.second); });
      add_fresh();
    }
    return overlapping(boxes);
  }

  /// How often candidates were searched among all boxes, not only those that left.
  int rebuilds() const { return rebuilds_; }

 private:
  void find_leavers(std::span<const Aabb> boxes);
  void find_fresh(std::span<const Aabb> boxes);
  void fatten(const Aabb& box, int i);
  void rebuild(std::span<const Aabb> boxes);
  void drop_leavers();
  void pair_leaver(int i);
  void add_fresh();
  std::span<const std::pair<int, int>> overlapping(std::span<const Aabb> boxes);

  BroadPhase broad_phase_;
  std::vector<Aabb> fat_;
  std::vector<Vector3> center_;                  // of the box when it was fattened
  std::vector<long> fattened_;                   // in which call that was
  std::vector<int> leavers_;                     // boxes that are not inside their fat ones
  std::vector<char> leaves_;                     // boxes: is it one of them?
  std::vector<std::pair<int, int>> candidates_;  // sorted
  std::vector<std::pair<int, int>> fresh_;       // candidates to add, sorted
  std::vector<std::pair<int, int>> merged_, pairs_;
  double mean_skin_ = 0;
  long call_ = 0;
  int rebuilds_ = 0;
};

}  // namespace stiction::geometry
