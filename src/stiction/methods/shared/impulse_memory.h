// The impulses of the last accepted step by the stable keys of contacts and scalar rows: where iterative solvers start.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "stiction/problem/step_problem.h"

namespace stiction::methods {

/// Double-buffered: islands read the last step's impulses and write this step's, each its own, so they may run in
/// parallel.
class ImpulseMemory {
 public:
  using Impulses = std::array<double, 6>;  ///< rows n, t, o, spin of a contact, then its two rolling rows; or one row

  /// One slot for every contact and scalar row, in this order, and the joints' rows. Call before any island is solved.
  void begin(const StepProblem& problem);
  /// What a key had at the last accepted step, or nullptr.
  const Impulses* recall(std::uint64_t key) const;
  /// This step's slots.
  Impulses& contact(int index) { return next_.impulses[index]; }
  Impulses& scalar(int index) { return next_.impulses[contacts_ + index]; }
  /// Joints do not come and go: their rows keep their places (StepProblem::bilateral_bias).
  double recall_bilateral(int row) const {
    return row < static_cast<int>(last_.bilateral.size()) ? last_.bilateral[row] : 0;
  }
  double& bilateral(int row) { return next_.bilateral[row]; }
  /// This step's impulses become the last step's.
  void accept();

 private:
  struct Entry {
    std::uint64_t key;
    int index;
  };
  struct Buffer {
    std::vector<Entry> entries;  // sorted by key in `last_`
    std::vector<Impulses> impulses;
    std::vector<double> bilateral;
  };
  int contacts_ = 0;
  Buffer last_, next_;
};

}  // namespace stiction::methods
