// Do closing joints depend on each other? anitescu1998 (16): the rows of grad g should be linearly independent wherever
// g(q) = 0. Where they are not, the motion is still unique as long as g can be met, but the reactions of the joints are
// not; a plane loop of revolute joints is the common case.
#pragma once

#include <string>
#include <vector>

#include "stiction/model/model.h"

namespace stiction {

/// A closing joint some of whose rows follow from other rows, or from the joints of the tree.
struct DependentJoint {
  std::string name;
  int rows = 0;
  int dependent = 0;  ///< so many of them
};

/// Rank of the closing joints' rows at a configuration.
struct Qualification {
  int rows = 0;
  int rank = 0;
  std::vector<DependentJoint> dependent;  ///< in the model's order; of rows that say the same, the later joint's

  bool holds() const { return rank == rows; }
};

/// Rank of J M^-1 J^T for the rows J of closing joints, by pivoted Cholesky, island by island. Allocates.
Qualification check_qualification(const Model& model, const State& state);

/// A sentence that names the dependent joints; empty where the qualification holds.
std::string describe(const Qualification& qualification);

}  // namespace stiction
