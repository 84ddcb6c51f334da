// One door to every solver of frictional contact problems: problem, options and the caller's memory in; r and a report
// out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "stiction/base/infinity.h"
#include "stiction/problem/body_friction_problem.h"
#include "stiction/problem/friction_problem.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

class FrictionSolve;
class FrictionWorkspace;
struct FrictionOptions;
struct FrictionReport;

/// A solver of friction problems, described by the file of its algorithm; solvers/registry.cc lists them all.
struct FrictionSolver {
  std::string_view name;      ///< what users type
  std::string_view source;    ///< a publication, or "stiction"
  std::string_view sentence;  ///< what it does, for `stiction list solvers`
  /// On problems in local form (problem/friction_problem.h): works on the iterate and hands in what it finds
  /// (friction_solve.h). Null: it takes none.
  void (*run)(FrictionSolve& solve) = nullptr;
  /// On problems in global form, whose velocities are not eliminated (problem/body_friction_problem.h): as
  /// solve_friction. Null: it takes none.
  FrictionReport (*run_global)(const BodyFrictionProblem& problem, const FrictionOptions& options,
                               FrictionWorkspace& workspace, std::span<double> r) = nullptr;
  bool polyhedral = false;     ///< its answers are those of a polyhedral cone, and are labelled so
  bool ends_in_cones = false;  ///< its answers are in the cones to rounding and are handed out as they are
  bool portfolio = false;      ///< several algorithms in turn: FrictionReport::rung says which gave the answer

  bool takes_local_form() const { return run != nullptr; }
  bool takes_global_form() const { return run_global != nullptr; }
};

/// `auto`, the portfolio (automatic_friction.cc): what everybody takes who has no reason for another.
extern const FrictionSolver auto_friction;

/// What every solver obeys.
struct FrictionOptions {
  double tolerance = 1e-8;  ///< of the normalised natural-map residual (certify/friction_residual.h)
  double acceptance = 0;    ///< auto: a residual above the tolerance at which the slow rungs are not tried any more
  bool quick = false;       ///< auto: the slow rungs are not tried at all
  int max_iterations = 0;   ///< 0: the solver's own limit
  double time_limit = infinity;  ///< s of CPU time of this thread; checked between iterations
  bool warm_start = false;       ///< r holds a guess
  std::uint64_t seed = 1;        ///< of random orders: same seed, same bits
};

/// Outcome of one solve; `solve.residual` is the solver's own figure.
struct FrictionReport {
  SolveReport solve;
  std::string_view rung;  ///< which algorithm gave the answer: the name of a FrictionSolver, or of body_rungs()
  const FrictionSolver* made_by = nullptr;  ///< in local form: that solver; null: none improved on the start
  bool polyhedral = false;  ///< r is of a polyhedral cone, not of the round one: never `solved`, unless it is both
  /// Of polyhedral_lemke.h, where that ran: did it have to end in an answer?
  Hypotheses hypotheses = Hypotheses::not_checked;
  int factorizations = 0;
};

struct FrictionMemory;

/// Caller-owned memory of all solvers; problems no larger than before allocate nothing.
class FrictionWorkspace {
 public:
  FrictionWorkspace();
  ~FrictionWorkspace();
  FrictionWorkspace(FrictionWorkspace&&) noexcept;
  FrictionWorkspace& operator=(FrictionWorkspace&&) noexcept;
  FrictionMemory& memory() { return *memory_; }
  /// From now on memory for every rung of `auto` is taken with the first problem of a size, not when a rung first runs.
  void reserve_all_rungs();

 private:
  std::unique_ptr<FrictionMemory> memory_;
};

/// Solves a problem in local form, by a solver that takes it so, into r (problem.row_count() values: a guess when
/// options.warm_start). When not solved, r is the best iterate seen by the independent residual, always finite.
/// `solved` always means the round cone at the tolerance; where only the last rung, Lemke on a polyhedral cone, came
/// closest, r is its answer, `polyhedral` is set, the termination is not_found and the residual is that of the round
/// cone. `no_solution` comes with multipliers: friction_refutation.
FrictionReport solve_friction(const FrictionSolver& solver, const FrictionProblem& problem,
                              const FrictionOptions& options, FrictionWorkspace& workspace, std::span<double> r);

/// The same for a problem in global form, by a solver that takes it so.
FrictionReport solve_friction(const FrictionSolver& solver, const BodyFrictionProblem& problem,
                              const FrictionOptions& options, FrictionWorkspace& workspace, std::span<double> r);

/// After a solve that ended as no_solution: multipliers that prove it (certify/friction_no_solution.h), one per row.
std::span<const double> friction_refutation(FrictionWorkspace& workspace);

}  // namespace stiction::solvers
