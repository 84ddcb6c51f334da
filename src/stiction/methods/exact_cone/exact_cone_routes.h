// Where exact-cone sends an island, and what it asks for there: one table, by counts alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "stiction/contact/islands.h"
#include "stiction/methods/exact_cone/exact_cone_goal.h"
#include "stiction/problem/step_problem.h"
#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::methods {

/// What routing goes by.
struct IslandFacts {
  int contacts = 0;
  int blocks = 0;              ///< joints, limits and contacts
  int velocities = 0;          ///< of its bodies
  bool general_set = false;    ///< a friction set that is not an ellipse
  bool is_auto = true;         ///< no solver was named
  bool in_body_space = false;  ///< the solver that was named knows nothing else

  /// Few blocks, and impulses that are not far from determined.
  bool small() const;
  /// A factorisation costs what a few sweeps do.
  bool few_velocities() const;
};

/// A way to an answer.
enum class Route : std::uint8_t {
  lanes,         ///< sweeps over free bodies, four pairs at a time
  look,          ///< one look at the last step's impulses, of free bodies, in lanes
  quick,         ///< contact space, quick rungs
  body_space,    ///< body space, the ladder of body_rungs()
  contact_space  ///< contact space, all rungs
};

/// A row of the table. An island goes down the rows that take it until one has an answer.
struct RouteRow {
  Route route;
  std::string_view name;     ///< for readers
  std::string_view applies;  ///< for readers
  bool (*takes)(const IslandFacts& facts, const ExactConeGoal& goal);
};

/// The table, from its first row to its last.
std::span<const RouteRow> exact_cone_routes();

/// The facts of an island.
IslandFacts island_facts(const StepProblem& problem, const contact::Island& island,
                         const solvers::FrictionSolver& solver);

}  // namespace stiction::methods
