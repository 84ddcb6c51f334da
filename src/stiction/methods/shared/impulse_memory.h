// Impulses of the coming step by the stable keys of contacts and scalar rows, and those of the last one to start from.
#pragma once

#include <span>
#include <vector>

#include "stiction/base/workers.h"
#include "stiction/contact/contact_set.h"
#include "stiction/contact/key_order.h"
#include "stiction/contact/warm_starts.h"
#include "stiction/problem/step_problem.h"

namespace stiction::methods {

/// Islands read the last step's impulses and write this step's, each its own, so they may run in parallel. Allocates
/// only for more contacts than ever before.
class ImpulseMemory {
 public:
  using Impulses = contact::ImpulseTable::Impulses;
  enum class Since { last_step, last_pass };  ///< what `last` holds: a pass solves the same step again

  /// Who shares the loops from now on; null: the caller alone.
  void share_with(Workers* workers) { workers_ = workers; }

  Workers* workers() const { return workers_; }

  /// One slot for every contact and scalar row, in this order, and the joints' rows. Call before any island is solved;
  /// `last` must stay where it is until they are. With `contacts`, one for each of problem.contacts, guesses follow
  /// frames that turn, and a contact with a new key takes over from the nearest one of its pair that is gone.
  void begin(const StepProblem& problem, const contact::ImpulseTable& last,
             std::span<const contact::Contact> contacts = {}, Since since = Since::last_step);
  /// What a key had at the last step, or nullptr.
  const Impulses* recall(std::uint64_t key) const { return last_->recall(key); }
  /// Where contact `index` of the problem, whose key is given, starts from; nullptr: it is new.
  const Impulses* recall_contact(int index, std::uint64_t key) const {
    if (guesses_.empty()) return recall(key);
    return guesses_[index].known ? &guesses_[index].impulses : nullptr;
  }
  /// What the last step added to the impulses of contact `index`, and this one adds if forces go on as they changed.
  /// Zero where the contact is new, or the step is solved again.
  Impulses trend(int index) const {
    return guesses_.empty() || since_ == Since::last_pass ? Impulses{} : guesses_[index].trend;
  }
  double recall_bilateral(int row) const { return last_->recall_bilateral(row); }
  /// This step's slots.
  Impulses& contact(int index) { return next_.impulses[index]; }
  Impulses& scalar(int index) { return next_.impulses[contacts_ + index]; }
  double& bilateral(int row) { return next_.bilateral[row]; }
  /// This step's impulses become `last`.
  void keep(contact::ImpulseTable& last);

 private:
  struct Guess {
    bool known = false;
    Impulses impulses = {};
    Impulses trend = {};
  };
  void guess(std::span<const contact::Contact> contacts);
  void take_over(const contact::Contact& contact, Guess& guess);
  void take(int entry, const contact::Contact& contact, Guess& guess);
  void find_trends();

  Workers* workers_ = nullptr;
  int contacts_ = 0;
  Since since_ = Since::last_step;
  const contact::ImpulseTable* last_ = nullptr;
  contact::ImpulseTable next_;  // not sorted yet
  std::vector<Guess> guesses_;  // one per contact; empty where begin() had no contacts
  std::vector<char> taken_;     // entries of the last table
  contact::KeyOrder order_;
};

}  // namespace stiction::methods
