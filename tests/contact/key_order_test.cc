// Keys in order, whatever order they come in: the standard library's sort is the oracle.
#include "stiction/contact/key_order.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace stiction::contact {
namespace {

std::uint64_t key_of(std::uint64_t a, std::uint64_t b, std::uint64_t feature) {
  return a << 48 | b << 32 | feature;
}

// As detection finds them: pairs in order, whichever of the two shapes gives the frame, features in any order.
std::vector<std::uint64_t> keys_of_pairs(unsigned seed, int shapes) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys;
  for (int i = 0; i < shapes; ++i) {
    for (int j = i + 1; j < shapes; j += 1 + static_cast<int>(random() % 40)) {
      const bool turned = random() % 2 == 1;
      for (int k = static_cast<int>(random() % 8); k >= 0; --k) {
        keys.push_back(key_of(turned ? j : i, turned ? i : j, random() % 1000));
      }
    }
  }
  return keys;
}

void expect_sorted(const std::vector<std::uint64_t>& keys) {
  std::vector<KeyedIndex> items, expected;
  for (size_t i = 0; i < keys.size(); ++i) items.push_back({keys[i], static_cast<int>(i)});
  expected = items;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
  KeyOrder order;
  order.sort(items);
  ASSERT_EQ(items.size(), expected.size());
  for (size_t i = 0; i < items.size(); ++i) {
    EXPECT_EQ(items[i].key, expected[i].key) << i;
    EXPECT_EQ(items[i].index, expected[i].index) << i;
  }
}

TEST(KeyOrder, PairsAsDetectionFindsThem) {
  for (unsigned seed = 1; seed <= 20; ++seed) expect_sorted(keys_of_pairs(seed, 60));
}

TEST(KeyOrder, AnyOtherOrder) {
  std::vector<std::uint64_t> keys = keys_of_pairs(1, 200);
  std::reverse(keys.begin(), keys.end());
  expect_sorted(keys);
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(7));
  expect_sorted(keys);
  expect_sorted({});
  expect_sorted({key_of(3, 1, 2)});
}

// Rows of joints have keys beyond all shapes, and a key may stand twice.
TEST(KeyOrder, KeysThatNameNoShapesComeLast) {
  std::vector<std::uint64_t> keys = keys_of_pairs(2, 100);
  ASSERT_GT(keys.size(), 400u);
  for (std::uint64_t i = 0; i < 50; ++i) keys.insert(keys.begin() + static_cast<long>(7 * i), ~0ULL - (i * 37) % 50);
  keys.push_back(keys.front());
  keys.push_back(keys[100]);
  expect_sorted(keys);
}

}  // namespace
}  // namespace stiction::contact
