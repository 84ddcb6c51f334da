// What a run tells of islands whose problems the existence theory does not cover (stepping/existence/existence.h).
#pragma once

#include <string>
#include <vector>

#include "stiction/stepping/stepper.h"

namespace stiction {

/// Counts over the taken steps of a run; nothing is counted unless the method checks.
struct ExistenceSummary {
  long checked = 0;       ///< steps with an island that was checked
  long not_pointed = 0;   ///< steps in which the friction cone of an island was not pointed
  long undecided = 0;     ///< steps in which that could not be decided, and none was known to be not pointed
  double first_time = 0;  ///< s: start of the first step without pointedness
  std::vector<std::string> first_bodies;  ///< of its first island
};

/// Adds the step that `w` describes and that began at `time`.
void count_existence(const Model& model, const StepRecord& w, double time, ExistenceSummary& summary);

/// Names of the bodies that an island moves.
std::vector<std::string> island_bodies(const Model& model, const contact::Island& island);

/// "pointedness lost in 3 of 10 steps, first at t = 0.1 s, bodies [a] [b]"; empty when nothing was checked.
std::string describe_existence(const ExistenceSummary& summary);

}  // namespace stiction
