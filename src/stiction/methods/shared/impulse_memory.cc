#include "stiction/methods/shared/impulse_memory.h"

#include <algorithm>
#include <atomic>

#include "stiction/base/infinity.h"
#include "stiction/contact/sorted_keys.h"

namespace stiction::methods {
namespace {

constexpr size_t contacts_at_once = 256;  // in one chunk of what workers share

}  // namespace

void ImpulseMemory::begin(const StepProblem& problem, const contact::ImpulseTable& last,
                          std::span<const contact::Contact> contacts, Since since) {
  last_ = &last;
  since_ = since;
  next_.entries.clear();
  contacts_ = static_cast<int>(problem.contacts.size());
  const auto add = [&](std::uint64_t key) { next_.entries.push_back({key, static_cast<int>(next_.entries.size())}); };
  for (const ContactRows& contact : problem.contacts) add(contact.key);
  for (const ScalarRow& scalar : problem.scalars) add(scalar.key);
  next_.impulses.assign(next_.entries.size(), Impulses{});
  next_.bilateral.assign(problem.bilateral_bias.size(), 0.0);
  next_.places.clear();
  next_.trends.clear();
  guesses_.clear();
  if (!contacts.empty()) guess(contacts);
}

void ImpulseMemory::take(int entry, const contact::Contact& contact, Guess& guess) {
  const int index = last_->entries[entry].index;
  std::atomic_ref(taken_[entry]).store(1, std::memory_order_relaxed);  // contacts with one key share an entry
  guess.known = true;
  guess.impulses = last_->impulses[index];
  if (index >= static_cast<int>(last_->places.size())) return;
  const contact::FrameTurn frame(last_->places[index].tangent, contact.tangent, contact.binormal());
  frame.turn(guess.impulses);
  if (index >= static_cast<int>(last_->trends.size())) return;
  guess.trend = last_->trends[index];
  frame.turn(guess.trend);
}

// First those with a key of their own, then the others.
void ImpulseMemory::guess(std::span<const contact::Contact> contacts) {
  const auto& entries = last_->entries;
  taken_.assign(entries.size(), 0);
  guesses_.resize(contacts.size());
  next_.places.resize(contacts.size());
  for_ranges(workers_, contacts.size(), contacts_at_once, [&](size_t begin, size_t end) {
    size_t cursor = 0;
    for (size_t c = begin; c < end; ++c) {
      guesses_[c] = {};
      next_.places[c] = {contacts[c].point, contacts[c].tangent};
      const auto* entry = contact::find_item_from(cursor, entries, contacts[c].key);
      if (entry != nullptr) take(static_cast<int>(entry - entries.data()), contacts[c], guesses_[c]);
    }
  });
  for (size_t c = 0; c < contacts.size(); ++c) {
    if (!guesses_[c].known) take_over(contacts[c], guesses_[c]);
  }
}

void ImpulseMemory::take_over(const contact::Contact& contact, Guess& guess) {
  const auto& entries = last_->entries;
  const std::uint64_t pair = contact::shapes_of(contact.key);
  auto entry = std::lower_bound(entries.begin(), entries.end(), pair,
                                [](const auto& e, std::uint64_t wanted) { return contact::shapes_of(e.key) < wanted; });
  double nearest = infinity;
  int found = -1;
  for (; entry != entries.end() && contact::shapes_of(entry->key) == pair; ++entry) {
    const int place = static_cast<int>(entry - entries.begin());
    if (taken_[place] || entry->index >= static_cast<int>(last_->places.size())) continue;
    const double distance = (last_->places[entry->index].point - contact.point).squaredNorm();
    if (distance < nearest) nearest = distance, found = place;
  }
  if (found >= 0) take(found, contact, guess);
}

// What a step adds counts from the last step, not from an earlier pass of itself.
void ImpulseMemory::find_trends() {
  next_.trends.resize(guesses_.size());
  for_ranges(workers_, guesses_.size(), contacts_at_once, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) {
      const Guess& guess = guesses_[c];
      next_.trends[c] = {};
      for (size_t i = 0; i < guess.trend.size() && guess.known; ++i) {
        const double earlier = since_ == Since::last_pass ? guess.trend[i] : 0.0;
        next_.trends[c][i] = next_.impulses[c][i] - guess.impulses[i] + earlier;
      }
    }
  });
}

// A copy: each keeps the room that it has grown to, whichever memory a step is taken with.
void ImpulseMemory::keep(contact::ImpulseTable& last) {
  find_trends();
  const auto copy = [this](const auto& from, auto& to) {
    to.resize(from.size());
    for_ranges(workers_, from.size(), contacts_at_once,
               [&](size_t begin, size_t end) { std::copy_n(from.data() + begin, end - begin, to.data() + begin); });
  };
  copy(next_.entries, last.entries), copy(next_.impulses, last.impulses);
  copy(next_.places, last.places), copy(next_.trends, last.trends);
  copy(next_.bilateral, last.bilateral);
  order_.sort(last.entries);
}

}  // namespace stiction::methods
