// Keys of contacts: one search for lists that are sorted by key, and one for lists that are not.
#pragma once

#include <algorithm>
#include <cstddef>
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

/// The same where the items are asked for in about their order: `cursor` is where the last one was found, the next one
/// is looked for behind it first.
template <class List>
auto* find_item_from(size_t& cursor, List& items, std::uint64_t key) {
  const bool is_next = cursor < items.size() && items[cursor].key == key;
  if (is_next && (cursor == 0 || items[cursor - 1].key != key)) return &items[cursor++];
  auto* item = find_item(items, key);
  if (item != nullptr) cursor = static_cast<size_t>(item - items.data()) + 1;
  return item;
}

/// Puts a list in the order that the searches above want; items with the same key stay as they stand.
template <class List>
void sort_by_key(List& items) {
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
}

/// The first item with this key in a list that is not sorted, as contacts are where detection found them (by pairs of
/// shapes, whichever of the two gives the frame) and rows in the order of assembly; null: there is none.
template <class List>
auto* find_unsorted(List& items, std::uint64_t key) {
  const auto at = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.key == key; });
  return at != items.end() ? &*at : nullptr;
}

}  // namespace stiction::contact
