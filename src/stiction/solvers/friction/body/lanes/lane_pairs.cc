#include "stiction/solvers/friction/body/lanes/lane_pairs.h"

#include <algorithm>
#include <bit>

namespace stiction::solvers {
namespace {

constexpr int most_colours = 64;

}  // namespace

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
  const auto kind = static_cast<std::uint64_t>((colour << 9) | (both << 8) | (most_points - points));
  pairs_.push_back({kind << 32 | static_cast<std::uint32_t>(first), first, points});
  return true;
}

int LanePairs::group(std::vector<LaneBatch>& batches) {
  constexpr int lanes = LaneBatch::lanes;
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return a.order < b.order; });
  batches.clear();
  batches.reserve(pairs_.size());
  int slots = 0, contacts = 0;
  for (int i = 0, end = 0; i < static_cast<int>(pairs_.size()); i = end) {
    const std::uint64_t kind = pairs_[i].order >> 40;  // colour and sides
    for (end = i; end < static_cast<int>(pairs_.size()) && end - i < lanes && pairs_[end].order >> 40 == kind; ++end) {
      contacts += pairs_[end].points;
    }
    batches.push_back(
        {.first_pair = i, .pairs = end - i, .first = slots, .points = pairs_[i].points, .two_sided = (kind & 1) != 0});
    slots += pairs_[i].points;
  }
  return contacts;
}

}  // namespace stiction::solvers
