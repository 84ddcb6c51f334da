// What every solver reports; a solver that does not converge is data, never an exception and never silence.
#pragma once

#include <string_view>

namespace stiction::solvers {

/// How a solver ended, and what that guarantees.
enum class Termination {
  solved,       ///< the solver's own stopping rule holds; certify/ says whether the answer is right
  no_solution,  ///< proved that none exists
  not_found,    ///< gave up (ray, iteration limit, numerical trouble); the answer is the best seen or invalid
  time_limit,   ///< stopped by the caller's time limit
  budget,       ///< the caller's budget of counted work is used up; the answer is the best seen
};

/// The name used in JSON.
std::string_view termination_name(Termination termination);

/// Whether the hypotheses hold under which a solver is proved to end in an answer.
enum class Hypotheses {
  not_checked,  ///< the solver has none, or did not run
  hold,
  unknown,  ///< some could be neither shown nor refuted
  fail,
};

/// Outcome of one solve.
struct SolveReport {
  Termination termination = Termination::not_found;
  int iterations = 0;         ///< pivots, sweeps or steps, as the solver counts
  double residual = -1;       ///< the solver's own, for tuning only; negative when it has none
  bool warm_started = false;  ///< the answer came from the caller's guess
};

}  // namespace stiction::solvers
