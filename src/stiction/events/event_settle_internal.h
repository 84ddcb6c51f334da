// What event_settle.cc and event_modes.cc share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stiction/problem/step_problem.h"

namespace stiction {

/// m/s: slower approach or slip does not count, whatever else moves.
inline constexpr double least_rest_speed = 1e-11;

/// Is the key in the list?
inline bool has_key(const std::vector<std::uint64_t>& keys, std::uint64_t key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Row of the problem at which a block begins.
inline int first_row(const StepProblem& problem, int block) {
  return problem.blocks[block].first_row;
}

}  // namespace stiction
