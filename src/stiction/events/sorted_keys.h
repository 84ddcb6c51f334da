// Lists sorted by key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stiction {

/// Where the item with this key is, or would be.
template <class Item>
auto find_key(std::vector<Item>& items, std::uint64_t key) {
  return std::lower_bound(items.begin(), items.end(), key,
                          [](const Item& item, std::uint64_t k) { return item.key < k; });
}

/// The item with this key; null: there is none.
template <class Item>
Item* find_item(std::vector<Item>& items, std::uint64_t key) {
  const auto at = find_key(items, key);
  return at != items.end() && at->key == key ? &*at : nullptr;
}

}  // namespace stiction
