// What solves the islands of a step: rows in, velocities and impulses out. A method is one of these inside a Stepper.
#pragma once

#include <span>
#include <string_view>

#include "stiction/contact/anchors.h"
#include "stiction/contact/assemble.h"
#include "stiction/contact/contact_memory.h"
#include "stiction/contact/islands.h"
#include "stiction/solvers/report.h"
#include "stiction/stepping/existence/existence.h"
#include "stiction/stepping/fallback.h"

namespace stiction {

class StageTimes;
class Workers;

/// How one island was solved.
struct IslandReport {
  solvers::SolveReport solve = {};
  std::string_view solver = {};  ///< the algorithm that gave the answer; empty: the method has but one
  Fallback fallback = Fallback::none;
  Existence existence = Existence::unchecked;
  std::string_view repair = {};  ///< what moved positions apart; empty: nothing to repair
  int repair_iterations = 0;

  /// The fallback as runs count it.
  FallbackOf fallback_of() const { return {fallback, fallback == Fallback::rung ? std::string(solver) : ""}; }
};

/// What the rows of a problem were made of, and what the last step left; lives as long as its islands are solved.
struct StepContext {
  const Model& model;
  const State& state;                          ///< at the start of the step
  const Kinematics& kinematics;                ///< of that state
  std::span<const contact::Contact> contacts;  ///< one for each of StepProblem::contacts
  const contact::ContactMemory& memory;        ///< of the last step that was taken
  StageTimes* times = nullptr;                 ///< null: nobody asks for times
  int pass = 0;                                ///< how often this step has been solved already, with fewer contacts
  Workers* workers = nullptr;                  ///< share the work of one island; null: the caller alone
};

/// Solves islands one by one. Between steps it remembers nothing that could change a bit: that is in the ContactMemory.
class IslandSolver {
 public:
  virtual ~IslandSolver() = default;

  /// What the solver wants of the rows.
  virtual contact::AssemblyOptions assembly_options() const { return {}; }

  /// Slip below this fraction of the step's velocities is what the solver leaves of contacts that stick.
  virtual double slip_tolerance() const { return contact::stick_fraction; }

  /// Would all workers share the work of an island with so many contacts? Others are solved side by side.
  virtual bool shares_island(size_t) const { return false; }

  /// Called once per problem, before its islands. The context outlives their solution.
  virtual void begin(const StepProblem& problem, const StepContext& context) = 0;

  /// Writes the island's part of v_end and impulse (and of `position`, which holds one zero per velocity). Islands may
  /// be solved at the same time, each `worker` (0..threads-1) one at a time; the answer must not depend on the worker.
  virtual IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                    StepAnswer& answer) = 0;

  /// Called when the step is taken: moves what this problem's islands leave for the next step into `memory`.
  virtual void keep(contact::ContactMemory& memory) = 0;
};

}  // namespace stiction
