#include "stiction/methods/shared/spring_memory.h"

#include <algorithm>

namespace stiction::methods {

void SpringMemory::begin(const StepProblem& problem) {
  next_.clear();
  for (const ContactRows& contact : problem.contacts) next_.push_back({.key = contact.key});
  last_.reserve(next_.capacity());  // the two change places with every step taken
}

const SpringMemory::Spring* SpringMemory::recall(std::uint64_t key) const {
  const auto place = std::lower_bound(last_.begin(), last_.end(), key,
                                      [](const Spring& spring, std::uint64_t k) { return spring.key < k; });
  return place == last_.end() || place->key != key ? nullptr : &*place;
}

void SpringMemory::accept() {
  std::swap(last_, next_);
  std::erase_if(last_, [](const Spring& spring) { return !spring.pressed; });
  std::sort(last_.begin(), last_.end(), [](const Spring& a, const Spring& b) { return a.key < b.key; });
}

}  // namespace stiction::methods
