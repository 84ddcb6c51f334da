#include "stiction/contact/layer_memory.h"

#include <algorithm>
#include <tuple>

#include "stiction/contact/sorted_keys.h"

namespace stiction::contact {

namespace {

// The share of side 0 or 1 of a contact's overlap: as springs in series share it.
double overlap_share(const StepProblem& problem, const ContactRows& contact, int side) {
  if (contact.layers[1 - side] < 0) return 1;
  const auto stiffness = [&](int s) { return problem.layers[contact.layers[s]].layer->stiffness(0, 0); };
  const double sum = stiffness(0) + stiffness(1);
  return sum > 0 ? stiffness(1 - side) / sum : 0.5;
}

}  // namespace

const LayerMemory::Entry* LayerMemory::find(std::uint64_t key, int side) const {
  for (auto entry = find_key(entries_, key); entry != entries_.end() && entry->key == key; ++entry) {
    if (entry->side == side) return &*entry;
  }
  return nullptr;
}

void LayerMemory::recall(StepProblem& problem) const {
  for (const ContactRows& contact : problem.contacts) {
    for (int side = 0; side < 2; ++side) {
      if (contact.layers[side] < 0) continue;
      LayerRows& layer = problem.layers[contact.layers[side]];
      if (const Entry* last = find(contact.key, side)) {
        layer.start = last->deflection;
        continue;
      }
      const double overlap = std::max(0.0, -contact.gap) * overlap_share(problem, contact, side);
      layer.start = {std::min(overlap, layer.layer->thickness), 0, 0};
    }
  }
}

void LayerMemory::keep(const StepProblem& problem, const StepAnswer& answer) {
  entries_.clear();
  for (const ContactRows& contact : problem.contacts) {
    for (int side = 0; side < 2; ++side) {
      if (contact.layers[side] < 0) continue;
      entries_.push_back({contact.key, side, answer.deflection[contact.layers[side]]});
    }
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return std::tie(a.key, a.side) < std::tie(b.key, b.side); });
}

}  // namespace stiction::contact
