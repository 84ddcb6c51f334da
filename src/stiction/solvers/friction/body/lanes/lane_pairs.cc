#include "stiction/solvers/friction/body/lanes/lane_pairs.h"

#include <algorithm>
#include <bit>

namespace stiction::solvers {
void LanePairs::clear(size_t bodies) {
  colours_.assign(bodies, 0);
  pairs_.clear();
}

bool LanePairs::add(const std::array<int, 2>& bodies, int first, int points) {
  std::uint64_t used = 0;
  for (const int body : bodies) used |= body < 0 ? 0 : colours_[body];
  const int colour = std::countr_one(used);
  if (colour >= most_colours) return false;
  for (const int body : bodies) {
    if (body >= 0) colours_[body] |= std::uint64_t{1} << colour;
  }
  const int both = bodies[0] >= 0 && bodies[1] >= 0 ? 1 : 0;
  pairs_.push_back({2 * colour + both, first, points});
  return true;
}

// By kind, then those with the most points, then as they came.
void LanePairs::sort() {
  int kinds = 0, most = 0;
  for (const Pair& pair : pairs_) kinds = std::max(kinds, pair.kind + 1), most = std::max(most, pair.points);
  const auto place = [most](const Pair& pair) { return pair.kind * most + (most - pair.points); };
  places_.assign(static_cast<size_t>(kinds) * most + 1, 0);
  for (const Pair& pair : pairs_) ++places_[place(pair) + 1];
  for (size_t i = 1; i < places_.size(); ++i) places_[i] += places_[i - 1];
  spare_.reserve(pairs_.capacity());
  spare_.resize(pairs_.size());
  for (const Pair& pair : pairs_) spare_[places_[place(pair)]++] = pair;
  pairs_.swap(spare_);
}

int LanePairs::group(std::vector<LaneBatch>& batches) {
  constexpr int lanes = LaneBatch::lanes;
  sort();
  batches.clear();
  batches.reserve(pairs_.size());
  int slots = 0, contacts = 0;
  for (int i = 0, end = 0; i < static_cast<int>(pairs_.size()); i = end) {
    const int kind = pairs_[i].kind;
    for (end = i; end < static_cast<int>(pairs_.size()) && end - i < lanes && pairs_[end].kind == kind; ++end) {
      contacts += pairs_[end].points;
    }
    batches.push_back(
        {.first_pair = i, .pairs = end - i, .first = slots, .points = pairs_[i].points, .two_sided = (kind & 1) != 0});
    slots += pairs_[i].points;
  }
  return contacts;
}

}  // namespace stiction::solvers
