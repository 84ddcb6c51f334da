// Islands: trees joined by contacts and closing joints. What does not move (world, fixed, prescribed) joins nothing, so
// each island is a problem of its own.
#pragma once

#include <span>
#include <vector>

#include "stiction/problem/step_problem.h"

namespace stiction::contact {

/// One island: indices into the arrays of the StepProblem, each ascending.
struct Island {
  std::span<const int> trees;
  std::span<const int> bilaterals;
  std::span<const int> scalars;
  std::span<const int> contacts;
};

/// All islands of a problem that have at least one row, in the order of their first tree.
class Islands {
 public:
  /// Recomputes the islands; allocates only when the problem is larger than ever before.
  void update(const StepProblem& problem);

  int count() const { return count_; }
  Island operator[](int island) const;

 private:
  int find(int tree);
  void group(const std::vector<int>& owner, int kind);

  std::vector<int> parent_;  // union-find over trees
  std::vector<int> island_of_tree_;
  std::vector<int> owner_;  // island of each item, while grouping
  std::vector<int> cursor_;
  struct Group {
    std::vector<int> offsets;  // count + 1
    std::vector<int> items;
  };
  Group groups_[4];  // trees, bilaterals, scalars, contacts
  int count_ = 0;
};

}  // namespace stiction::contact
