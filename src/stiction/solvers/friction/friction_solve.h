// One solve in progress, as the solvers see it: the scaled problem, the iterate, the best answer so far, the limits.
//
// A solver works on memory().r, which holds zero, a guess or what the solver before it left, and hands each answer in
// by keep(). It never touches the caller's units, never judges the outcome and never needs to know the others.
#pragma once

#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_memory.h"
#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::solvers {

/// See the top of the file.
class FrictionSolve {
 public:
  FrictionSolve(const FrictionSolver& solver, const FrictionOptions& options, FrictionMemory& memory,
                FrictionReport& report);

  const FrictionOptions& options() const { return options_; }
  FrictionMemory& memory() { return memory_; }
  /// The scaled problem.
  const ScaledFriction& problem() const { return memory_.scaled; }
  /// The current iterate, scaled.
  double* r() { return memory_.r.data(); }
  /// The solver that made the best answer so far, or the one that was asked.
  const FrictionSolver& rung() const { return *rung_; }

  /// The best answer meets the tolerance, or time is up.
  bool done() const { return memory_.best_residual <= options_.tolerance || deadline_.passed(); }
  /// The best answer is good enough for the caller: not worth the slow rungs.
  bool acceptable() const { return memory_.best_residual <= options_.acceptance; }
  /// The caller's limit of iterations, or the solver's own.
  int limit(int own) const { return options_.max_iterations > 0 ? options_.max_iterations : own; }

  /// Goes on from the best answer.
  void from_best();
  /// Goes on from zero.
  void from_zero();
  /// Makes the block LU ready, once per solve.
  void analyze();

  /// Hands in the iterate: `solver` made it in so many iterations, and measured this residual.
  void keep(const FrictionSolver& solver, int iterations, double residual);
  /// The same for solvers that factorise.
  void keep(const FrictionSolver& solver, const NewtonResult& result);
  /// What Lemke on a polyhedral cone says of its theorem.
  void note(Hypotheses hypotheses) { report_.hypotheses = hypotheses; }

  /// Options of an algorithm, with what every algorithm is told alike.
  template <class Options>
  Options common() const {
    Options options;
    options.tolerance = options_.tolerance;
    options.deadline = deadline_;
    return options;
  }

 private:
  const FrictionSolver* rung_;
  const FrictionOptions& options_;
  FrictionMemory& memory_;
  FrictionReport& report_;
  Deadline deadline_;
};

/// The residual of r, measured again where rounding could have made it small.
double residual_beyond_rounding(const ScaledFriction& s, const double* r, double tolerance, double residual);

}  // namespace stiction::solvers
