#include "stiction/stepping/end_of_step.h"

#include <algorithm>

#include "stiction/stepping/end_geometry.h"
#include "stiction/stepping/step_failure.h"

namespace stiction {

namespace {

// A step with the contacts of its end is solved when its certificate, measured anew there, is below this; overlap (m)
// below this, where there was none.
constexpr double largest_end_residual = 1e-8, largest_end_overlap = 1e-9;
// m: bodies that overlap by more at the start of such a step are moved apart by the last resort first.
constexpr double largest_start_overlap = 1e-6;

// Deepest overlap of rigid contacts.
double rigid_overlap(const StepProblem& problem) {
  double deepest = 0;
  for (const ContactRows& contact : problem.contacts) {
    if (contact.layers[0] < 0 && contact.layers[1] < 0) deepest = std::max(deepest, -contact.gap);
  }
  return deepest;
}

}  // namespace

EndOfStep::EndOfStep(const Model& model, std::unique_ptr<IslandSolver> solver, const PlainStepOptions& options,
                     bool judged_by_end)
    : PlainStep(model, std::move(solver), options), judged_by_end_(judged_by_end), end_(make_kinematics(model)) {}

bool EndOfStep::passes_through(const State& start, double h, PlainStep& stepper, const StepRecord& record) {
  return stiction::passes_through(model(), start, h, stepper.scratch(), record, end_, q_);
}

std::optional<StepOutcome> EndOfStep::refuse(const State& state, const StepRecord& record) {
  const double overlap = rigid_overlap(record.problem);
  if (overlap <= largest_start_overlap) return {};
  StepOutcome outcome{.overlapping = true};
  if (options().explain) outcome.failure = describe_overlap(state, overlap);
  return outcome;
}

// The method solves for the pieces of bodies that face each other at the start. Measured at the end, with all of the
// bodies, its answer may not hold: a step so long that other pieces, or the far side, have come to face each other.
void EndOfStep::judge(const StepInput& input, const State& state, std::optional<int> singular_joint,
                      StepOutcome& outcome, StepRecord& record) {
  if (!outcome.ok) return PlainStep::judge(input, state, singular_joint, outcome, record);
  if (passes_through(state, input.h, *this, record)) {
    outcome.ok = false;
    if (options().explain) outcome.failure = describe_passage(state);
    return;
  }
  const double overlap = restate_at_end(model(), state, input.h, scratch(), end_, record);
  PlainStep::judge(input, state, singular_joint, outcome, record);
  const bool refuted = judged_by_end_ && record.certificate.worst() > largest_end_residual;
  if (!refuted && overlap <= largest_end_overlap) return;
  outcome.ok = false;
  if (options().explain) outcome.failure = describe_refuted(state, record.certificate.worst(), overlap);
}

}  // namespace stiction
