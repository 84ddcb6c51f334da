// Small problems by brute force: every pattern of open, stick and slip, each solved for its own answer.
//
// In scaled units (scaled_friction.h). A pattern says which contacts are open (r = 0) and which friction slips. With a
// multiplier l_c >= 0 for each slipping block, u_f = -l_c r_f, the active rows A obey
//
//     (W_AA + L) r_A = -q_A,    L = diag(l_c on friction rows that slip, else 0)
//
// so r is a function of l alone, and the answers of the pattern are the zeros of h_c(l) = radius_c / |r_f| - 1. Without
// slip that is one linear system. One slipping block is a scalar equation, searched over 32 decades for every change of
// sign. Several are solved by Newton in l, from many seeded starts.
//
// All of this in long double: the multipliers of a light body between heavy ones span twelve decades.
// Every candidate is polished by Newton on the whole problem and kept when its residual is within the tolerance.
// Patterns without slip whose system is regular are exhausted; those with several slips are searched, so that finding
// no answer, or finding one only, is NOT a proof of non-existence or uniqueness. Singular patterns (redundant contacts)
// have a whole set of answers: of those the one of least norm is tried, then a point of the set nearest to the cones.
#pragma once

#include <cstdint>
#include <vector>

#include "stiction/problem/friction_problem.h"
#include "stiction/solvers/deadline.h"
#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/friction/kernels/extended_friction.h"
#include "stiction/solvers/friction/kernels/scaled_friction.h"
#include "stiction/solvers/friction/newton_friction.h"

namespace stiction::solvers {

/// What to run.
struct PatternOptions {
  double tolerance = 1e-8;
  int max_patterns = 2187;  ///< larger problems are refused: 3^7
  int starts = 6;           ///< of Newton's method for patterns with several slips
  std::uint64_t seed = 1;
  Deadline deadline;
};

/// Its memory.
struct PatternWorkspace {
  std::vector<std::uint8_t> mode;  ///< of each block: open, stick, slip
  ExtendedFriction extended;
  std::vector<double> r, u, best;
};

/// How it ended.
struct PatternResult {
  bool applicable = true;  ///< false: too many rows or patterns; nothing was tried
  bool solved = false;
  int patterns = 0;     ///< looked at
  double residual = 0;  ///< of the returned r
};

/// The first answer found, from r (kept where nothing better is found), in place.
PatternResult run_enumeration(const ScaledFriction& s, const PatternOptions& options, NewtonWorkspace& newton,
                              PatternWorkspace& workspace, double* r);

/// Every distinct answer found, as impulses of the problem; see above for what that does not prove. Answers whose
/// scaled impulses differ by less than 1e-6 of their size count as one. Allocates.
PatternResult enumerate_friction_solutions(const FrictionProblem& problem, const PatternOptions& options,
                                           std::vector<std::vector<double>>& solutions);

/// "enumeration"
extern const FrictionSolver enumeration_friction;

}  // namespace stiction::solvers
