// One door to every solver of frictional contact problems: problem, options and the caller's memory in; r and a report
// out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "stiction/base/infinity.h"
#include "stiction/problem/friction_problem.h"
#include "stiction/solvers/report.h"

namespace stiction::solvers {

/// The algorithms. `automatic` is the portfolio; the others run alone.
enum class FrictionSolver : std::uint8_t {
  automatic,         ///< "auto"
  projected_gs,      ///< "pgs": row by row, projected
  block_gs,          ///< "gauss-seidel": exact solve of one contact at a time, Anderson acceleration
  newton,            ///< "newton": Alart-Curnier with line search
  newton_fb,         ///< "newton-fb": the same steps, globalised by the Fischer-Burmeister merit
  proximal,          ///< "proximal": proximal point around Newton
  admm,              ///< "admm"
  interior_point,    ///< "interior-point"
  enumeration,       ///< "enumeration": every pattern of open, stick and slip
  polyhedral_lemke,  ///< "lemke": on a polyhedral cone, labelled so
};

/// The name users type.
std::string_view friction_solver_name(FrictionSolver solver);

/// What every solver obeys.
struct FrictionOptions {
  double tolerance = 1e-8;  ///< of the normalised natural-map residual (certify/friction_residual.h)
  double acceptance = 0;    ///< auto: a residual above the tolerance at which the slow rungs are not tried any more
  int max_iterations = 0;   ///< 0: the solver's own limit
  double time_limit = infinity;  ///< s of CPU time of this thread; checked between iterations
  bool warm_start = false;       ///< r holds a guess
  std::uint64_t seed = 1;        ///< of random orders: same seed, same bits
};

/// Outcome of one solve; `solve.residual` is the solver's own figure.
struct FrictionReport {
  SolveReport solve;
  std::string_view rung;    ///< which algorithm gave the answer: a name of friction_solver_name
  bool polyhedral = false;  ///< r is of a polyhedral cone, not of the round one: never `solved`, unless it is both
  Hypotheses hypotheses =
      Hypotheses::not_checked;  ///< of polyhedral_lemke.h, where that ran: had it to end in an answer?
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

/// Solves into r (problem.row_count() values: a guess when options.warm_start). When not solved, r is the best iterate
/// seen by the independent residual, always finite. `solved` always means the round cone at the tolerance; where only the
/// last rung, Lemke on a polyhedral cone, came closest, r is its answer, `polyhedral` is set, the termination is
/// not_found and the residual is that of the round cone. `no_solution` comes with multipliers: friction_refutation.
FrictionReport solve_friction(FrictionSolver solver, const FrictionProblem& problem, const FrictionOptions& options,
                              FrictionWorkspace& workspace, std::span<double> r);

/// After a solve that ended as no_solution: the multipliers that prove it (certify/friction_no_solution.h), one a row.
std::span<const double> friction_refutation(FrictionWorkspace& workspace);

}  // namespace stiction::solvers
