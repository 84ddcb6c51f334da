// Everything that contacts remember goes through memory_archive.h: written and read back it is the same.
#include "stiction/contact/memory_archive.h"

#include <gtest/gtest.h>

namespace stiction::contact {
namespace {

// Fills every member with a value of its own, three items per list.
class Filler {
 public:
  template <class List, class Visit>
  void list(const char*, List& items, Visit&& visit) {
    items.resize(3);
    for (auto& item : items) visit(*this, item);
  }
  void number(double& value) { value = next_ += 0.5; }
  void word(std::uint64_t& value) { value = static_cast<std::uint64_t>(next_ += 1); }
  template <class Integer>
  void integer(Integer& value) {
    value = static_cast<Integer>(next_ += 1);
  }
  void flag(bool& value) { value = !value; }
  void bits(std::uint8_t& value) { value = static_cast<std::uint8_t>(next_ += 1); }

 private:
  double next_ = 0;
};

// All values in a row.
class Collector {
 public:
  std::vector<double> values;

  template <class List, class Visit>
  void list(const char*, List& items, Visit&& visit) {
    values.push_back(static_cast<double>(items.size()));
    for (auto& item : items) visit(*this, item);
  }
  void number(double value) { values.push_back(value); }
  void word(std::uint64_t value) { values.push_back(static_cast<double>(value)); }
  void integer(long value) { values.push_back(static_cast<double>(value)); }
  void flag(bool value) { values.push_back(value); }
  void bits(std::uint8_t value) { values.push_back(value); }
};

TEST(ContactMemory, EveryNumberIsVisitedOnce) {
  ContactMemory memory;
  Filler filler;
  visit_memory(memory, filler);
  Collector collector;
  visit_memory(memory, collector);
  // Lists: anchors 3 (11 + 9 + 3 values), layers (5), springs (6), 4 x impulses (2, 6, 6, 6, 1), basis (4, 1, 5),
  // modes 2 x (14), tracked gaps (3), bounces (6); three items each, and one size per list.
  const size_t per_item = (11 + 9 + 3) + 5 + 6 + 4 * (2 + 6 + 6 + 6 + 1) + (4 + 1 + 5) + 2 * 14 + 3 + 6;
  const size_t lists = 3 + 1 + 1 + 4 * 5 + 3 + 2 + 1 + 1;
  EXPECT_EQ(collector.values.size(), 3 * per_item + lists);
}

// A member that is added to one of these structs must be added to memory_archive.h, too.
TEST(ContactMemory, TheArchiveKnowsTheStructsAsTheyAre) {
  EXPECT_EQ(sizeof(Spring), 6 * sizeof(double));
  EXPECT_EQ(sizeof(ContactMode), 12 * sizeof(double));
  EXPECT_EQ(sizeof(TrackedGap), 3 * sizeof(double));
  EXPECT_EQ(sizeof(BounceRow), 6 * sizeof(double));
  EXPECT_EQ(sizeof(ImpulseTable::Place), 6 * sizeof(double));
  EXPECT_EQ(sizeof(ImpulseTable), 5 * sizeof(std::vector<int>));
  EXPECT_EQ(sizeof(BasisTable), 3 * sizeof(std::vector<int>));
  EXPECT_EQ(sizeof(ModeMemory), 4 * sizeof(std::vector<int>));
}

}  // namespace
}  // namespace stiction::contact
