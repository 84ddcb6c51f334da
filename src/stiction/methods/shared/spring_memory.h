// What penalty methods remember of contacts from step to step: how far the tangential springs are stretched.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/problem/step_problem.h"

namespace stiction::methods {

/// Double-buffered, by contact key: islands read the last accepted step's springs and write this step's, each its own,
/// so they may run in parallel. Allocates only for more contacts than ever before.
class SpringMemory {
 public:
  /// One contact's springs.
  struct Spring {
    std::uint64_t key = 0;
    bool pressed = false;               ///< the contact overlaps: only these are remembered
    Vector3 stretch = Vector3::Zero();  ///< m, displacement of B over A in axes that turn with A
    double twist = 0;                   ///< m, spin of B over A times the contact's torsion length
  };

  /// One slot for every contact, not pressed. Call before any island is solved.
  void begin(const StepProblem& problem);
  /// What a contact had at the last accepted step, or nullptr.
  const Spring* recall(std::uint64_t key) const;
  /// This step's slot of a contact.
  Spring& contact(int index) { return next_[index]; }
  /// This step's springs become the last step's.
  void accept();
  /// Forgets all springs: the state comes from elsewhere.
  void clear() { last_.clear(); }

 private:
  std::vector<Spring> last_, next_;  // last_: pressed ones, sorted by key
};

}  // namespace stiction::methods
