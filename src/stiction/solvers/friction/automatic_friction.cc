// The portfolio: a table of rungs, walked from the top until an answer meets the tolerance, none is proved to exist, or
// time is up. Sweeps come first, because most problems end there; Newton next, where factoring pays; the robust and
// slow ones last. docs/solvers.md has the table in prose.
//
// Which rung runs depends on counted work alone, never on the clock, unless a time limit is set.
//
// Problems in global form go to the solver in body space; what that leaves is the caller's to try in local form.
#include <algorithm>

#include "stiction/solvers/friction/body/body_solver.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/nearby_doubles.h"
#include "stiction/solvers/friction/refine_polygons.h"

namespace stiction::solvers {

namespace {

// Problems of so many blocks are small: another start costs little and often ends where the first did not.
constexpr int small_blocks = 64;

// Where a rung starts.
enum class From { here, best, zero };

// For which problems, from where, what; the chain goes on unless `ends` says that it has reached its end.
struct Rung {
  bool (*applies)(const ScaledFriction& problem);
  From from;
  void (*run)(FrictionSolve& solve);
  bool (*ends)(FrictionSolve& solve) = [](FrictionSolve& solve) { return solve.done(); };
};

bool always(const ScaledFriction& /*problem*/) {
  return true;
}
bool small(const ScaledFriction& problem) {
  return problem.block_count <= small_blocks;
}
bool plain(const ScaledFriction& problem) {
  return problem.plain;
}
bool plain_and_large(const ScaledFriction& problem) {
  return problem.plain && !small(problem);
}

template <int steps, int poor_steps, Merit merit>
void newton(FrictionSolve& solve) {
  take_newton_steps(solve, steps, poor_steps, merit);
}

// From a guess that is not close enough Newton's method may be thrown far away and take fifty steps to come back. Where
// the damped interior point follows, that one is quicker.
void first_newton(FrictionSolve& solve) {
  take_newton_steps(solve, 60, 8, Merit::alart_curnier, plain_and_large(solve.problem()) ? 10 : infinity);
}

// As many more sweeps as cost eight factorisations.
void more_sweeps(FrictionSolve& solve) {
  solve.analyze();
  const ScaledFriction& problem = solve.problem();
  const double sweep_work = static_cast<double>(problem.problem->column.size()) + 3.0 * problem.block_count;
  const double more = 8 * solve.memory().newton.lu.work() / sweep_work;
  take_sweeps(solve, std::clamp(static_cast<int>(more), 10, 300), true, false);
}

void nothing(FrictionSolve& /*solve*/) {}

// What is there is good enough for the caller.
bool acceptable(FrictionSolve& solve) {
  return solve.acceptable();
}

// The same, or the caller has something better than the slow rungs.
bool slow_from_here(FrictionSolve& solve) {
  return solve.acceptable() || solve.options().quick;
}

// There is a proof that no answer exists.
bool refuted(FrictionSolve& solve) {
  FrictionMemory& m = solve.memory();
  return find_refutation(m.scaled, m.refute, m.refutation);
}

constexpr Merit alart_curnier = Merit::alart_curnier, fischer_burmeister = Merit::fischer_burmeister;

constexpr Rung rungs[] = {
    {always, From::here, [](FrictionSolve& solve) { take_sweeps(solve, 30, true, false); }},
    {always, From::here, more_sweeps},
    {always, From::best, first_newton},
    {small, From::zero, newton<60, 12, alart_curnier>},
    {small, From::zero, newton<60, 12, fischer_burmeister>},
    {plain_and_large, From::zero, [](FrictionSolve& solve) { take_interior_steps(solve, 100, 4, true); }},
    {plain_and_large, From::best, [](FrictionSolve& solve) { take_velocity_steps(solve, 300); }},
    {plain, From::best, [](FrictionSolve& solve) { take_interior_steps(solve, 60, 4); }},
    {plain, From::here, newton<20, 8, alart_curnier>},
    {always, From::here, nothing, slow_from_here},
    {small, From::best, [](FrictionSolve& solve) { take_admm_steps(solve, 1500); }},
    {small, From::here, newton<30, 8, alart_curnier>},
    {always, From::best, [](FrictionSolve& solve) { take_proximal_steps(solve, 60); }},
    {always, From::zero, [](FrictionSolve& solve) { take_proximal_steps(solve, 400); }},
    {always, From::zero, [](FrictionSolve& solve) { take_proximal_steps(solve, 400, 0.2, 8); }},
    {always, From::best, newton<60, 20, fischer_burmeister>},
    {always, From::best, [](FrictionSolve& solve) { take_sweeps(solve, 20000, false, true); }},
    {always, From::here, nothing, acceptable},
    {always, From::here, nothing, refuted},
    {always, From::best, choose_nearby_doubles},
    {always, From::best, refine_polygons},
    {always, From::here, [](FrictionSolve& solve) { enumeration_friction.run(solve); }},
    {always, From::best, choose_nearby_doubles},
    // The modes of the polyhedral answer are often those of the round cone, so that Newton ends there.
    {always, From::here, [](FrictionSolve& solve) { lemke_friction.run(solve); }},
    {always, From::here, newton<60, 20, alart_curnier>},
};

void walk(FrictionSolve& solve) {
  for (const Rung& rung : rungs) {
    if (!rung.applies(solve.problem())) continue;
    if (rung.from == From::best) solve.from_best();
    if (rung.from == From::zero) solve.from_zero();
    rung.run(solve);
    if (rung.ends(solve)) return;
  }
}

}  // namespace

constinit const FrictionSolver auto_friction = {
    .name = "auto",
    .source = "stiction",
    .sentence =
        "the solver that suits the problem, and a declared chain of others behind it until one reaches the tolerance",
    .run = walk,
    .run_global = solve_global_friction,
    .portfolio = true};

}  // namespace stiction::solvers
