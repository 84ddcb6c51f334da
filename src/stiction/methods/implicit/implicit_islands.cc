#include "stiction/methods/implicit/implicit_islands.h"

#include <algorithm>
#include <cmath>

#include "stiction/methods/shared/island_warm_start.h"
#include "stiction/stepping/halve_until_solved.h"

namespace stiction::methods {

namespace {

using solvers::Termination;

// Newton steps from a guess before the next rung is tried: what it does not solve in these it seldom solves.
constexpr int first_steps = 12, polish_steps = 4;
// Friction problems with frozen geometry, and how much coarser than the step each is solved: Newton does the rest.
constexpr int max_cones = 12;
constexpr double cone_tolerance = 10;

// Residuals from which Newton may get the rest, and whose geometry is near enough to be frozen.
constexpr double worth_polishing = 1e-5, worth_freezing = 1.0;

// A guess need not be as accurate as an answer.
ExactConeOptions guess_options() {
  ExactConeOptions options;
  options.tolerance = 1e-6;
  options.acceptance = 1e-3;
  options.anchors = false;
  return options;
}

}  // namespace

ImplicitIslands::ImplicitIslands(const ImplicitOptions& options, int threads)
    : options_(options),
      explicit_(guess_options(), solvers::auto_friction, threads, contact::WarmStarts::guess),
      jointed_(ExactConeOptions{.acceptance = 1e-8}, solvers::auto_friction, threads, contact::WarmStarts::jointed),
      scratch_(std::max(1, threads)) {}

// Where fixed and prescribed bodies are at the end of the step; they get there with their velocity of this step.
void ImplicitIslands::begin(const StepProblem& problem, const StepContext& context) {
  context_.emplace(context);
  end_.kinematics = context_->kinematics;
  update_prescribed(context_->model, context_->state.time + problem.step, problem.step, end_.kinematics);
  for (size_t b = 0; b < context_->model.bodies.size(); ++b) {
    if (context_->model.bodies[b].kind == BodyKind::prescribed) {
      end_.kinematics.velocity[b] = context_->kinematics.velocity[b];
    }
  }
  end_.q = context_->state.q;
  end_.v = problem.v_free;
  memory_.begin(problem, context.memory.impulses_of(contact::WarmStarts::method));
  explicit_.begin(problem, context);
  jointed_.begin(problem, context);
  for (Scratch& s : scratch_) {
    for (StepAnswer* answer : {&s.guess, &s.next}) {
      if (answer->impulse.size() < problem.row_count) answer->impulse.resize(problem.row_count);
      answer->v_end.resize(problem.v_free.size());
      answer->position.setZero(problem.v_free.size());
    }
  }
}

void ImplicitIslands::keep(contact::ContactMemory& memory) {
  memory_.keep(memory.impulses_of(contact::WarmStarts::method));
  explicit_.keep(memory);
  jointed_.keep(memory);
}

// The island's impulses of the last step, one per row of the problem, zero where unknown. True where some are known.
bool ImplicitIslands::recall(const StepProblem& problem, const contact::Island& island, VectorX& impulse) const {
  bool known = false;
  const auto put = [&](int block, const double* from) {
    const RowBlock& rows = problem.blocks[block];
    for (int r = 0; r < rows.row_count; ++r) {
      impulse[rows.first_row + r] = from ? from[r] : 0.0;
      known |= from && from[r] != 0;
    }
  };
  for (const int b : island.bilaterals) {
    const RowBlock& rows = problem.blocks[problem.bilaterals[b].block];
    for (int r = 0; r < rows.row_count; ++r) {
      impulse[rows.first_row + r] = memory_.recall_bilateral(problem.bilaterals[b].first_bias + r);
    }
  }
  for (const int c : island.contacts) {
    const ContactRows& contact = problem.contacts[c];
    const ImpulseMemory::Impulses* last = memory_.recall(contact.key);
    put(contact.block, last ? last->data() : nullptr);
    if (contact.rolling >= 0) put(problem.rollings[contact.rolling].block, last ? last->data() + 4 : nullptr);
  }
  for (const int s : island.scalars) {
    const ImpulseMemory::Impulses* last = memory_.recall(problem.scalars[s].key);
    put(problem.scalars[s].block, last ? last->data() : nullptr);
  }
  return known;
}

void ImplicitIslands::keep_best(Scratch& s, double residual) const {
  if (!(residual < s.best) || !s.island.same_side()) return;
  s.best = residual;
  s.best_z = s.z;
}

bool ImplicitIslands::try_newton(Scratch& s, int steps, IslandReport& report) const {
  const solvers::MixedNcpOptions options{.tolerance = options_.tolerance, .steps = steps};
  const solvers::SolveReport solve = solvers::solve_mixed_ncp(s.island, s.island.rows(), options, 1.0, s.solver, s.z);
  report.solve.iterations += solve.iterations;
  if (solve.residual >= 0) keep_best(s, solve.residual);
  return s.best <= options_.tolerance;
}

// From s.z; ends when the residual no longer falls.
bool ImplicitIslands::try_cones(const StepProblem& problem, const contact::Island& island, Scratch& s,
                                IslandReport& report) const {
  s.cones.restart();
  double last = solvers::mixed_ncp_residual(s.island, s.island.rows(), s.solver, s.z);
  for (int k = 0; k < max_cones && std::isfinite(last); ++k) {
    if (!s.cones.advance(problem, *context_, island, s.island, end_, cone_tolerance * options_.tolerance, s.next)) {
      return false;
    }
    ++report.solve.iterations;
    s.island.guess(s.next.v_end, s.next.impulse, s.z);
    const double residual = solvers::mixed_ncp_residual(s.island, s.island.rows(), s.solver, s.z);
    keep_best(s, residual);
    if (s.best <= options_.tolerance) return true;
    if (k > 0 && residual > 0.5 * last) return false;
    last = residual;
  }
  return false;
}

// A few more Newton steps from the best answer so far, where they may help.
bool ImplicitIslands::polish(Scratch& s, IslandReport& report) const {
  if (!(s.best < worth_polishing)) return false;
  s.z = s.best_z;
  return try_newton(s, polish_steps, report);
}

// Needs a solution at t = 0, where only layers make the problem other than exact-cone's: Newton again.
bool ImplicitIslands::try_homotopy(Scratch& s, IslandReport& report) const {
  const solvers::MixedNcpOptions options{.tolerance = options_.tolerance, .steps = 4 * options_.max_iterations};
  solvers::SolveReport solve = solvers::solve_mixed_ncp(s.island, s.island.rows(), options, 0.0, s.solver, s.z);
  report.solve.iterations += solve.iterations;
  if (solve.termination != Termination::solved) return false;
  solve = solvers::follow_mixed_ncp(s.island, s.island.rows(), options, s.solver, s.z);
  report.solve.iterations += solve.iterations;
  if (solve.termination == Termination::solved) keep_best(s, solve.residual);
  return s.best <= options_.tolerance;
}

// The ladder. True when a rung has reached the tolerance; the best answer is in best_z in any case.
bool ImplicitIslands::climb(const StepProblem& problem, const contact::Island& island, int worker,
                            IslandReport& report) {
  Scratch& s = scratch_[worker];
  const auto near_enough = [&] { return s.best <= std::max(options_.tolerance, s.island.rounding()); };
  report.solve.warm_started = recall(problem, island, s.guess.impulse);
  s.island.guess(s.guess.impulse, s.z);
  report.solver = "newton";
  if (try_newton(s, std::min(first_steps, options_.max_iterations), report) || near_enough()) return true;
  report.solve.warm_started = false;

  if (!s.island.compliant() && s.best < worth_freezing) {
    report.solver = "successive-cones";
    s.z = s.best_z;
    if (try_cones(problem, island, s, report) || polish(s, report) || near_enough()) return true;
    if (s.best <= options_.acceptance) return false;  // good enough: what follows is slow
  }

  const bool guessed =
      explicit_.solve_island(problem, island, worker, s.guess).solve.termination == Termination::solved;
  if (guessed) {
    report.solver = "newton-from-exact-cone";
    s.island.guess(s.guess.v_end, s.guess.impulse, s.z);
    if (try_newton(s, options_.max_iterations, report) || near_enough()) return true;
    report.solver = "successive-cones";
    s.island.guess(s.guess.v_end, s.guess.impulse, s.z);
    if (!s.island.compliant() && (try_cones(problem, island, s, report) || polish(s, report))) return true;
    if (s.best <= options_.acceptance) return near_enough();
  } else {
    s.guess.impulse.setZero();
  }
  report.solver = "homotopy";
  report.fallback = Fallback::homotopy;
  if (guessed) {
    s.island.guess(s.guess.v_end, s.guess.impulse, s.z);
  } else {
    s.island.guess(s.guess.impulse, s.z);
  }
  return try_homotopy(s, report);
}

IslandReport ImplicitIslands::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                           StepAnswer& answer) {
  if (island.contacts.empty()) return jointed_.solve_island(problem, island, worker, answer);
  Scratch& s = scratch_[worker];
  IslandReport report;
  if (!s.island.form(problem, *context_, island, options_.layers, end_)) return report;
  s.best = infinity;
  const bool reached = climb(problem, island, worker, report);
  report.solve.residual = std::isfinite(s.best) ? s.best : -1.0;
  if (!(s.best <= options_.acceptance)) {
    report.fallback = Fallback::none;
    return report;
  }
  if (!reached) report.fallback = Fallback::tolerance_missed;
  report.solve.termination = Termination::solved;
  s.island.write(s.best_z, answer);
  keep_impulses(problem, island, answer, memory_);
  return report;
}

std::unique_ptr<Stepper> make_implicit_stepper(const Model& model, const ImplicitOptions& options, int halvings,
                                               bool judged_by_end, int threads) {
  auto whole = std::make_unique<EndOfStep>(model, std::make_unique<ImplicitIslands>(options, threads),
                                           PlainStepOptions{.threads = threads, .explain = false}, judged_by_end);
  auto exact = std::make_unique<ExactCone>(ExactConeOptions{.acceptance = 1e-8}, solvers::auto_friction, threads,
                                           contact::WarmStarts::last_resort);
  auto last_resort = std::make_unique<PlainStep>(model, std::move(exact), PlainStepOptions{.threads = threads});
  return std::make_unique<HalveUntilSolved>(std::move(whole), std::move(last_resort), halvings);
}

double recover_by_exact_cone(double depth, double h, const MethodOptions&) {
  return std::min(depth / h, ExactConeOptions{}.max_recovery_speed);
}

}  // namespace stiction::methods
