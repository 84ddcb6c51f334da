// Springs of the coming step by contact key, and those of the last one to start from.
#pragma once

#include "stiction/contact/springs.h"
#include "stiction/problem/step_problem.h"

namespace stiction::methods {

/// Islands read the last step's springs and write this step's, each its own, so they may run in parallel. Allocates
/// only for more contacts than ever before.
class SpringMemory {
 public:
  using Spring = contact::Spring;

  /// One slot for every contact, not pressed. Call before any island is solved; `last` must stay where it is until they
  /// are.
  void begin(const StepProblem& problem, const contact::SpringTable& last);
  /// What a contact had at the last step, or nullptr.
  const Spring* recall(std::uint64_t key) const { return contact::find_spring(*last_, key); }
  /// This step's slot of a contact.
  Spring& contact(int index) { return next_[index]; }
  /// This step's springs become `last`.
  void keep(contact::SpringTable& last);

 private:
  const contact::SpringTable* last_ = nullptr;
  contact::SpringTable next_;  // one per contact of the problem
};

}  // namespace stiction::methods
