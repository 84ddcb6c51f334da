#include "stiction/methods/shared/basis_memory.h"

#include <algorithm>

namespace stiction::methods {

void BasisMemory::begin() {
  next_.entries.clear();
  next_.bits.clear();
  next_.impulses.clear();
}

int BasisMemory::add_slot(std::uint64_t key, int count) {
  const int slot = static_cast<int>(next_.entries.size());
  next_.entries.push_back({key, static_cast<int>(next_.bits.size()), count, slot});
  next_.bits.resize(next_.bits.size() + count, 0);
  next_.impulses.emplace_back();
  return slot;
}

BasisMemory::Recalled BasisMemory::recall(std::uint64_t key, int count) const {
  const auto place = std::lower_bound(last_.entries.begin(), last_.entries.end(), key,
                                      [](const Entry& entry, std::uint64_t k) { return entry.key < k; });
  if (place == last_.entries.end() || place->key != key || place->count != count) return {};
  return {last_.bits.data() + place->offset, &last_.impulses[place->index]};
}

void BasisMemory::accept() {
  std::swap(last_, next_);
  std::sort(last_.entries.begin(), last_.entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

}  // namespace stiction::methods
