#include "stiction/methods/shared/impulse_memory.h"

#include <algorithm>

namespace stiction::methods {

void ImpulseMemory::begin(const StepProblem& problem, const contact::ImpulseTable& last) {
  last_ = &last;
  next_.entries.clear();
  contacts_ = static_cast<int>(problem.contacts.size());
  const auto add = [&](std::uint64_t key) { next_.entries.push_back({key, static_cast<int>(next_.entries.size())}); };
  for (const ContactRows& contact : problem.contacts) add(contact.key);
  for (const ScalarRow& scalar : problem.scalars) add(scalar.key);
  next_.impulses.assign(next_.entries.size(), Impulses{});
  next_.bilateral.assign(problem.bilateral_bias.size(), 0.0);
}

void ImpulseMemory::keep(contact::ImpulseTable& last) {
  last = next_;  // a copy: each keeps the room that it has grown to, whichever memory a step is taken with
  std::sort(last.entries.begin(), last.entries.end(),
            [](const auto& a, const auto& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; });
}

}  // namespace stiction::methods
