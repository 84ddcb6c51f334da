// The ladder in body space as a solver among the others: the name `body`, and problems in global form of `auto`.
#include "stiction/solvers/friction/body/body_memory.h"
#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/friction_memory.h"

namespace stiction::solvers {

BodyWorkspace::BodyWorkspace() : memory_(std::make_unique<BodyMemory>()) {}
BodyWorkspace::~BodyWorkspace() = default;
BodyWorkspace::BodyWorkspace(BodyWorkspace&&) noexcept = default;
BodyWorkspace& BodyWorkspace::operator=(BodyWorkspace&&) noexcept = default;

void BodyWorkspace::reserve_all_rungs() {
  memory_->all_rungs = true;
}

FrictionReport solve_global_friction(const BodyFrictionProblem& problem, const FrictionOptions& options,
                                     FrictionWorkspace& workspace, std::span<double> r) {
  BodyOptions own = {.tolerance = options.tolerance,
                     .acceptance = options.acceptance,
                     .time_limit = options.time_limit,
                     .warm_start = options.warm_start};
  if (options.max_iterations > 0) own.most_sweeps = own.most_factorizations = options.max_iterations;
  const BodyReport report = solve_body_friction(problem, own, workspace.memory().body, r);
  return {.solve = report.solve, .rung = report.rung, .factorizations = report.factorizations};
}

constinit const FrictionSolver body_friction = {
    .name = "body",
    .source = "stiction",
    .sentence = "problems in global form only: velocities stay, and the matrix that is factored has a block per body",
    .run_global = solve_global_friction,
    .portfolio = true};

}  // namespace stiction::solvers
