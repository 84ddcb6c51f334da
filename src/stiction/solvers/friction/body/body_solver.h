// Frictional contact in body space: a ladder of algorithms from the cheapest to the surest, walked by one loop.
//
// v = v_free + M^-1 J^T r at all times, so that momentum is exact whatever the residual. The rungs stand in a table
// (body_rungs()): when each applies, what it costs at most in counted work, what it guarantees. The walk ends at the
// tolerance, at the acceptance (no dear rung is tried behind it), when the budget of counted work is used up, or at the
// end of the table; the best impulse by the residual is the answer in every case. The clock is read only where a time
// limit is set: without one, the same problem gives the same bits.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "stiction/base/infinity.h"
#include "stiction/problem/body_friction_problem.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// What the caller asks for.
struct BodyOptions {
  double tolerance = 1e-8;            ///< of the normalised natural-map residual (certify/friction_residual.h)
  double guess_tolerance = infinity;  ///< a guess that is not as good as this is improved where that is cheap
  double polished = infinity;         ///< where Newton's method may go on to once it is there, with a few steps more
  double acceptance = 0;              ///< a residual above the tolerance at which dear rungs are not tried any more
  double useful = infinity;           ///< a residual above which the answer is of no use: sweeps go on for long then
  int sweeps = 60;                    ///< of the first rung, 0 .. most_sweeps
  int most_sweeps = 100000;           ///< budget: sweeps of all rungs together
  int most_factorizations = 6000;     ///< budget: factorisations of all rungs together
  bool factors_rarely = false;   ///< nothing is factored unless that is cheap and sweeps have ended far from an answer
  double time_limit = infinity;  ///< s of CPU time of this thread; checked between iterations
  double scale = 0;  ///< m/s, > 0: the residual is that of the worst block, relative to its own of `scales` or to this;
                     ///< 0: the norm over all blocks relative to |q|
  std::span<const double> scales = {};  ///< see judge_worst_block
  /// What the last step added to the guess, one per row: the guess plus this is tried where the guess is not enough.
  std::span<const double> trend = {};
  bool warm_start = false;      ///< r holds a guess
  bool guess_is_close = false;  ///< over half of the contacts have the guess of an earlier step: Newton starts from it
};

/// Outcome of one solve.
struct BodyReport {
  SolveReport solve;       ///< termination: solved, not_found, budget or time_limit; iterations of all rungs; residual
  std::string_view rung;   ///< the rung that gave the answer: a name of body_rungs()
  int factorizations = 0;  ///< work done
  int sweeps = 0;          ///< work done
  bool factored = false;   ///< the answer is that of a rung that factors
  bool analyzed = false;   ///< the graph of bodies was new: its symbolic analysis was made
};

/// A rung as readers see it.
struct BodyRung {
  std::string_view name;
  std::string_view applies;    ///< when it is tried
  int factorizations = 0;      ///< costs at most that many
  bool dear = false;           ///< not tried once the residual is acceptable
  std::string_view guarantee;  ///< what its answer is worth
};

/// The ladder, from its first rung to its last.
std::span<const BodyRung> body_rungs();

struct BodyMemory;

/// Caller-owned memory; problems no larger than before allocate nothing. Symbolic analyses are kept while the graph
/// stays.
class BodyWorkspace {
 public:
  BodyWorkspace();
  ~BodyWorkspace();
  BodyWorkspace(BodyWorkspace&&) noexcept;
  BodyWorkspace& operator=(BodyWorkspace&&) noexcept;
  BodyMemory& memory() { return *memory_; }
  /// From now on memory for every rung is taken with the first problem of a size, not when a rung first runs.
  void reserve_all_rungs();

 private:
  std::unique_ptr<BodyMemory> memory_;
};

/// What the caller asks of a repair.
struct BodyRepairOptions {
  double tolerance = 1e-9;  ///< as BodyOptions::tolerance; a tenth of the residual at the start will do, too
  int sweeps = 60;
  bool moves = false;      ///< the island is not at rest: its contacts need not be brought to rest by this step
  bool may_factor = true;  ///< behind the sweeps; otherwise what they reach is taken
};

/// After solve_body_friction with the same workspace: the answer with `change` (m/s, one per row) added to the bias,
/// into r, which holds that solve's, and v: by sweeps, by a proximal Newton step on the matrix of the velocities (a
/// small compliance lets redundant rows disagree), by an interior point. Not solved: r and v are as they were.
BodyReport repair_body_friction(const BodyFrictionProblem& problem, std::span<const double> change,
                                const BodyRepairOptions& options, BodyWorkspace& workspace, std::span<double> r,
                                std::span<double> v);

/// Solves into r (one value per row: a guess when options.warm_start) and, where v is not empty,
/// v = v_free + M^-1 J^T r. When not solved, r is the best iterate seen, always finite and inside the cones.
BodyReport solve_body_friction(const BodyFrictionProblem& problem, const BodyOptions& options, BodyWorkspace& workspace,
                               std::span<double> r, std::span<double> v = {});

/// The ladder with what every friction solver obeys: FrictionSolver::run_global of `body` and `auto`.
FrictionReport solve_global_friction(const BodyFrictionProblem& problem, const FrictionOptions& options,
                                     FrictionWorkspace& workspace, std::span<double> r);

/// "body"
extern const FrictionSolver body_friction;

}  // namespace stiction::solvers
