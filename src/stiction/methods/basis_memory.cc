#include "stiction/methods/basis_memory.h"

#include <algorithm>

namespace stiction::methods {

void BasisMemory::begin() {
  next_.entries.clear();
  next_.bits.clear();
}

int BasisMemory::add_slot(std::uint64_t key, int count) {
  next_.entries.push_back({key, static_cast<int>(next_.bits.size()), count});
  next_.bits.resize(next_.bits.size() + count, 0);
  return static_cast<int>(next_.entries.size()) - 1;
}

const std::uint8_t* BasisMemory::recall(std::uint64_t key, int count) const {
  const auto place = std::lower_bound(last_.entries.begin(), last_.entries.end(), key,
                                      [](const Entry& entry, std::uint64_t k) { return entry.key < k; });
  if (place == last_.entries.end() || place->key != key || place->count != count) return nullptr;
  return last_.bits.data() + place->offset;
}

void BasisMemory::accept() {
  std::swap(last_, next_);
  std::sort(last_.entries.begin(), last_.entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

}  // namespace stiction::methods
