// Steps of motion that goes from event to event (event_loop.h), with a plain step as the last resort.
#pragma once

#include "stiction/events/event_loop.h"
#include "stiction/stepping/plain_step.h"

namespace stiction {

/// A step whose events have no end, or no modes, is taken at once by the last resort, whose solver also resolves
/// instants that neither modes nor the impact law do.
class EventStepper final : public Stepper {
 public:
  EventStepper(const Model& model, const EventDrivenOptions& options, std::unique_ptr<PlainStep> last_resort);

  StepOutcome advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                      StepRecord& record) override;
  std::string_view impact_model() const override { return impact_rule_name(options_.rule); }
  std::string_view integrator() const override { return "adaptive-runge-kutta"; }
  bool hands_on() const override { return true; }
  const StepEvents* events() const override { return &work_.last; }

 private:
  StepOutcome resort(const StepInput& input, const StepOutcome& outcome, State& state, contact::ContactMemory& memory,
                     StepRecord& record);

  const Model& model_;
  EventDrivenOptions options_;
  std::unique_ptr<PlainStep> last_resort_;
  EventWork work_;
  State trial_;
};

}  // namespace stiction
