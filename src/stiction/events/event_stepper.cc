#include "stiction/events/event_stepper.h"

#include "stiction/base/stage_times.h"
#include "stiction/stepping/solve_islands.h"

namespace stiction {

EventStepper::EventStepper(const Model& model, const EventDrivenOptions& options,
                           std::unique_ptr<PlainStep> last_resort)
    : model_(model), options_(options), last_resort_(std::move(last_resort)), work_(model) {}

StepOutcome EventStepper::advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                                  StepRecord& record) {
  StepOutcome outcome;
  {
    const StageTimer timer(input.times, Stage::events);
    static_cast<contact::ModeMemory&>(work_) = memory.modes;
    trial_ = state;
    advance_by_events(model_, options_, last_resort_->solver(), input, memory, trial_, work_, record, outcome);
  }
  if (!outcome.ok) return resort(input, outcome, state, memory, record);
  std::swap(state, trial_);
  memory.modes = work_;
  memory.anchors.clear();  // of contacts that a last resort left behind; they have moved on
  return outcome;
}

StepOutcome EventStepper::resort(const StepInput& input, const StepOutcome& outcome, State& state,
                                 contact::ContactMemory& memory, StepRecord& record) {
  work_.last.events.clear();
  work_.last.impacts.clear();
  StepOutcome resorted = last_resort_->advance(input, state, memory, record);
  if (!resorted.ok) {
    resorted.failure = outcome.failure + "; " + resorted.failure;
    return resorted;
  }
  report_fallback(Fallback::exact_cone, record);
  resorted.fallbacks = 1;
  memory.modes.modes = {};  // it leaves other contacts behind
  memory.modes.tracked.clear();
  return resorted;
}

}  // namespace stiction
