// Impulses of the coming step by the stable keys of contacts and scalar rows, and those of the last one to start from.
#pragma once

#include "stiction/contact/warm_starts.h"
#include "stiction/problem/step_problem.h"

namespace stiction::methods {

/// Islands read the last step's impulses and write this step's, each its own, so they may run in parallel. Allocates only
/// for more contacts than ever before.
class ImpulseMemory {
 public:
  using Impulses = contact::ImpulseTable::Impulses;

  /// One slot for every contact and scalar row, in this order, and the joints' rows. Call before any island is solved;
  /// `last` must stay where it is until they are.
  void begin(const StepProblem& problem, const contact::ImpulseTable& last);
  /// What a key had at the last step, or nullptr.
  const Impulses* recall(std::uint64_t key) const { return last_->recall(key); }
  double recall_bilateral(int row) const { return last_->recall_bilateral(row); }
  /// This step's slots.
  Impulses& contact(int index) { return next_.impulses[index]; }
  Impulses& scalar(int index) { return next_.impulses[contacts_ + index]; }
  double& bilateral(int row) { return next_.bilateral[row]; }
  /// This step's impulses become `last`.
  void keep(contact::ImpulseTable& last);

 private:
  int contacts_ = 0;
  const contact::ImpulseTable* last_ = nullptr;
  contact::ImpulseTable next_;  // not sorted yet
};

}  // namespace stiction::methods
