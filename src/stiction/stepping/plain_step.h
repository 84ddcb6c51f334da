// The plain step, and the arrows that other kinds of step bend; plain_step.cc is the page that shows them in order.
#pragma once

#include <memory>
#include <optional>

#include "stiction/math/representation.h"
#include "stiction/stepping/step_scratch.h"
#include "stiction/stepping/stepper.h"

namespace stiction {

/// What a plain step is made with.
struct PlainStepOptions {
  int threads = 1;                                              ///< >= 1: islands solved at the same time
  Representation representation = Representation::exponential;  ///< how orientations advance
  bool explain = true;                                          ///< a failure is put into words
};

/// From the state at the start of a step to that at its end, in one problem.
class PlainStep : public Stepper {
 public:
  PlainStep(const Model& model, std::unique_ptr<IslandSolver> solver, const PlainStepOptions& options);

  StepOutcome advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                      StepRecord& record) override;

  /// All of a step but the last arrow: the answer is in `record`, state and memory are as they were.
  StepOutcome solve(const StepInput& input, const State& state, const contact::ContactMemory& memory,
                    StepRecord& record);

  /// The last arrow: makes the step that `record` describes the state.
  void take(double h, State& state, contact::ContactMemory& memory, StepRecord& record);

  const Model& model() const { return model_; }
  const PlainStepOptions& options() const { return options_; }
  IslandSolver& solver() { return *solver_; }
  StepScratch& scratch() { return scratch_; }

 protected:
  /// The motion that contacts and joints then change, into scratch().free_motion: under all loads.
  virtual void move_freely(const StepInput& input, const State& state);

  /// Velocity-level rows only: leaves in `contacts` what takes part.
  virtual void keep_taking_part(double h, std::vector<contact::Contact>& contacts);

  /// Last changes of the problem before it is solved.
  virtual void amend(StepProblem&) {}

  /// A reason not to solve it at all; none: go on.
  virtual std::optional<StepOutcome> refuse(const State&, const StepRecord&) { return {}; }

  /// Where the answer leads: scratch().q_next and v_next, record.v_position. Returns a joint of singular orientation.
  virtual std::optional<int> follow_answer(const StepInput& input, const State& state, StepRecord& record);

  /// The certificate of what was found; may take back `outcome.ok`, and says why.
  virtual void judge(const StepInput& input, const State& state, std::optional<int> singular_joint,
                     StepOutcome& outcome, StepRecord& record);

 private:
  void look_around(const StepInput& input, const State& state, const contact::ContactMemory& memory,
                   StepRecord& record);
  void assemble(const StepInput& input, const State& state, const contact::ContactMemory& memory, StepRecord& record);

  const Model& model_;
  PlainStepOptions options_;
  std::unique_ptr<IslandSolver> solver_;
  StepScratch scratch_;
};

}  // namespace stiction
