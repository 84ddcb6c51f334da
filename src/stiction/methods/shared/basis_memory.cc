#include "stiction/methods/shared/basis_memory.h"

#include <algorithm>

namespace stiction::methods {

void BasisMemory::begin(const contact::BasisTable& last) {
  last_ = &last;
  next_.clear();
}

int BasisMemory::add_slot(std::uint64_t key, int count) {
  const int slot = static_cast<int>(next_.entries.size());
  next_.entries.push_back({key, static_cast<int>(next_.bits.size()), count, slot});
  next_.bits.resize(next_.bits.size() + count, 0);
  next_.impulses.emplace_back();
  return slot;
}

void BasisMemory::keep(contact::BasisTable& last) {
  last = next_;  // a copy: each keeps the room that it has grown to
  std::sort(last.entries.begin(), last.entries.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
}

}  // namespace stiction::methods
