// Which complementarity variables were basic at the last accepted step, by the stable keys of contacts and scalar rows.
#pragma once

#include <cstdint>
#include <vector>

namespace stiction::methods {

/// Double-buffered: islands read the last step's bits and write this step's, each its own slots, so they may run in
/// parallel.
class BasisMemory {
 public:
  /// Forgets this step's slots.
  void begin();
  /// Adds a slot of `count` bits for a row named `key`; returns its index. Call for all rows before any island is
  /// solved.
  int add_slot(std::uint64_t key, int count);
  /// Bits that `key` had at the last accepted step, or nullptr when it is new or had another number of bits.
  const std::uint8_t* recall(std::uint64_t key, int count) const;
  /// Where this step's bits of a slot go.
  std::uint8_t* bits(int slot) { return next_.bits.data() + next_.entries[slot].offset; }
  /// This step's bits become the last step's.
  void accept();

 private:
  struct Entry {
    std::uint64_t key;
    int offset;
    int count;
  };
  struct Buffer {
    std::vector<Entry> entries;  // `last_` is sorted by key
    std::vector<std::uint8_t> bits;
  };
  Buffer last_, next_;
};

}  // namespace stiction::methods
