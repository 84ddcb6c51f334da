#include "stiction/methods/exact_cone/exact_cone_goal.h"

#include <algorithm>

#include "stiction/base/infinity.h"

namespace stiction::methods {

namespace {

// What is left at more than this moves bodies, so that the next steps have to stop them: it costs more than it saves,
// unless the budget is small.
constexpr double loosest_aim = 1e-4;

// Factorisations that an island with few velocities may cost under every accuracy.
constexpr int fewest_when_near = 200;

}  // namespace

ExactConeGoal goal_of(const ExactConeOptions& options) {
  ExactConeGoal goal;
  if (options.accuracy == Accuracy::balanced) {
    goal = {.asked = 1e-4,
            .acceptance = 1e-1,
            .useful = 1e-2,
            .sweeps = 40,
            .repair_sweeps = 20,
            .most_factorizations = 1000};
  } else if (options.accuracy == Accuracy::fast) {
    goal = {.asked = 1e-3,
            .polished = 1e-3,
            .acceptance = infinity,
            .useful = infinity,
            .sweeps = 40,
            .repair_sweeps = 4,
            .most_factorizations = 12,
            .few_blocks = 40,
            .always_in_body_space = true};
  }
  if (options.tolerance > 0) {
    goal.asked = options.tolerance;
    goal.polished = std::min(goal.polished, goal.asked);
  }
  goal.aimed = options.accuracy == Accuracy::fast ? goal.asked : std::min(goal.asked, loosest_aim);
  if (options.acceptance > 0) goal.acceptance = goal.large_acceptance = options.acceptance;
  goal.acceptance = std::max(goal.acceptance, goal.asked);
  goal.large_acceptance = std::max(goal.large_acceptance, goal.acceptance);
  return goal;
}

ExactConeGoal near_goal_of(const ExactConeOptions& options) {
  const ExactConeGoal far = goal_of(options);
  ExactConeGoal goal;
  goal.asked = far.asked;
  goal.aimed = std::min(far.aimed, goal.aimed);
  goal.polished = std::min(far.polished, goal.polished);
  goal.acceptance = far.acceptance, goal.large_acceptance = far.large_acceptance;
  goal.useful = far.useful;
  goal.most_factorizations = std::max(std::min(far.most_factorizations, goal.most_factorizations), fewest_when_near);
  return goal;
}

}  // namespace stiction::methods
