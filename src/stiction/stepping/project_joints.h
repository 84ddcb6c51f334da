// Closing joints put right after steps that hold them at velocity level only (anitescu1998, section 2.5).
#pragma once

#include "stiction/stepping/projection.h"

namespace stiction {

/// Another stepper's steps, and the projection of closing joints after every `interval` of them.
class ProjectJoints final : public Stepper {
 public:
  /// `interval` >= 1.
  ProjectJoints(const Model& model, std::unique_ptr<Stepper> inner, int interval);

  StepOutcome advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                      StepRecord& record) override;
  std::string_view impact_model() const override { return inner_->impact_model(); }
  std::string_view integrator() const override { return inner_->integrator(); }

 private:
  const Model& model_;
  std::unique_ptr<Stepper> inner_;
  int interval_;
  ProjectionWorkspace projection_;
};

}  // namespace stiction
