// What event_settle.cc and event_modes.cc share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stiction/problem/step_problem.h"

namespace stiction {

/// m/s: slower approach and slip is none, whatever else moves.
inline constexpr double least_rest_speed = 1e-11;

/// Is the key in the list?
inline bool has_key(const std::vector<std::uint64_t>& keys, std::uint64_t key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Where an item with this key is, or would be, in a list sorted by key.
template <class Item>
auto find_key(std::vector<Item>& items, std::uint64_t key) {
  return std::lower_bound(items.begin(), items.end(), key,
                          [](const Item& item, std::uint64_t k) { return item.key < k; });
}

/// Row of the problem at which a block begins.
inline int first_row(const StepProblem& problem, int block) {
  return problem.blocks[block].first_row;
}

}  // namespace stiction
