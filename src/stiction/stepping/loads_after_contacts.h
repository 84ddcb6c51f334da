// A step that handles contacts on the velocities of its start, before any load acts (drumwright2009, hahn1988,
// mirtich1996); loads then move the bodies from (q, v+) to the end of the step.
#pragma once

#include "stiction/stepping/integrator.h"
#include "stiction/stepping/plain_step.h"

namespace stiction {

/// A plain step without free motion, whose loads act when its answer is followed.
class LoadsAfterContacts final : public PlainStep {
 public:
  LoadsAfterContacts(const Model& model, std::unique_ptr<IslandSolver> solver, const PlainStepOptions& options,
                     Integrator integrator);

  std::string_view integrator() const override { return integrator_name(integrator_); }

 protected:
  void move_freely(const StepInput& input, const State& state) override;
  std::optional<int> follow_answer(const StepInput& input, const State& state, StepRecord& record) override;

 private:
  void follow_euler(const StepInput& input, const State& state, StepRecord& record);
  void follow_runge_kutta(const StepInput& input, const State& start, StepRecord& record);

  Integrator integrator_;
  State stage_;            // after the contacts, or of a Runge-Kutta stage
  Kinematics kinematics_;  // of that stage
  VectorX rate_, moved_, acceleration_, mean_rate_, mean_acceleration_;  // v_size
};

}  // namespace stiction
