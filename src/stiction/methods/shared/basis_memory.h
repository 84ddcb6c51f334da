// What a method remembers of the last accepted step, by the stable keys of contacts and scalar rows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace stiction::methods {

/// Double-buffered: islands read the last step's slots and write this step's, each its own, so they may run in
/// parallel.
class BasisMemory {
 public:
  /// What is kept besides the bits: the impulse on each row, and whether the contact slipped.
  struct Impulse {
    std::array<double, 4> rows = {0, 0, 0, 0};
    bool slips = false;
  };

  /// What the last accepted step said of a row.
  struct Recalled {
    const std::uint8_t* bits = nullptr;  ///< which variables were basic; nullptr: the key is new or had another count
    const Impulse* impulse = nullptr;
  };

  /// Forgets this step's slots.
  void begin();
  /// Adds a slot of `count` bits for a row named `key`; returns its index. Call for all rows before any island is
  /// solved.
  int add_slot(std::uint64_t key, int count);
  /// The slot that `key` had at the last accepted step.
  Recalled recall(std::uint64_t key, int count) const;
  /// Where this step's values of a slot go.
  std::uint8_t* bits(int slot) { return next_.bits.data() + next_.entries[slot].offset; }
  Impulse& impulse(int slot) { return next_.impulses[slot]; }
  /// This step's slots become the last step's.
  void accept();

 private:
  struct Entry {
    std::uint64_t key;
    int offset;  // of the bits
    int count;
    int index;  // of the impulse
  };
  struct Buffer {
    std::vector<Entry> entries;  // `last_` is sorted by key
    std::vector<std::uint8_t> bits;
    std::vector<Impulse> impulses;
  };
  Buffer last_, next_;
};

}  // namespace stiction::methods
