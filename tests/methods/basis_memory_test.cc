#include "stiction/methods/shared/basis_memory.h"

#include <gtest/gtest.h>

namespace stiction::methods {
namespace {

void write(BasisMemory& memory, int slot, std::vector<std::uint8_t> values) {
  for (size_t i = 0; i < values.size(); ++i) memory.bits(slot)[i] = values[i];
}

TEST(BasisMemory, RecallsOnlyWhatWasAccepted) {
  BasisMemory memory;
  contact::BasisTable last;
  memory.begin(last);
  const int slot = memory.add_slot(7, 3);
  write(memory, slot, {1, 0, 1});
  EXPECT_EQ(memory.recall(7, 3).bits, nullptr);
  memory.keep(last);
  const std::uint8_t* bits = memory.recall(7, 3).bits;
  ASSERT_NE(bits, nullptr);
  EXPECT_EQ((std::vector<std::uint8_t>(bits, bits + 3)), (std::vector<std::uint8_t>{1, 0, 1}));
}

TEST(BasisMemory, FindsEverySlotWhateverTheOrderOfKeys) {
  BasisMemory memory;
  contact::BasisTable last;
  const std::vector<std::uint64_t> keys = {900, 3, 1ull << 63, 42, 0, 17};
  memory.begin(last);
  for (size_t i = 0; i < keys.size(); ++i) {
    const int slot = memory.add_slot(keys[i], 2 + static_cast<int>(i));
    write(memory, slot, std::vector<std::uint8_t>(2 + i, static_cast<std::uint8_t>(i)));
    memory.impulse(slot).rows[0] = 0.5 * static_cast<double>(i);
  }
  memory.keep(last);
  for (size_t i = 0; i < keys.size(); ++i) {
    const BasisMemory::Recalled recalled = memory.recall(keys[i], 2 + static_cast<int>(i));
    const std::uint8_t* bits = recalled.bits;
    ASSERT_NE(bits, nullptr) << keys[i];
    EXPECT_EQ(recalled.impulse->rows[0], 0.5 * static_cast<double>(i));
    EXPECT_EQ(bits[0], i);
    EXPECT_EQ(bits[1 + i], i);
  }
  EXPECT_EQ(memory.recall(18, 2).bits, nullptr);
}

TEST(BasisMemory, AnotherNumberOfBitsIsNew) {
  BasisMemory memory;
  contact::BasisTable last;
  memory.begin(last);
  memory.add_slot(5, 3);
  memory.keep(last);
  EXPECT_EQ(memory.recall(5, 4).bits, nullptr);
}

TEST(BasisMemory, AStepThatIsNotTakenLeavesTheLastOne) {
  BasisMemory memory;
  contact::BasisTable last;
  memory.begin(last);
  write(memory, memory.add_slot(5, 1), {1});
  memory.keep(last);
  memory.begin(last);  // tried and given up
  write(memory, memory.add_slot(5, 1), {0});
  memory.begin(last);
  ASSERT_NE(memory.recall(5, 1).bits, nullptr);
  EXPECT_EQ(*memory.recall(5, 1).bits, 1);
}

TEST(BasisMemory, ForgetsContactsThatEnded) {
  BasisMemory memory;
  contact::BasisTable last;
  memory.begin(last);
  memory.add_slot(5, 1);
  memory.keep(last);
  memory.begin(last);
  memory.add_slot(6, 1);
  memory.keep(last);
  EXPECT_EQ(memory.recall(5, 1).bits, nullptr);
  EXPECT_NE(memory.recall(6, 1).bits, nullptr);
}

}  // namespace
}  // namespace stiction::methods
