#include "stiction/methods/exact_cone/exact_cone_routes.h"

#include <array>

#include "stiction/methods/shared/friction_sets.h"
#include "stiction/solvers/registry.h"

namespace stiction::methods {

namespace {

// Islands of that many joints, limits and contacts are solved in body space, and so are those with more contact rows
// per velocity than this: a nut that lies on eight points has 24 and 6.
constexpr int body_space_blocks = 8, contact_rows = 3, most_rows_per_velocity = 3;
// Ten free bodies, or a robot: 3 us per factorisation.
constexpr int few = 64;

bool belongs_in_body_space(const IslandFacts& facts, const ExactConeGoal& goal) {
  if (facts.general_set || facts.in_body_space) return true;
  return facts.is_auto && (goal.always_in_body_space || !facts.small());
}

constexpr std::array<RouteRow, 5> rows = {{
    {Route::lanes, "lanes", "more than 40 contacts under \"fast\", free bodies and contacts alone",
     [](const IslandFacts& facts, const ExactConeGoal& goal) {
       return facts.is_auto && facts.contacts > goal.few_blocks;
     }},
    {Route::look, "look", "what is not small and hardly moved, free bodies and contacts alone",
     [](const IslandFacts& facts, const ExactConeGoal&) { return facts.is_auto && !facts.small(); }},
    {Route::quick, "quick", "small islands",
     [](const IslandFacts& facts, const ExactConeGoal& goal) {
       return facts.is_auto && !belongs_in_body_space(facts, goal);
     }},
    {Route::body_space, "body space", "all others, and what the row above leaves",
     [](const IslandFacts& facts, const ExactConeGoal& goal) {
       return facts.is_auto || belongs_in_body_space(facts, goal);
     }},
    {Route::contact_space, "contact space", "small islands that the row above leaves; a solver that was named",
     [](const IslandFacts& facts, const ExactConeGoal& goal) { return !belongs_in_body_space(facts, goal); }},
}};

}  // namespace

bool IslandFacts::small() const {
  return blocks < body_space_blocks && contact_rows * contacts <= most_rows_per_velocity * velocities;
}

bool IslandFacts::few_velocities() const {
  return velocities <= few;
}

std::span<const RouteRow> exact_cone_routes() {
  return rows;
}

IslandFacts island_facts(const StepProblem& problem, const contact::Island& island,
                         const solvers::FrictionSolver& solver) {
  IslandFacts facts;
  facts.contacts = static_cast<int>(island.contacts.size());
  facts.blocks = static_cast<int>(island.contacts.size() + island.scalars.size() + island.bilaterals.size());
  for (const int tree : island.trees) facts.velocities += problem.trees[tree].size;
  facts.general_set = has_general_set(problem, island);
  facts.is_auto = &solver == &solvers::auto_friction;
  facts.in_body_space = !solver.takes_local_form();
  return facts;
}

}  // namespace stiction::methods
