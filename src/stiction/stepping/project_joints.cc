#include "stiction/stepping/project_joints.h"

#include "stiction/base/stage_times.h"

namespace stiction {

namespace {

// Joints are put right to this (m or rad), in at most so many Newton steps.
constexpr double projection_tolerance = 1e-13;
constexpr int projection_steps = 4;
// What is left above this is not rounding: the joints contradict each other, or are too far off.
constexpr double open_tolerance = 1e-9;

}  // namespace

ProjectJoints::ProjectJoints(const Model& model, std::unique_ptr<Stepper> inner, int interval)
    : model_(model), inner_(std::move(inner)), interval_(interval), projection_(model) {}

StepOutcome ProjectJoints::advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                                   StepRecord& record) {
  StepOutcome outcome = inner_->advance(input, state, memory, record);
  if (!outcome.ok || model_.loop_joints.empty() || (input.index + 1) % interval_ != 0) return outcome;
  const StageTimer timer(input.times, Stage::repair);
  const double left = project_constraints(model_, state, projection_tolerance, projection_steps, projection_);
  if (left <= open_tolerance) return outcome;
  outcome.open_joint = most_violated_joint(model_, state, projection_);
  outcome.joint_violation = left;
  return outcome;
}

}  // namespace stiction
