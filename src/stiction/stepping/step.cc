#include "stiction/stepping/step.h"
#include "stiction/stepping/end_geometry.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "stiction/contact/continuous.h"
#include "stiction/events/event_loop.h"
#include "stiction/stepping/existence_summary.h"
#include "stiction/stepping/impact.h"
#include "stiction/stepping/integrate.h"
#include "stiction/stepping/projection.h"
#include "stiction/stepping/solve_islands.h"

namespace stiction {

namespace {

// Joints are put right to this (m or rad), in at most so many Newton steps.
constexpr double projection_tolerance = 1e-13;
constexpr int projection_steps = 4;
// What is left above this is not rounding: the joints contradict each other, or are too far off.
constexpr double open_tolerance = 1e-9;

// A step with more impacts than this ends inelastic.
constexpr int least_parts = 32, parts_of_a_body = 16;
// Cuts for pairs without restitution: a rocking box touches again and again, and is as well served by the trigger.
constexpr int most_inelastic_parts = 8;
// Impacts at one configuration that one impact may bring about.
constexpr int impact_rounds = 4;
// Solves of a part whose end depends on its own answer.
constexpr int max_cuts = 4;

// A step with the contacts of its end is solved when its certificate, measured anew there, is below this; overlap (m)
// below this, where there was none.
constexpr double largest_end_residual = 1e-8, largest_end_overlap = 1e-9;
// m: bodies that overlap by more at the start of such a step are moved apart by the last resort first.
constexpr double largest_start_overlap = 1e-6;
// Times that a step is halved beyond the method's own number, where its last resort fails too.
constexpr int spare_halvings = 5;

constexpr int max_passes = 4;  // each pass adds contacts that the last answer would have run into

// m: gaps that the rounding of positions may open.
constexpr double gap_rounding = 1e-12;

void find_contacts(const Model& model, StepWorkspace& w) {
  contact::detect_contacts(model, w.kinematics, w.detection, w.contacts);
  w.anchors.measure(model, w.kinematics, w.contacts);
}

// The active set of anitescu1998 (14): f(q + h v) <= 0 with v of the start of the step, in w.kinematics.
void keep_active(const Model& model, double h, bool continuous, StepWorkspace& w) {
  if (continuous) return contact::keep_touching(model, w.kinematics, h, w.whole_step, w.cut_inelastic, w.contacts);
  std::erase_if(w.contacts, [&](const contact::Contact& c) {
    return c.gap + h * contact::closing_speed(model, w.kinematics, c) > gap_rounding;
  });
}

// True when v_end moves bodies or joints so far that contacts or limits may have been left out.
bool missed_something(const Model& model, const State& state, double h, StepWorkspace& w) {
  update_velocities(model, w.answer.v_end, w.kinematics);
  const size_t contacts = w.contacts.size();
  bool missed = contact::force_missed_limits(model, state, w.kinematics, w.answer.v_end, h, w.assembly);
  if (contact::grow_reach(model, w.kinematics, h, w.detection)) {
    find_contacts(model, w);
    missed |= w.contacts.size() != contacts;
  }
  return missed;
}

std::string body_name(const Model& model, int body) {
  return body < 0 ? "world" : model.bodies[body].name;
}

std::string describe_island(const Model& model, const StepWorkspace& w, const contact::Island& island) {
  std::string text = "; bodies involved:";
  for (const std::string& name : island_bodies(model, island)) text += fmt::format(" [{}]", name);
  if (!island.contacts.empty()) text += "; contacts involved:";
  for (const int c : island.contacts) {
    const contact::Contact& contact = w.contacts[c];
    text += fmt::format(" [{} - {}, gap {:.3g} m]", body_name(model, contact.body_A), body_name(model, contact.body_B),
                        contact.gap);
  }
  if (!island.bilaterals.empty() || !island.scalars.empty()) text += "; joints involved:";
  for (const int b : island.bilaterals) {
    text += fmt::format(" [{}, closing]", model.loop_joints[w.assembly.bilateral_joint[b]].name);
  }
  for (const int k : island.scalars) {
    const contact::ScalarSource& source = w.assembly.scalar_source[k];
    const Joint& joint = source.loop_joint ? model.loop_joints[source.joint] : model.tree_joints[source.joint];
    const bool limit = w.problem.scalars[k].kind == ScalarRow::Kind::limit;
    text += fmt::format(" [{}, {}]", joint.name, limit ? "limit" : "friction");
  }
  return text;
}

// Names the bodies whose velocity or next configuration is not finite.
std::string describe_not_finite(const Model& model, const State& state, const VectorX& v, const VectorX& q) {
  std::string text =
      fmt::format("step at t = {:.9g} s gave velocities that are not finite; bodies involved:", state.time);
  for (const Joint& joint : model.tree_joints) {
    const bool finite =
        v.segment(joint.v_offset, joint.v_size).allFinite() && q.segment(joint.q_offset, joint.q_size).allFinite();
    if (!finite) text += fmt::format(" [{}]", body_name(model, joint.child));
  }
  return text;
}

// Names the joint, or the free body, whose orientation the method's representation cannot express.
std::string describe_singular(const Model& model, const State& state, int joint_index) {
  const Joint& joint = model.tree_joints[joint_index];
  std::string of = fmt::format("body [{}]", body_name(model, joint.child));
  if (!joint.implicit) of += fmt::format(" in joint [{}]", joint.name);
  return fmt::format(
      "step at t = {:.9g} s not taken: the Euler angles of {} are singular, pitch is 90 degrees up or down; "
      "remedy: take representation quaternion, matrix, rodrigues or exponential instead of euler",
      state.time, of);
}

// A claim that the measured end of the step does not bear out.
std::string describe_refuted(const State& state, double residual, double overlap) {
  return fmt::format(
      "step at t = {:.9g} s not taken: at its end the contacts are not those that were solved for (residual {:.2g}, "
      "overlap {:.2g} m); remedy: take a shorter step",
      state.time, residual, overlap);
}

// Names the first island without an answer: its bodies, contacts and joints; or else the joint that is singular.
std::string describe_failure(const Model& model, const State& state, std::optional<int> singular_joint,
                             const StepWorkspace& w) {
  for (int i = 0; i < w.islands.count(); ++i) {
    const solvers::SolveReport& report = w.reports[i].solve;
    if (report.termination == solvers::Termination::solved) continue;
    const std::string residual = report.residual >= 0 ? fmt::format(", residual {:.2g}", report.residual) : "";
    const std::string_view existence = methods::existence_clause(w.reports[i].existence);
    return fmt::format("step at t = {:.9g} s not solved ({} after {} iterations{}{}{})", state.time,
                       solvers::termination_name(report.termination), report.iterations, residual,
                       existence.empty() ? "" : "; ", existence) +
           describe_island(model, w, w.islands[i]);
  }
  if (singular_joint && w.v_position.allFinite()) return describe_singular(model, state, *singular_joint);
  return describe_not_finite(model, state, w.v_position, w.q_next);
}

StepOutcome summarize(const StepWorkspace& w, int passes) {
  StepOutcome outcome;
  outcome.passes = passes;
  outcome.islands = w.islands.count();
  for (const methods::IslandReport& report : w.reports) {
    outcome.iterations += report.solve.iterations;
    outcome.warm_started += report.solve.warm_started ? 1 : 0;
    outcome.fallbacks += report.fallback.empty() ? 0 : 1;
  }
  return outcome;
}

}  // namespace

StepWorkspace make_step_workspace(const Model& model) {
  StepWorkspace w;
  w.kinematics = make_kinematics(model);
  w.end_kinematics = make_kinematics(model);
  w.free_motion = make_free_motion(model);
  w.detection = contact::make_detection(model);
  w.assembly = contact::make_assembly(model);
  w.problem.mass.resize(model.mass_size);
  w.projection.problem.mass.resize(model.mass_size);
  w.projection.assembly = contact::make_assembly(model);
  w.q_next.resize(model.q_size);
  w.controller_force.assign(model.v_size, 0.0);
  w.applied_force.assign(model.v_size, 0.0);
  w.controllers = make_controller_workspace(model);
  return w;
}

namespace {

// Detects what the step from `state` can run into.
void prepare_contacts(const Model& model, const methods::Method& method, const State& state, double h, bool continuous,
                      StepWorkspace& w) {
  std::fill(w.assembly.forced_limit.begin(), w.assembly.forced_limit.end(), 0);
  update_velocities(model, w.free_motion.v_free, w.kinematics);
  contact::set_reach(model, w.kinematics, h, w.detection);
  if (!method.assembly_options().velocity_level) return find_contacts(model, w);
  update_velocities(model, state.v, w.kinematics);
  contact::grow_reach(model, w.kinematics, h, w.detection);
  find_contacts(model, w);
  keep_active(model, h, continuous, w);
}

// Deepest overlap of rigid contacts.
double rigid_overlap(const StepWorkspace& w) {
  double deepest = 0;
  for (const ContactRows& contact : w.problem.contacts) {
    if (contact.layers[0] < 0 && contact.layers[1] < 0) deepest = std::max(deepest, -contact.gap);
  }
  return deepest;
}

// The method solves for the pieces of bodies that face each other at the start. Measured at the end, with all of the
// bodies, its answer may be none: a step so long that other pieces, or the far side, have come to face each other.
bool end_is_as_claimed(const methods::StepScheme& scheme, const certify::StepCertificate& certificate,
                       double end_overlap) {
  return (!scheme.judged_by_end || certificate.worst() <= largest_end_residual) && end_overlap <= largest_end_overlap;
}

// The motion that contacts and joints then change: under all loads, or under none where loads come after contacts.
void move_freely(const Model& model, const methods::StepScheme& scheme, const State& state, double h,
                 StepWorkspace& w) {
  if (scheme.contacts_first) {
    w.free_motion.v_free = state.v;
    w.free_motion.external_impulse.setZero();
    std::fill(w.free_motion.implicit_diagonal.begin(), w.free_motion.implicit_diagonal.end(), 0.0);
    return;
  }
  gather_applied_forces(model, state, w.kinematics, w);
  compute_free_motion(model, state, h, w.applied_force, w.kinematics, w.free_motion);
}

// Where the answer leads: w.q_next and w.v_next. Returns a joint whose orientation is singular.
std::optional<int> follow_answer(const Model& model, methods::Method& method, const State& state, double h,
                                 StepWorkspace& w) {
  const methods::StepScheme scheme = method.scheme();
  if (scheme.contacts_first) {
    return integrate_loads(model, scheme.integrator, method.representation(), state, w.answer.v_end, h, w);
  }
  w.v_next = w.answer.v_end;
  w.q_next = state.q;
  w.v_position = w.answer.v_end + w.answer.position;
  return integrate_positions(model, w.v_position, h, method.representation(), w.q_next);
}

// From `state` over h to w.answer and w.q_next; the state is left as it is. `explain` says why where that fails.
StepOutcome solve_step(const Model& model, methods::Method& method, double h, int threads, bool continuous,
                       const State& state, StepWorkspace& w, bool explain = true) {
  update_kinematics(model, state, h, w.kinematics);
  move_freely(model, method.scheme(), state, h, w);
  if (!w.free_motion.v_free.allFinite()) {  // a controller's, or a state that was not finite
    StepOutcome outcome;
    outcome.failure = describe_not_finite(model, state, w.free_motion.v_free, state.q);
    return outcome;
  }
  crba(model, w.kinematics, w.free_motion.implicit_diagonal, w.free_motion.recursion, w.problem.mass);
  prepare_contacts(model, method, state, h, continuous, w);
  const contact::AssemblyOptions options = method.assembly_options();
  int pass = 0;
  do {
    contact::assemble_problem(model, state, w.kinematics, w.free_motion, w.contacts, h, options, w.assembly, w.problem);
    if (w.inelastic) {
      for (ContactRows& contact : w.problem.contacts) contact.restitution = 0;
    }
    w.layers.recall(w.problem);
    w.islands.update(w.problem);
    if (method.scheme().end_geometry && rigid_overlap(w) > largest_start_overlap) {
      StepOutcome outcome;
      outcome.overlapping = true;
      if (explain)
        outcome.failure = fmt::format("step at t = {:.9g} s not taken: bodies overlap by {:.3g} m at its start",
                                      state.time, rigid_overlap(w));
      return outcome;
    }
    method.set_context({model, state, w.kinematics, w.contacts});
    solve_islands(method, threads, w);
    ++pass;
  } while (!options.velocity_level && all_solved(w) && pass < max_passes && missed_something(model, state, h, w));

  StepOutcome outcome = summarize(w, pass);
  const std::optional<int> singular_joint = follow_answer(model, method, state, h, w);
  outcome.ok = all_solved(w) && !singular_joint && w.q_next.allFinite() && w.v_next.allFinite();
  const bool end_geometry = method.scheme().end_geometry;
  double end_overlap = 0;
  if (outcome.ok && end_geometry) {
    if (passes_through(model, state, h, w)) {
      outcome.ok = false;
      if (explain)
        outcome.failure = fmt::format("step at t = {:.9g} s not taken: bodies pass through each other", state.time);
      return outcome;
    }
    end_overlap = restate_at_end(model, state, h, w);
  }
  // Layers are laws of the end of a step: without an end there is nothing to judge.
  w.certificate = {};
  if (outcome.ok || w.problem.layers.empty()) {
    w.certificate = certify::certify_step(w.problem, w.answer, w.certify);
  }
  if (!outcome.ok && explain) outcome.failure = describe_failure(model, state, singular_joint, w);
  if (outcome.ok && end_geometry && !end_is_as_claimed(method.scheme(), w.certificate, end_overlap)) {
    outcome.ok = false;
    if (explain) outcome.failure = describe_refuted(state, w.certificate.worst(), end_overlap);
  }
  return outcome;
}

// Makes the solved step the state.
void take_step(methods::Method& method, double h, State& state, StepWorkspace& w) {
  method.accept(w.problem);
  w.anchors.keep(w.kinematics, w.contacts, w.problem, w.answer);
  w.layers.keep(w.problem, w.answer);
  state.q.swap(w.q_next);
  state.v = w.v_next;
  state.time += h;
}

// Impacts of what hits within h, at the configuration of `state`. One may send another point of a touching pair to the
// ground (a rod that lands on one end): that one is an impact of its own, and follows at once.
ImpactReport resolve_impacts(const Model& model, methods::Method& method, double h, int threads, bool continuous,
                             State& state, StepWorkspace& w, certify::StepCertificate& certificate) {
  update_kinematics(model, state, h, w.kinematics);
  ImpactReport all;
  for (int round = 0; round < impact_rounds && all.solved; ++round) {
    update_velocities(model, state.v, w.kinematics);
    contact::set_reach(model, w.kinematics, h, w.detection);
    find_contacts(model, w);
    keep_active(model, h, continuous, w);
    const ImpactReport report = resolve_impact(model, method, h, threads, state, w, certificate);
    all.solved = report.solved;
    all.ended |= report.ended;
    if (!report.happened) break;
    all.happened = true;
    all.energy += report.energy;
  }
  return all;
}

// Solves from w.trial over at most `h`, cut where bodies that do not touch come to touch; `h` becomes its length.
StepOutcome solve_part(const Model& model, methods::Method& method, int threads, bool continuous, double& h,
                       StepWorkspace& w) {
  StepOutcome outcome = solve_step(model, method, h, threads, continuous, w.trial, w);
  for (int cut = 0; continuous && outcome.ok; ++cut) {
    update_velocities(model, w.v_position, w.kinematics);
    if (contact::grow_reach(model, w.kinematics, h, w.detection)) {
      w.extra_contacts = w.contacts;
      contact::detect_contacts(model, w.kinematics, w.detection, w.contacts);  // for its boxes
      w.contacts = w.extra_contacts;
    }
    const double length = contact::first_impact(model, w.kinematics, h, w.cut_inelastic, w.contacts, w.detection);
    if (length >= h * (1 - 1e-9)) break;
    h = length;
    outcome = solve_step(model, method, h, threads, continuous, w.trial, w);
    if (cut == max_cuts) break;
  }
  return outcome;
}

// Bounces that pile up within a step end at rest; said where the island touches something.
void report_ended_impacts(StepWorkspace& w) {
  for (int i = 0; i < w.islands.count(); ++i) {
    if (!w.islands[i].contacts.empty()) w.reports[i].fallback = "impacts-ended";
  }
}

// Projects w.trial; a joint that stays open is named in the outcome.
void close_joints(const Model& model, StepOutcome& outcome, StepWorkspace& w) {
  const double left = project_constraints(model, w.trial, projection_tolerance, projection_steps, w);
  if (left <= open_tolerance) return;
  outcome.open_joint = most_violated_joint(model, w.trial, w);
  outcome.joint_violation = left;
}

// Impacts first, then the step, in parts where bodies hit each other on the way, then the projection of joints.
StepOutcome advance_in_parts(const Model& model, methods::Method& method, double h, int threads, long index,
                             State& state, StepWorkspace& w) {
  const methods::StepScheme scheme = method.scheme();
  const bool elastic = scheme.impact != methods::ImpactModel::none &&
                       std::any_of(model.pair_table.begin(), model.pair_table.end(),
                                   [](const Material& m) { return m.restitution > 0 || m.tangential_restitution > 0; });
  certify::StepCertificate worst;
  w.trial = state;
  w.impact.bounces.clear();
  bool ended = false;
  // Every pair may bounce a few times; this is only reached when something goes on hitting anew.
  const int max_parts = least_parts + parts_of_a_body * static_cast<int>(model.bodies.size());
  w.whole_step = h;
  double remaining = h;
  StepOutcome outcome;
  for (int part = 1; remaining > 0; ++part) {
    const bool continuous = scheme.continuous && part < max_parts;
    w.cut_inelastic = part <= most_inelastic_parts;
    ImpactReport impact;
    if (elastic && part < max_parts) {
      impact = resolve_impacts(model, method, remaining, threads, continuous, w.trial, w, worst);
    }
    ended |= impact.ended;
    if (!impact.solved) {
      outcome = summarize(w, 1);
      outcome.failure = "impact: " + describe_failure(model, state, std::nullopt, w);
      return outcome;
    }
    w.inelastic = elastic && part == max_parts;
    double length = remaining;
    outcome = solve_part(model, method, threads, continuous, length, w);
    if (!outcome.ok) return outcome;
    worst.merge(w.certificate);
    if (ended || w.inelastic) report_ended_impacts(w);
    take_step(method, length, w.trial, w);
    outcome = summarize(w, part);
    outcome.ok = true;
    outcome.parts = part;
    remaining = length < remaining ? remaining - length : 0;
  }
  w.inelastic = false;
  w.certificate = worst;
  if (scheme.projection_interval > 0 && (index + 1) % scheme.projection_interval == 0) {
    close_joints(model, outcome, w);
  }
  state = w.trial;
  return outcome;
}

// Says of every island that touches something how it came by its answer.
void report_fallback(std::string_view name, StepWorkspace& w) {
  for (int i = 0; i < w.islands.count(); ++i) {
    if (!w.islands[i].contacts.empty()) w.reports[i].fallback = name;
  }
}

// The method's last resort on a step that the method does not solve, reported as `fallback`. With `check_path` its bodies
// must not pass through each other either; that cannot be told where they overlap already.
StepOutcome resort(const Model& model, methods::Method& method, double h, int threads, bool check_path,
                   std::string_view fallback, State& state, StepWorkspace& w) {
  StepOutcome outcome = solve_step(model, method, h, threads, false, state, w);
  if (!outcome.ok) return outcome;
  if (check_path && passes_through(model, state, h, w)) {
    outcome.ok = false;
    outcome.failure = fmt::format(
        "step at t = {:.9g} s not taken: bodies pass through each other; remedy: a shorter step", state.time);
    return outcome;
  }
  report_fallback(fallback, w);
  outcome.fallbacks = 1;
  take_step(method, h, state, w);
  return outcome;
}

// One step; one that is not solved is made of two halves, and so on. Once `halvings` are used up the method's last resort
// is asked first, and `resorted` says that it took a part; what not even that can solve is halved a few times more.
StepOutcome advance_by_halves(const Model& model, methods::Method& method, double h, int threads, int halvings,
                              bool& resorted, State& state, StepWorkspace& w) {
  methods::Method* const last_resort = method.last_resort();
  StepOutcome outcome = solve_step(model, method, h, threads, false, state, w, last_resort == nullptr);
  if (outcome.ok) {
    take_step(method, h, state, w);
    return outcome;
  }
  if (last_resort != nullptr && (halvings <= 0 || outcome.overlapping)) {
    outcome = resort(model, *last_resort, h, threads, !outcome.overlapping,
                     outcome.overlapping ? "overlap" : "exact-cone", state, w);
    resorted |= outcome.ok;
    if (outcome.ok) return outcome;
  }
  if (halvings <= (last_resort == nullptr ? 0 : -spare_halvings)) return outcome;
  State& half = w.halves[halvings + spare_halvings];
  half = state;
  const StepOutcome first = advance_by_halves(model, method, h / 2, threads, halvings - 1, resorted, half, w);
  if (!first.ok) return first;
  certify::StepCertificate worst = w.certificate;
  outcome = advance_by_halves(model, method, h / 2, threads, halvings - 1, resorted, half, w);
  if (!outcome.ok) return outcome;
  worst.merge(w.certificate);
  w.certificate = worst;
  outcome.parts += first.parts;
  outcome.iterations += first.iterations;
  report_fallback(resorted ? "exact-cone" : "halved", w);
  outcome.fallbacks = 1;
  state = half;
  return outcome;
}

}  // namespace

StepOutcome advance(const Model& model, methods::Method& method, double h, int threads, State& state, StepWorkspace& w,
                    long index) {
  const methods::StepScheme scheme = method.scheme();
  if (scheme.events != nullptr) {
    const StepOutcome outcome = advance_by_events(model, method, h, state, w, index);
    if (outcome.ok) return outcome;
    StepOutcome resorted = resort(model, *method.last_resort(), h, threads, false, "exact-cone", state, w);
    if (!resorted.ok) resorted.failure = outcome.failure + "; " + resorted.failure;
    return resorted;
  }
  if (scheme.impact != methods::ImpactModel::none || scheme.projection_interval > 0) {
    return advance_in_parts(model, method, h, threads, index, state, w);
  }
  if (scheme.end_geometry) {
    bool resorted = false;
    const size_t depth = scheme.halvings + spare_halvings + 1;
    if (w.halves.size() < depth) w.halves.resize(depth);
    return advance_by_halves(model, method, h, threads, scheme.halvings, resorted, state, w);
  }
  StepOutcome outcome = solve_step(model, method, h, threads, false, state, w);
  if (outcome.ok) take_step(method, h, state, w);
  return outcome;
}

}  // namespace stiction
