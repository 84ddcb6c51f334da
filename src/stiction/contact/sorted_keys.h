// Lists sorted by key: one search for all of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stiction::contact {

/// Where the item with this key is, or would be. Items have a member `key`.
template <class List>
auto find_key(List& items, std::uint64_t key) {
  return std::lower_bound(items.begin(), items.end(), key,
                          [](const auto& item, std::uint64_t k) { return item.key < k; });
}

/// The item with this key; null: there is none.
template <class List>
auto* find_item(List& items, std::uint64_t key) {
  const auto at = find_key(items, key);
  return at != items.end() && at->key == key ? &*at : nullptr;
}

}  // namespace stiction::contact
