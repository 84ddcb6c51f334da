// Bases of the coming step by the stable keys of contacts and scalar rows, and those of the last one to start from.
#pragma once

#include "stiction/contact/warm_starts.h"

namespace stiction::methods {

/// Islands read the last step's slots and write this step's, each its own, so they may run in parallel.
class BasisMemory {
 public:
  using Impulse = contact::BasisTable::Impulse;
  using Recalled = contact::BasisTable::Recalled;

  /// Forgets this step's slots; `last` must stay where it is until the islands are solved.
  void begin(const contact::BasisTable& last);
  /// Adds a slot of `count` bits for a row named `key`; returns its index. Call for all rows before any island is
  /// solved.
  int add_slot(std::uint64_t key, int count);
  /// The slot that `key` had at the last step.
  Recalled recall(std::uint64_t key, int count) const { return last_->recall(key, count); }
  /// Where this step's values of a slot go.
  std::uint8_t* bits(int slot) { return next_.bits.data() + next_.entries[slot].offset; }
  Impulse& impulse(int slot) { return next_.impulses[slot]; }
  /// This step's slots become `last`.
  void keep(contact::BasisTable& last);

 private:
  const contact::BasisTable* last_ = nullptr;
  contact::BasisTable next_;  // not sorted yet
};

}  // namespace stiction::methods
