#include "stiction/methods/shared/impulse_memory.h"

#include <algorithm>

namespace stiction::methods {

void ImpulseMemory::begin(const StepProblem& problem) {
  next_.entries.clear();
  contacts_ = static_cast<int>(problem.contacts.size());
  const auto add = [&](std::uint64_t key) { next_.entries.push_back({key, static_cast<int>(next_.entries.size())}); };
  for (const ContactRows& contact : problem.contacts) add(contact.key);
  for (const ScalarRow& scalar : problem.scalars) add(scalar.key);
  next_.impulses.assign(next_.entries.size(), Impulses{});
  next_.bilateral.assign(problem.bilateral_bias.size(), 0.0);
  // The two change places with every step taken: whatever is large enough for one is so for the other.
  last_.entries.reserve(next_.entries.capacity());
  last_.impulses.reserve(next_.impulses.capacity());
  last_.bilateral.reserve(next_.bilateral.capacity());
}

const ImpulseMemory::Impulses* ImpulseMemory::recall(std::uint64_t key) const {
  const auto place = std::lower_bound(last_.entries.begin(), last_.entries.end(), key,
                                      [](const Entry& entry, std::uint64_t k) { return entry.key < k; });
  if (place == last_.entries.end() || place->key != key) return nullptr;
  return &last_.impulses[place->index];
}

void ImpulseMemory::accept() {
  std::swap(last_, next_);
  std::sort(last_.entries.begin(), last_.entries.end(),
            [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; });
}

}  // namespace stiction::methods
