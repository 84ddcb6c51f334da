#include "stiction/contact/key_order.h"

#include <algorithm>

namespace stiction::contact {
namespace {

constexpr int first_shape_shift = 48;
constexpr std::uint64_t most_shapes = 1 << 15;  // keys beyond are those of rows that are no contacts: they come last

constexpr long moves_per_item = 16;  // by which what is nearly sorted may end

std::uint64_t first_shape(const KeyedIndex& item) {
  return std::min(item.key >> first_shape_shift, most_shapes);
}

bool is_earlier(const KeyedIndex& a, const KeyedIndex& b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

// False where that takes too many moves.
bool insert_in_order(std::vector<KeyedIndex>& items) {
  long moves = moves_per_item * static_cast<long>(items.size());
  for (size_t i = 1; i < items.size(); ++i) {
    const KeyedIndex item = items[i];
    size_t k = i;
    for (; k > 0 && is_earlier(item, items[k - 1]); --k) items[k] = items[k - 1];
    items[k] = item;
    moves -= static_cast<long>(i - k);
    if (moves < 0) return false;
  }
  return true;
}

}  // namespace

void KeyOrder::sort_by_first_shape(std::uint64_t last, std::vector<KeyedIndex>& items) {
  first_.assign(last + 2, 0);
  for (const KeyedIndex& item : items) ++first_[first_shape(item) + 1];
  for (size_t shape = 1; shape < first_.size(); ++shape) first_[shape] += first_[shape - 1];
  spare_.resize(items.size());
  for (const KeyedIndex& item : items) spare_[first_[first_shape(item)]++] = item;
  std::copy(spare_.begin(), spare_.end(), items.begin());  // each list keeps the room that it has grown to
}

void KeyOrder::sort(std::vector<KeyedIndex>& items) {
  std::uint64_t last = 0;
  for (const KeyedIndex& item : items) last = std::max(last, first_shape(item));
  first_.reserve(last + 2);  // also where they are sorted already: the next ones may not be
  spare_.reserve(items.size());
  if (std::is_sorted(items.begin(), items.end(), is_earlier)) return;
  sort_by_first_shape(last, items);
  if (!insert_in_order(items)) std::sort(items.begin(), items.end(), is_earlier);
}

}  // namespace stiction::contact
