// What a method is to the simulation: islands of a StepProblem in, velocities and impulses out.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "stiction/contact/assemble.h"
#include "stiction/contact/islands.h"
#include "stiction/methods/existence.h"
#include "stiction/methods/options.h"
#include "stiction/methods/scheme.h"
#include "stiction/solvers/report.h"

namespace stiction::methods {

/// How one island was solved.
struct IslandReport {
  solvers::SolveReport solve = {};
  std::string_view solver = {};    ///< the algorithm that gave the answer; empty: the method has but one
  std::string_view fallback = {};  ///< name of the fallback that gave the answer; empty: none was needed
  Existence existence = Existence::unchecked;
};

/// What the rows of a problem were made of; lives as long as the problem's islands are solved.
struct StepContext {
  const Model& model;
  const State& state;                          ///< at the start of the step
  const Kinematics& kinematics;                ///< of that state
  std::span<const contact::Contact> contacts;  ///< one for each of StepProblem::contacts
};

/// One published method, with the memory it keeps from step to step.
class Method {
 public:
  virtual ~Method() = default;

  /// What the method wants of the rows.
  virtual contact::AssemblyOptions assembly_options() const { return {}; }

  /// What the method wants of the step around them.
  virtual StepScheme scheme() const { return {}; }

  /// How the step advances orientations with the velocities that the method answers.
  virtual Representation representation() const { return Representation::exponential; }

  /// Called before begin(): for methods that ask more of the bodies than their rows say.
  virtual void set_context(const StepContext&) {}

  /// Called once a problem, before its islands.
  virtual void begin(const StepProblem& problem) = 0;

  /// Writes the island's part of v_end and impulse (and of `position`, which holds one zero a velocity). Islands may be solved at the same time, each `worker`
  /// (0..threads-1) one at a time; the answer must not depend on the worker.
  virtual IslandReport solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                    StepAnswer& answer) = 0;

  /// Who takes a step that this method cannot solve, however short; null: nobody.
  virtual Method* last_resort() { return nullptr; }

  /// Called when the step is taken: the place to keep warm starts.
  virtual void accept(const StepProblem& problem) = 0;

  /// Called when the state comes from elsewhere: forgets what is part of the motion; warm starts may stay.
  virtual void restart() {}
};

/// The method of that name (one of available_method_names()) with one of its method_solvers(), for up to `threads`
/// workers.
std::unique_ptr<Method> make_method(std::string_view name, const MethodOptions& options, std::string_view solver,
                                    int threads);

}  // namespace stiction::methods
