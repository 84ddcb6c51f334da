// Keys of contacts, and lists sorted by key: one search for all of them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stiction::contact {

/// The upper half of a contact's key: its two shapes. The lower half names their features.
constexpr std::uint64_t shapes_of(std::uint64_t key) {
  return key >> 32;
}

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
