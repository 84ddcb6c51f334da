#include "stiction/contact/warm_starts.h"

#include "stiction/contact/sorted_keys.h"

namespace stiction::contact {

const ImpulseTable::Impulses* ImpulseTable::recall(std::uint64_t key) const {
  const Entry* entry = find_item(entries, key);
  return entry == nullptr ? nullptr : &impulses[static_cast<size_t>(entry->index)];
}

void ImpulseTable::clear() {
  entries.clear();
  impulses.clear();
  bilateral.clear();
}

BasisTable::Recalled BasisTable::recall(std::uint64_t key, int count) const {
  const Entry* entry = find_item(entries, key);
  if (entry == nullptr || entry->count != count) return {};
  return {bits.data() + entry->offset, &impulses[static_cast<size_t>(entry->index)]};
}

void BasisTable::clear() {
  entries.clear();
  bits.clear();
  impulses.clear();
}

}  // namespace stiction::contact
