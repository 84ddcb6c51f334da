// How far the compliant layers of contacts were pressed in when the last step ended, by the stable keys of contacts.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/contact/contact_set.h"
#include "stiction/problem/step_problem.h"

namespace stiction::contact {

/// Kept from step to step.
class LayerMemory {
 public:
  /// Sets LayerRows::start: what the last step left; for contacts it did not have, the overlap of the bodies, shared by
  /// two layers in proportion to their compliance.
  void recall(StepProblem& problem) const;
  /// Keeps the deflections of a step that is taken.
  void keep(const StepProblem& problem, const StepAnswer& answer);
  void clear() { entries_.clear(); }

  /// Walks over everything that is remembered (memory_archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive.list("layers", entries_, [](auto& a, Entry& entry) {
      a.word(entry.key);
      a.integer(entry.side);
      for (double& x : entry.deflection) a.number(x);
    });
  }

 private:
  struct Entry {
    std::uint64_t key;
    int side;
    Vector3 deflection;
  };
  const Entry* find(std::uint64_t key, int side) const;

  std::vector<Entry> entries_;  // sorted by key, then side
};

}  // namespace stiction::contact
