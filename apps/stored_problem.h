// Stored problems as `stiction solve` sees them: read from files, given to a solver, judged by certify/.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "stiction/base/error.h"
#include "stiction/io/fclib.h"
#include "stiction/problem/lcp.h"
#include "stiction/solvers/report.h"

namespace stiction::cli {

/// A problem in memory.
struct StoredProblem {
  std::string name;  ///< file name without its ending, or the folder's name
  std::string path;
  std::variant<FrictionFile, Lcp, MixedLcp> data;

  /// "friction", "lcp" or "mlcp".
  std::string kind() const;
  /// Contacts (blocks with the contact law), or rows of an LCP or MLCP.
  int size() const;
};

/// Reads one .hdf5 file or one folder of Matrix Market files.
Result<StoredProblem> read_stored_problem(const std::string& path);

/// The problems that a path of the command line stands for: itself, or those in a folder of problems, by name.
Result<std::vector<std::string>> problem_paths(const std::string& path);

/// Names of the solvers that solve problems of this kind, in one form or another, the default first.
std::vector<std::string> solver_names(const std::string& kind);

/// Names of the solvers that solve this problem in the form that it has, the default first.
std::vector<std::string> solver_names(const StoredProblem& problem);

/// What the user asks of a solver.
struct SolveLimits {
  double tolerance = 1e-8;
  double time_limit = 0;  ///< s of CPU time; infinity: none
};

/// How one solver did on one problem; `termination` as certify/ sees it: solved only where the residual is within the
/// tolerance.
struct Attempt {
  std::string solver;
  std::string rung;         ///< which algorithm gave the answer
  bool polyhedral = false;  ///< the answer is of a polyhedral cone
  double time_ms = 0;       ///< CPU time from the problem in memory to the answer
  int iterations = 0;
  double residual = 0;  ///< by certify/
  solvers::Termination termination = solvers::Termination::not_found;
  std::vector<double> answer;
};

/// Solves with a solver named in solver_names(problem).
Attempt attempt(const StoredProblem& problem, const std::string& solver, const SolveLimits& limits);

}  // namespace stiction::cli
