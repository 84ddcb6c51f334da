// One step, from top to bottom; docs/architecture.md walks through it.
//
//     state -> kinematics -> free motion -> contacts -> problem -> islands solved -> next state -> certificate -> state
//
// Nothing is changed before the last arrow: a step that fails leaves state and memory as they were. A pass over
// contacts, problem and islands is repeated where its answer would run into something that was out of reach before.
#include "stiction/stepping/plain_step.h"

#include "stiction/base/stage_times.h"
#include "stiction/stepping/contact_search.h"
#include "stiction/stepping/solve_islands.h"
#include "stiction/stepping/step_failure.h"

namespace stiction {

namespace {

constexpr int max_passes = 4;  // each pass adds contacts that the last answer would have run into

}  // namespace

PlainStep::PlainStep(const Model& model, std::unique_ptr<IslandSolver> solver, const PlainStepOptions& options)
    : model_(model), options_(options), solver_(std::move(solver)), scratch_(model, options.threads) {}

StepOutcome PlainStep::advance(const StepInput& input, State& state, contact::ContactMemory& memory,
                               StepRecord& record) {
  StepOutcome outcome = solve(input, state, memory, record);
  if (outcome.ok) take(input.h, state, memory, record);
  return outcome;
}

StepOutcome PlainStep::solve(const StepInput& input, const State& state, const contact::ContactMemory& memory,
                             StepRecord& record) {
  move_freely(input, state);
  if (!scratch_.free_motion.v_free.allFinite()) {  // a controller's, or a state that was not finite
    return {.failure = describe_not_finite(model_, state, scratch_.free_motion.v_free, state.q)};
  }
  record.problem.mass.resize(model_.mass_size);
  crba(model_, scratch_.kinematics, scratch_.free_motion.implicit_diagonal, scratch_.free_motion.recursion,
       record.problem.mass);
  look_around(input, state, memory, record);
  const bool may_miss = !solver_->assembly_options().velocity_level;
  int pass = 0, iterations = 0;
  do {
    assemble(input, state, memory, record);
    if (const auto refused = refuse(state, record)) return *refused;
    solve_islands(*solver_,
                  {model_, state, scratch_.kinematics, record.contacts, memory, input.times, pass, &scratch_.workers},
                  record);
    iterations += summarize(record, ++pass).iterations;
  } while (may_miss && all_solved(record) && pass < max_passes &&
           missed_something(model_, state, record.answer.v_end, input.h, memory, scratch_, record.contacts));

  StepOutcome outcome = summarize(record, pass);
  outcome.iterations = iterations;  // a pass that was solved again with more contacts has cost its share
  const std::optional<int> singular_joint = follow_answer(input, state, record);
  outcome.ok = all_solved(record) && !singular_joint && scratch_.q_next.allFinite() && scratch_.v_next.allFinite();
  judge(input, state, singular_joint, outcome, record);
  return outcome;
}

void PlainStep::take(double h, State& state, contact::ContactMemory& memory, StepRecord& record) {
  solver_->keep(memory);
  memory.anchors.keep(scratch_.kinematics, record.contacts, record.problem, record.answer, solver_->slip_tolerance(),
                      scratch_.anchors);
  memory.layers.keep(record.problem, record.answer);
  state.q.swap(scratch_.q_next);
  state.v = scratch_.v_next;
  state.time += h;
}

void PlainStep::move_freely(const StepInput& input, const State& state) {
  const StageTimer timer(input.times, Stage::free_motion);
  StepScratch& s = scratch_;
  update_kinematics(model_, state, input.h, s.kinematics);
  s.forces.gather(model_, state, s.kinematics, input.force);
  compute_free_motion(model_, state, input.h, s.forces.total, s.kinematics, s.free_motion);
}

void PlainStep::keep_taking_part(double h, std::vector<contact::Contact>& contacts) {
  keep_active(model_, h, scratch_, contacts);
}

// Detects what the step from `state` can run into: with the free motion, at velocity level also with that of the start.
void PlainStep::look_around(const StepInput& input, const State& state, const contact::ContactMemory& memory,
                            StepRecord& record) {
  StepScratch& s = scratch_;
  s.detection.times = input.times;
  record.contacts_of = ContactsOf::start;
  std::fill(s.assembly.forced_limit.begin(), s.assembly.forced_limit.end(), 0);
  update_velocities(model_, s.free_motion.v_free, s.kinematics);
  contact::set_reach(model_, s.kinematics, input.h, s.detection);
  if (!solver_->assembly_options().velocity_level) return find_contacts(model_, memory, s, record.contacts);
  update_velocities(model_, state.v, s.kinematics);
  contact::grow_reach(model_, s.kinematics, input.h, s.detection);
  find_contacts(model_, memory, s, record.contacts);
  keep_taking_part(input.h, record.contacts);
}

void PlainStep::assemble(const StepInput& input, const State& state, const contact::ContactMemory& memory,
                         StepRecord& record) {
  const StageTimer timer(input.times, Stage::assembly);
  StepScratch& s = scratch_;
  contact::assemble_problem(model_, state, s.kinematics, s.free_motion, record.contacts, input.h,
                            solver_->assembly_options(), s.assembly, record.problem);
  amend(record.problem);
  memory.layers.recall(record.problem);
  record.islands.update(record.problem);
}

std::optional<int> PlainStep::follow_answer(const StepInput& input, const State& state, StepRecord& record) {
  const StageTimer timer(input.times, Stage::integrate);
  scratch_.v_next = record.answer.v_end;
  scratch_.q_next = state.q;
  record.v_position = record.answer.v_end + record.answer.position;
  return integrate_positions(model_, record.v_position, input.h, options_.representation, scratch_.q_next);
}

void PlainStep::judge(const StepInput& input, const State& state, std::optional<int> singular_joint,
                      StepOutcome& outcome, StepRecord& record) {
  const StageTimer timer(input.times, Stage::certificate);
  // Layers are laws of the end of a step: without an end there is nothing to judge.
  record.certificate = {};
  if (outcome.ok || record.problem.layers.empty()) {
    record.certificate = certify::certify_step(record.problem, record.answer, scratch_.certify);
  }
  if (outcome.ok || !options_.explain) return;
  outcome.failure = describe_failure(model_, state, singular_joint, scratch_, record);
}

}  // namespace stiction
