#include "stiction/methods/shared/spring_memory.h"

#include <algorithm>

namespace stiction::methods {

void SpringMemory::begin(const StepProblem& problem, const contact::SpringTable& last) {
  last_ = &last;
  next_.clear();
  for (const ContactRows& contact : problem.contacts) next_.push_back({.key = contact.key});
}

void SpringMemory::keep(contact::SpringTable& last) {
  last = next_;  // a copy: each keeps the room that it has grown to
  std::erase_if(last, [](const Spring& spring) { return !spring.pressed; });
  std::sort(last.begin(), last.end(), [](const Spring& a, const Spring& b) { return a.key < b.key; });
}

}  // namespace stiction::methods
