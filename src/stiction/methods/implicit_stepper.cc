#include "stiction/methods/implicit_stepper.h"

#include <algorithm>

#include "stiction/methods/island_warm_start.h"

namespace stiction::methods {

namespace {

using solvers::Termination;

// A guess need not be as accurate as an answer.
ExactConeOptions guess_options() {
  ExactConeOptions options;
  options.tolerance = 1e-6;
  options.acceptance = 1e-3;
  options.anchors = false;
  return options;
}

}  // namespace

ImplicitStepper::ImplicitStepper(const ImplicitStepperOptions& options, int threads)
    : options_(options),
      explicit_(guess_options(), solvers::FrictionSolver::automatic, threads),
      last_resort_(ExactConeOptions{}, solvers::FrictionSolver::automatic, threads),
      scratch_(std::max(1, threads)) {}

void ImplicitStepper::set_context(const StepContext& context) {
  context_.emplace(context);
}

// Where fixed and prescribed bodies are at the end of the step; they get there with their velocity of this step.
void ImplicitStepper::begin(const StepProblem& problem) {
  end_.kinematics = context_->kinematics;
  update_prescribed(context_->model, context_->state.time + problem.step, problem.step, end_.kinematics);
  for (size_t b = 0; b < context_->model.bodies.size(); ++b) {
    if (context_->model.bodies[b].kind == BodyKind::prescribed) {
      end_.kinematics.velocity[b] = context_->kinematics.velocity[b];
    }
  }
  end_.q = context_->state.q;
  end_.v = problem.v_free;
  memory_.begin(problem);
  explicit_.begin(problem);
  for (Scratch& s : scratch_) {
    if (s.guess.impulse.size() < problem.row_count) s.guess.impulse.resize(problem.row_count);
    if (s.guess.v_end.size() != problem.v_free.size()) {
      s.guess.v_end.resize(problem.v_free.size());
      s.guess.position.resize(problem.v_free.size());
    }
  }
}

void ImplicitStepper::accept(const StepProblem& problem) {
  memory_.accept();
  explicit_.accept(problem);
}

// The island's impulses of the last step, one a row of the problem; zero where there are none. True where there are any.
bool ImplicitStepper::recall(const StepProblem& problem, const contact::Island& island, VectorX& impulse) const {
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

bool ImplicitStepper::try_newton(Scratch& s, IslandReport& report) const {
  const solvers::MixedNcpOptions options{.tolerance = options_.tolerance, .steps = options_.max_iterations};
  const solvers::SolveReport solve = solvers::solve_mixed_ncp(s.island, s.island.rows(), options, 1.0, s.solver, s.z);
  report.solve.iterations += solve.iterations;
  report.solve.residual = solve.residual;
  return solve.termination == Termination::solved && s.island.same_side();
}

// Needs a solution at t = 0, where only layers make the problem other than exact-cone's: Newton again.
bool ImplicitStepper::try_homotopy(Scratch& s, IslandReport& report) const {
  const solvers::MixedNcpOptions options{.tolerance = options_.tolerance, .steps = 4 * options_.max_iterations};
  solvers::SolveReport solve = solvers::solve_mixed_ncp(s.island, s.island.rows(), options, 0.0, s.solver, s.z);
  report.solve.iterations += solve.iterations;
  if (solve.termination != Termination::solved) return false;
  solve = solvers::follow_mixed_ncp(s.island, s.island.rows(), options, s.solver, s.z);
  report.solve.iterations += solve.iterations;
  report.solve.residual = solve.residual;
  return solve.termination == Termination::solved && s.island.same_side();
}

IslandReport ImplicitStepper::solve_island(const StepProblem& problem, const contact::Island& island, int worker,
                                           StepAnswer& answer) {
  Scratch& s = scratch_[worker];
  IslandReport report;
  if (!s.island.form(problem, *context_, island, options_.layers, end_)) return report;
  report.solve.warm_started = recall(problem, island, s.guess.impulse);
  s.island.guess(s.guess.impulse, s.z);
  bool solved = try_newton(s, report);
  report.solver = "newton";
  if (!solved && explicit_.solve_island(problem, island, worker, s.guess).solve.termination == Termination::solved) {
    report.solve.warm_started = false;
    s.island.guess(s.guess.v_end, s.guess.impulse, s.z);
    solved = try_newton(s, report);
    report.solver = "newton-from-exact-cone";
    if (!solved) {
      s.island.guess(s.guess.v_end, s.guess.impulse, s.z);
      solved = try_homotopy(s, report);
      report.solver = report.fallback = "homotopy";
    }
  }
  if (!solved) {
    report.fallback = {};
    return report;
  }
  report.solve.termination = Termination::solved;
  s.island.write(s.z, answer);
  keep_impulses(problem, island, answer, memory_);
  return report;
}

}  // namespace stiction::methods
