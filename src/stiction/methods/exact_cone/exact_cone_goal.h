// What exact-cone is asked for: its options, and the tolerances and budgets that they stand for.
#pragma once

#include "stiction/methods/accuracy.h"

namespace stiction::methods {

/// [method.exact-cone], and `accuracy` of [simulation].
struct ExactConeOptions {
  Accuracy accuracy = Accuracy::exact;
  double tolerance = 0;  ///< >= 0: normalised natural-map residual at which a step counts as solved; 0: by accuracy
  /// >= 0: a step that gets no closer than this fails; one between the two is taken and counted as a fallback; 0: by
  /// accuracy.
  double acceptance = 0;
  double max_recovery_speed = 0.5;  ///< m/s, > 0: bound on the speed at which overlap and drift are repaired
  bool anchors = true;              ///< sticking contacts return to where they stuck
};

/// What a solve is asked for.
struct ExactConeGoal {
  double asked = 1e-8;             ///< residual at which an island counts as solved
  double aimed = 1e-8;             ///< <= asked: residual that solves work towards, and what repairs are tied to
  double polished = 1e-10;         ///< and what islands are brought to, where that costs next to nothing
  double acceptance = 1e-4;        ///< residual up to which an answer is taken
  double large_acceptance = 1e-2;  ///< the same for large islands, which have an answer more surely than it is found
  double useful = 2e-5;            ///< in body space: residual above which no effort is spared
  int sweeps = 60;                 ///< in body space: before anything is factored
  int repair_sweeps = 60;          ///< in body space: of a repair of positions
  int most_factorizations = 6000;  ///< in body space: the budget
  int few_blocks = 1 << 30;        ///< larger islands are left to sweeps as far as these go
  bool always_in_body_space = false;
};

/// What the options ask for.
ExactConeGoal goal_of(const ExactConeOptions& options);

/// The same of islands with few velocities, which cost no more for an accurate answer than for what is left otherwise:
/// solves work towards 1e-8 whatever is asked for, with a budget that is as small.
ExactConeGoal near_goal_of(const ExactConeOptions& options);

}  // namespace stiction::methods
