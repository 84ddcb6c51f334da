#include "stiction/stepping/halve_until_solved.h"

#include "stiction/stepping/solve_islands.h"
#include "stiction/stepping/step_failure.h"

namespace stiction {

namespace {

// Times that a step is halved beyond the method's own number, where its last resort fails too.
constexpr int spare_halvings = 5;

}  // namespace

HalveUntilSolved::HalveUntilSolved(std::unique_ptr<EndOfStep> whole, std::unique_ptr<PlainStep> last_resort,
                                   int halvings)
    : whole_(std::move(whole)),
      last_resort_(std::move(last_resort)),
      halvings_(halvings),
      halves_(static_cast<size_t>(halvings + spare_halvings + 1)) {}

StepOutcome HalveUntilSolved::advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                                      StepRecord& record) {
  resorted_ = false;
  return advance_part(input, halvings_, state, memory, record);
}

StepOutcome HalveUntilSolved::advance_part(const StepInput& input, int halvings, State& state,
                                           contact::ContactMemory& memory, StepRecord& record) {
  StepOutcome outcome = whole_->advance(input, state, memory, record);
  if (outcome.ok) return outcome;
  if (halvings <= 0 || outcome.overlapping) {
    outcome = resort(input, outcome.overlapping, state, memory, record);
    resorted_ |= outcome.ok;
    if (outcome.ok) return outcome;
  }
  if (halvings <= -spare_halvings) return outcome;
  return advance_halves(input, halvings, state, memory, record);
}

StepOutcome HalveUntilSolved::advance_halves(const StepInput& input, int halvings, State& state,
                                             contact::ContactMemory& memory, StepRecord& record) {
  StepInput part = input;
  part.h = input.h / 2;
  Half& half = halves_[static_cast<size_t>(halvings + spare_halvings)];
  half.state = state;
  half.memory = memory;
  const StepOutcome first = advance_part(part, halvings - 1, half.state, half.memory, record);
  if (!first.ok) return first;
  certify::StepCertificate worst = record.certificate;
  StepOutcome outcome = advance_part(part, halvings - 1, half.state, half.memory, record);
  if (!outcome.ok) return outcome;
  worst.merge(record.certificate);
  record.certificate = worst;
  outcome.parts += first.parts;
  outcome.iterations += first.iterations;
  report_fallback(resorted_ ? Fallback::exact_cone : Fallback::halved, record);
  outcome.fallbacks = 1;
  std::swap(state, half.state);
  memory = half.memory;  // a copy: each place keeps the memory that it has grown to
  return outcome;
}

// The last resort's bodies must not pass through each other either; that cannot be told where they overlap already.
StepOutcome HalveUntilSolved::resort(const StepInput& input, bool overlapping, State& state,
                                     contact::ContactMemory& memory, StepRecord& record) {
  StepOutcome outcome = last_resort_->solve(input, state, memory, record);
  if (!outcome.ok) return outcome;
  if (!overlapping && whole_->passes_through(state, input.h, *last_resort_, record)) {
    outcome.ok = false;
    outcome.failure = describe_passage(state);
    return outcome;
  }
  report_fallback(overlapping ? Fallback::overlap : Fallback::exact_cone, record);
  outcome.fallbacks = 1;
  last_resort_->take(input.h, state, memory, record);
  return outcome;
}

}  // namespace stiction
