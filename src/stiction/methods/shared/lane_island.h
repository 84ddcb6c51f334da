// One island of a step in lanes: piles of free bodies under a small budget of work (solvers/friction/body/lanes).
#pragma once

#include "stiction/contact/islands.h"
#include "stiction/methods/shared/impulse_memory.h"
#include "stiction/methods/shared/position_repair.h"
#include "stiction/solvers/friction/body/lanes/free_lanes.h"
#include "stiction/stepping/island_solver.h"

namespace stiction::methods {

/// What an island is solved for in lanes.
struct LaneIslandGoal {
  double asked = 1e-3;       ///< residual that counts as solved
  double tolerance = 5e-4;   ///< residual at which sweeps end
  double acceptance = 1e-2;  ///< residual above which there is no answer
  int sweeps = 100;          ///< at most
  int push_sweeps = 4;       ///< of the repair of positions
  double max_recovery_speed = 0.5;
  double resting_overlap = 0;  ///< of what bodies would move in the step without impulses: what rests overlaps by this
  double worse_than_start = 4, least_guess = 0.01;  ///< see ExactCone::guess_tolerance
  double moving_share = 1e-3;  ///< of what loads alone would bring about: what moves faster does not rest
};

/// Caller-owned memory that keeps its capacity from island to island.
class LaneIsland {
 public:
  /// Who shares the work; null: the caller alone.
  void share_with(Workers* workers) { lanes_.share_with(workers); }

  /// Takes the last step's impulses where they are the answer again, within the goal's tolerance and without a repair
  /// to be made: a pile at rest costs one look. False, with `answer` in disorder, elsewhere.
  bool settle(const StepProblem& problem, const contact::Island& island, const LaneIslandGoal& goal,
              const RepairOptions& repair, ImpulseMemory& memory, StepAnswer& answer, IslandReport& report);

  /// Solves the island into `answer` and `report`, and moves overlapping bodies apart. False, with `answer` as it was,
  /// where lanes cannot take it, or where sweeps end far from an answer that factorisations find cheaply.
  bool solve(const StepProblem& problem, const contact::Island& island, const LaneIslandGoal& goal,
             ImpulseMemory& memory, StepAnswer& answer, IslandReport& report);

 private:
  bool begin(const StepProblem& problem, const contact::Island& island, const LaneIslandGoal& goal,
             const ImpulseMemory& memory);
  bool recall(const StepProblem& problem, const contact::Island& island, const ImpulseMemory& memory);

  solvers::FreeLanes lanes_;
  bool known_ = false;          // some contacts have impulses to start from
  double guess_tolerance_ = 0;  // residual at which those are the answer
};

}  // namespace stiction::methods
