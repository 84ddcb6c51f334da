// exact-cone, the default method: contact, friction, joints, limits and dry joint friction of the end of the step in
// one problem, with the friction sets that the materials state.
//
// With h the step, M, J at its start, v_free what loads alone would give, gap >= 0 at the start:
//
//     M (v - v_free) = J^T p                                                          momentum
//     joints:           J v + violation/h + surface = 0
//     contacts, limits: 0 <= p_n  orthogonal to  u_n + gap/h >= 0                     no overlap at the end of the step
//                       (or u_n + restitution * approach where a material rebounds)
//     friction:         (p_t/e_t)^2 + (p_o/e_o)^2 + (p_spin/torsion)^2 <= p_n^2, of maximum dissipation against u_f
//                       or (p_t, p_o) in p_n F, where a material states a polygon or a superellipse F
//     rolling:          |p_roll| <= limit p_n, of maximum dissipation, a disc of its own
//     joint friction:   |p| <= bound, of maximum dissipation
//
//     u = J v + surface = W p + q,   W = J M^-1 J^T                                   problem/friction_problem.h
//
// This is the time stepping of Stewart and Trinkle (1996) and Anitescu and Potra (1997) without their polygon; Acary,
// Cadoux, Lemarechal and Malick (2011) prove that it has a solution when joints can be satisfied and some motion opens
// every contact. Elliptic and torsional friction follow chakraborty2007 (5), general sets anitescu1998 (18).
//
// What is not at velocity level: overlap (gap < 0) and drift of sticking contacts are repaired by moving positions
// alone (position_repair.h), so that no step gains kinetic energy from them.
#include "stiction/methods/exact_cone.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/base/stage_times.h"
#include "stiction/methods/checked_friction.h"
#include "stiction/methods/description.h"
#include "stiction/methods/exact_cone/exact_cone_routes.h"
#include "stiction/methods/shared/island_warm_start.h"
#include "stiction/methods/shared/position_repair.h"
#include "stiction/solvers/friction/block_gauss_seidel.h"
#include "stiction/solvers/registry.h"
#include "stiction/stepping/plain_step.h"

namespace stiction::methods {

namespace {

using solvers::FrictionSolver;
using solvers::Termination;

// What a repair leaves is measured and repaired by the next step: its tolerance is this one, or what the velocities
// were asked for.
constexpr double repair_tolerance = 1e-9;
// A repair that is not even this accurate is not made.
constexpr double usable_repair = 1e-6;

// In body space drift is repaired from this share of what bodies would move in the step: ten boxes on each other add
// theirs up, and their velocities are less accurate than those of small islands. Not below what velocities leave in a
// few steps: repair would chase their error.
constexpr double body_repair_from = 2e-7, times_asked = 20;
// Bodies rest at an overlap of this share, or of so many times what was asked for. At none, rounding would leave half
// of a pile's contacts open: gaps of 1e-9 m that have to close within the step, against each other, with impulses that
// go far to tell which of them cannot.
constexpr double resting_overlap = 4e-7, resting_times_asked = 4;
// An island whose loaded contacts moved faster than this share of what loads alone would bring about does not rest.
constexpr double moving_share = 1e-3;
// Nor does it wait for an accurate repair, unless it is larger than this: in a pile that settles, what a coarse repair
// leaves open by a nanometre has to close within the next step, against all others. Tolerances from the second on do
// not notice.
constexpr size_t most_coarse_contacts = 250;
constexpr double coarse_tolerance = 1e-5;

// In body space the residual of a block is a norm over its rows, in the certificate the largest of several: this share
// of what is asked for keeps the certificate below it.
constexpr double share_of_asked = 0.5;
// Lanes measure as the certificate does, to a few digits more than this leaves.
constexpr double share_in_lanes = 0.95;
// Factorisations times blocks of an island that a step may cost, the same times blocks squared (what a factorisation
// costs grows faster than their number), and factorisations that it may cost however large the island is.
constexpr double dearest_step = 1.5e7, dearest_large_step = 4.6e10;
constexpr int fewest_factorizations = 600;
// Newton's method, once it runs, may go on to this share, or to what the goal calls polished where that is less: the
// next steps then find their guess good enough. What is left at a loose tolerance would move what rests, and be solved
// again at each step.
constexpr double polished_share = 0.01;
// A guess may move what is loaded so many times as fast as it did at the start of the step, or at this share of the
// tolerance.
constexpr double worse_than_start = 4, least_guess = 0.01;

// Solvers measure residuals by |q|, which grows with the gap/h of contacts that do not touch; what a step has to be
// accurate by is the motion that there is to stop. Not below rounding.
double motion_share(const IslandFrictionProblem& island) {
  double squared = 0;
  for (const double q : island.problem.q) squared += q * q;
  return squared > 0 ? std::clamp(island.motion / std::sqrt(squared), 1e-2, 1.0) : 1.0;
}

}  // namespace

ExactCone::ExactCone(const ExactConeOptions& options, const FrictionSolver& solver, int threads,
                     contact::WarmStarts warm_starts)
    : options_(options),
      goal_(goal_of(options)),
      near_goal_(near_goal_of(options)),
      solver_(&solver),
      scratch_(std::max(1, threads)),
      warm_starts_(warm_starts) {
  for (Scratch& scratch : scratch_) {
    scratch.solver.reserve_all_rungs();
    scratch.body_solver.reserve_all_rungs();
  }
}

contact::AssemblyOptions ExactCone::assembly_options() const {
  return {.max_recovery_speed = 0};  // overlaps are not driven apart by velocity
}

double ExactCone::slip_tolerance() const {
  return std::max(contact::stick_fraction, 10 * goal_.aimed);
}

// Lanes are shared, and nothing else.
bool ExactCone::shares_island(size_t contacts) const {
  return solver_ == &solvers::auto_friction && static_cast<int>(contacts) > goal_.few_blocks &&
         contacts >= solvers::FreeLanes::least_shared;
}

// A step that is solved again with more contacts starts from its own answer.
void ExactCone::begin(const StepProblem& problem, const StepContext& context) {
  memory_.share_with(context.workers);
  if (context.pass > 0) memory_.keep(last_pass_);
  const bool again = context.pass > 0;
  memory_.begin(problem, again ? last_pass_ : context.memory.impulses_of(warm_starts_), context.contacts,
                again ? ImpulseMemory::Since::last_pass : ImpulseMemory::Since::last_step);
  times_ = context.times;
  for (Scratch& scratch : scratch_) scratch.lanes.share_with(context.workers);
}

void ExactCone::keep(contact::ContactMemory& memory) {
  memory_.keep(memory.impulses_of(warm_starts_));
}

// From the last step's impulses, and from nothing where that fails: a warm start can end where a cold one does not.
IslandReport ExactCone::solve_velocities(const StepProblem& problem, const contact::Island& island, bool quick,
                                         Scratch& s) const {
  const double share = motion_share(s.velocity);
  const double asked = share * s.goal.asked, acceptance = share * s.goal.acceptance;
  solvers::FrictionOptions options{.tolerance = share * s.goal.polished, .acceptance = asked, .quick = quick};
  options.warm_start = recall_impulses(problem, island, s.rows, s.velocity, memory_, s.p, s.r);
  const auto solve = [&] { return solve_friction_checked(*solver_, s.velocity.problem, options, s.solver, s.r); };
  solvers::FrictionReport report = solve();
  const bool hopeless = !(report.solve.residual >= 0 && report.solve.residual <= asked);
  if (quick && hopeless) return {.solve = {.iterations = report.solve.iterations}};
  if (report.solve.termination != Termination::solved && hopeless && options.warm_start) {
    options.warm_start = false;
    std::fill(s.r.begin(), s.r.end(), 0.0);
    report = solve();
  }
  IslandReport result{.solve = report.solve, .solver = report.rung};
  result.solve.warm_started = options.warm_start;
  const double reached = report.solve.residual;
  if (report.solve.termination == Termination::not_found && reached >= 0 && reached <= acceptance) {
    result.solve.termination = Termination::solved;
    result.fallback = Fallback::tolerance_missed;
  } else if (report.polyhedral) {
    result.fallback = Fallback::polyhedral;
  } else if (solver_ == &solvers::auto_friction && report.made_by != &solvers::gauss_seidel_friction &&
             report.made_by != nullptr) {  // neither the first rung nor a guess that was right already
    result.fallback = Fallback::rung;
  }
  return result;
}

RepairOptions ExactCone::repair_options() const {
  return {.max_recovery_speed = options_.max_recovery_speed,
          .close_drift = options_.anchors,
          .slip_tolerance = slip_tolerance()};
}

RepairOptions ExactCone::body_repair_options(const ExactConeGoal& goal) const {
  RepairOptions options = repair_options();
  options.tolerance = std::max(body_repair_from, times_asked * goal.aimed);
  options.resting_overlap = std::max(resting_overlap, resting_times_asked * goal.aimed);
  return options;
}

void ExactCone::repair_positions(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                 StepAnswer& answer, IslandReport& island_report) const {
  const StageTimer timer(times_, Stage::repair, Stage::solve);
  const RepairOptions options = repair_options();
  if (!form_repair_problem(problem, island, answer, options, s.velocity, s.r, s.repair)) return;
  s.r_position = s.r;
  const double usable = std::max(usable_repair, s.goal.asked);
  const double tolerance = motion_share(s.velocity) * std::max(repair_tolerance, s.goal.polished);
  const solvers::FrictionReport report = solvers::solve_friction(
      solvers::auto_friction, s.repair.problem, {.tolerance = tolerance, .acceptance = usable, .warm_start = true},
      s.solver, s.r_position);
  const bool solved = report.solve.termination == Termination::solved;
  if (report.made_by == nullptr) return;  // what is there is right already
  island_report.repair_iterations = report.solve.iterations;
  island_report.repair = "none";
  if (!solved && !(report.solve.residual >= 0 && report.solve.residual <= usable)) return;
  island_report.repair = report.rung;
  make_admissible(s.repair.problem, s.r_position);
  for (size_t i = 0; i < s.r.size(); ++i) s.r_position[i] -= s.r[i];
  s.repair.scatter(s.rows, s.r_position, s.p);
  s.rows.apply(problem, island, s.p, answer.position, answer.position);
}

// What a solve in body space is asked for. Small islands are there for their friction sets, and brought to what they
// are brought to in contact space.
double ExactCone::body_tolerance(const ExactConeGoal& goal, bool small) {
  return share_of_asked * (small ? std::max(goal.polished, polished_share * goal.aimed) : goal.aimed);
}

// The impulse that stopped a small motion in the last step would start the opposite motion in this one: where bodies
// were nearly at rest, a guess within the tolerance is taken only when it leaves them so. Without this a pile at rest
// would swing to and fro at the tolerance, with a solve every other step.
double ExactCone::guess_tolerance(double tolerance, double start_speed, const BodyIsland& body) {
  if (!(body.fastest() > 0)) return tolerance;
  return std::clamp(worse_than_start * start_speed / body.fastest(), least_guess * tolerance, tolerance);
}

int ExactCone::budget(const ExactConeGoal& goal, const BodyFrictionProblem& problem) {
  const double blocks = std::max(1, problem.block_count());
  const double share = std::min(dearest_step / blocks, dearest_large_step / (blocks * blocks));
  return std::min(goal.most_factorizations, std::max(static_cast<int>(share), fewest_factorizations));
}

IslandReport ExactCone::solve_in_body_space(const StepProblem& problem, const contact::Island& island,
                                            double acceptance, Scratch& s, StepAnswer& answer) {
  s.body.form(problem, island);
  const double known = s.body.recall(problem, island, memory_, answer),
               tolerance = body_tolerance(s.goal, s.facts.small());
  const double start_speed = s.body.start_speed(problem);
  const bool moves = start_speed > moving_share * s.body.fastest();
  const solvers::BodyReport report = solvers::solve_body_friction(
      s.body.problem(),
      {.tolerance = tolerance,
       .guess_tolerance = guess_tolerance(tolerance, start_speed, s.body),
       .polished = moves ? tolerance : std::min(polished_share * s.goal.aimed, s.goal.polished),
       .acceptance = s.goal.asked,
       .useful = s.goal.useful,
       .sweeps = s.goal.sweeps,
       .most_factorizations = budget(s.goal, s.body.problem()),
       .factors_rarely = s.body.problem().block_count() > s.goal.few_blocks,
       .scale = s.body.fastest(),
       .scales = s.body.scales(),
       .trend = s.body.trend(),
       .warm_start = known > 0,
       .guess_is_close = known > 0.5},
      s.body_solver, s.body.r(), s.body.v());
  IslandReport result{.solve = report.solve, .solver = report.rung};
  if (report.solve.residual <= s.goal.asked) {
    result.fallback = report.factored ? Fallback::rung : Fallback::none;
  } else if (report.solve.residual <= acceptance) {
    result.fallback = report.solve.termination == Termination::budget ? Fallback::budget : Fallback::tolerance_missed;
  } else {
    return result;
  }
  result.solve.termination = Termination::solved;
  s.body.write(problem, island, answer);
  keep_impulses(problem, island, answer, memory_);
  repair_in_body_space(problem, island, s, answer, result);
  return result;
}

void ExactCone::repair_in_body_space(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                     StepAnswer& answer, IslandReport& result) const {
  const StageTimer timer(times_, Stage::repair, Stage::solve);
  const RepairOptions options = body_repair_options(s.goal);
  if (!s.body.find_repair(problem, island, answer, options)) return;
  const bool may_be_coarse = island.contacts.size() <= most_coarse_contacts || s.goal.aimed >= coarse_tolerance;
  const bool may_factor = s.goal.most_factorizations > 100;
  const solvers::BodyRepairOptions wishes{
      .tolerance = std::max(repair_tolerance, 0.1 * s.goal.aimed),
      .sweeps = s.goal.repair_sweeps,
      .moves = may_factor && may_be_coarse && s.body.start_speed(problem) > moving_share * s.body.fastest(),
      .may_factor = may_factor};
  const solvers::BodyReport report =
      solvers::repair_body_friction(s.body.problem(), s.body.change(), wishes, s.body_solver, s.body.r(), s.body.v());
  const bool solved = report.solve.termination == Termination::solved;
  result.repair = solved ? report.rung : "none";
  result.repair_iterations = report.solve.iterations;
  if (solved) s.body.write_repair(answer, answer.position);
}

LaneIslandGoal ExactCone::lane_goal(const ExactConeGoal& goal, double share) const {
  return {.asked = goal.asked,
          .tolerance = share * goal.aimed,
          .acceptance = goal.large_acceptance,
          .sweeps = goal.sweeps,
          .push_sweeps = goal.repair_sweeps,
          .max_recovery_speed = options_.max_recovery_speed,
          .resting_overlap = std::max(resting_overlap, resting_times_asked * goal.aimed),
          .worse_than_start = worse_than_start,
          .least_guess = least_guess,
          .moving_share = moving_share};
}

// Where everything rests, the last step's impulses are the answer again, mostly: the residual of a pile is found in
// lanes before anything is made for a solve.
IslandReport ExactCone::settle_in_lanes(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                        StepAnswer& answer) {
  IslandReport report;
  const LaneIslandGoal goal = lane_goal(s.goal, share_of_asked);
  return s.lanes.settle(problem, island, goal, body_repair_options(s.goal), memory_, answer, report) ? report
                                                                                                     : IslandReport{};
}

// Piles that only sweeps may take: straight into lanes.
IslandReport ExactCone::solve_in_lanes(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                       StepAnswer& answer) {
  IslandReport report;
  const LaneIslandGoal goal = lane_goal(s.goal, share_in_lanes);
  return s.lanes.solve(problem, island, goal, memory_, answer, report) ? report : IslandReport{};
}

IslandReport ExactCone::solve_along(Route route, const StepProblem& problem, const contact::Island& island,
                                    double acceptance, Scratch& s, StepAnswer& answer) {
  switch (route) {
    case Route::lanes:
      return solve_in_lanes(problem, island, s, answer);
    case Route::look:
      return settle_in_lanes(problem, island, s, answer);
    case Route::body_space:
      return solve_in_body_space(problem, island, acceptance, s, answer);
    default:
      return solve_in_contact_space(problem, island, route == Route::quick, s, answer);
  }
}

// What the quick rungs leave in contact space is tried in body space before the slow ones: those take thousands of
// sweeps, and often end nowhere.
IslandReport ExactCone::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                     StepAnswer& answer) {
  Scratch& s = scratch_[worker];
  s.facts = island_facts(problem, island, *solver_);
  s.goal = s.facts.few_velocities() ? near_goal_ : goal_;
  double acceptance = s.facts.small() ? s.goal.acceptance : s.goal.large_acceptance;
  IslandReport report;
  int iterations = 0;
  for (const RouteRow& row : exact_cone_routes()) {
    if (!row.takes(s.facts, s.goal)) continue;
    report = solve_along(row.route, problem, island, acceptance, s, answer);
    iterations += report.solve.iterations;
    if (report.solve.termination == Termination::solved) break;
    if (row.route == Route::quick) acceptance = s.goal.asked;  // the slow rungs are behind
  }
  report.solve.iterations = iterations;
  return report;
}

IslandReport ExactCone::solve_in_contact_space(const StepProblem& problem, const contact::Island& island, bool quick,
                                               Scratch& s, StepAnswer& answer) {
  list_island_blocks(problem, island, s.blocks);
  if (!s.rows.form(problem, island, s.blocks)) return {};
  form_velocity_problem(problem, island, s.blocks, s.rows, s.velocity);
  IslandReport report = solve_velocities(problem, island, quick, s);
  if (report.solve.termination != Termination::solved) return report;
  make_admissible(s.velocity.problem, s.r);
  s.velocity.scatter(s.rows, s.r, s.p);
  s.rows.apply(problem, island, s.p, problem.v_free, answer.v_end);
  write_impulses(problem, s.blocks, s.rows, s.p, answer);
  keep_impulses(problem, island, answer, memory_);
  repair_positions(problem, island, s, answer, report);
  return report;
}

extern const MethodDescription exact_cone = {
    .name = "exact-cone",
    .source = "stiction",
    .sentence = "end-of-step contact with the true (round, elliptic, torsional, rolling, general) friction cone",
    .knows = {.general_cones = true, .accuracy = true},
    .overlap = {.kind = Overlap::moved,
                .speed =
                    [](double depth, double h, const MethodOptions& options) {
                      return std::min(depth / h, options.of<ExactConeOptions>().max_recovery_speed);
                    },
                .remedy = "or set max_recovery_speed"},
    .options = {option<&ExactConeOptions::tolerance>(
                    "tolerance", "", zero_or_above,
                    "normalised residual at which a step counts as solved; 0: what `accuracy` asks for"),
                option<&ExactConeOptions::acceptance>(
                    "acceptance", "", zero_or_above,
                    "residual above which a step fails; between the two it is taken and counted as "
                    "`tolerance-missed` or `budget`; 0: what `accuracy` allows"),
                option<&ExactConeOptions::max_recovery_speed>(
                    "max_recovery_speed", "m/s", above_zero_or_infinite,
                    "bound on the speed at which overlap and drift are repaired"),
                option<&ExactConeOptions::anchors>("anchors", "", any_value,
                                                   "sticking contacts return to where they stuck")},
    .takes_solver = [](const solvers::SolverInfo& solver) { return solver.friction != nullptr; },
    .make = [](const MethodSetup& setup) -> std::unique_ptr<Stepper> {
      auto solver =
          std::make_unique<ExactCone>(setup.options.of<ExactConeOptions>(), *setup.solver.friction, setup.threads);
      return std::make_unique<PlainStep>(setup.model, std::move(solver), PlainStepOptions{.threads = setup.threads});
    }};

}  // namespace stiction::methods
