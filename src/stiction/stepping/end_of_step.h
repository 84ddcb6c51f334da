// A step whose contacts are those of its end (chakraborty2007): solved for the pieces of bodies that face each other,
// then measured at its end with all of the bodies, and only taken where the measurement bears the answer out.
#pragma once

#include "stiction/stepping/plain_step.h"

namespace stiction {

/// A plain step that looks at its end.
class EndOfStep final : public PlainStep {
 public:
  /// `judged_by_end`: a step that the certificate refutes at its end is not solved.
  EndOfStep(const Model& model, std::unique_ptr<IslandSolver> solver, const PlainStepOptions& options,
            bool judged_by_end);

  bool judges_the_end() const override { return true; }

  /// True when bodies pass through each other in the step that `record` describes and `stepper` solved.
  bool passes_through(const State& start, double h, PlainStep& stepper, const StepRecord& record);

 protected:
  std::optional<StepOutcome> refuse(const State& state, const StepRecord& record) override;
  void judge(const StepInput& input, const State& state, std::optional<int> singular_joint, StepOutcome& outcome,
             StepRecord& record) override;

 private:
  bool judged_by_end_;
  Kinematics end_;  // scratch
  VectorX q_;
};

}  // namespace stiction
