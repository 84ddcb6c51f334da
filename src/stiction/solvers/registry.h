// The numerical solvers that users can name. Each describes itself in the file of its algorithm; registry.cc has a line
// each, and the command line, scene files, benchmarks, tests and the documentation iterate these lists.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "stiction/solvers/friction/friction_solver.h"
#include "stiction/solvers/lcp/lcp_auto.h"

namespace stiction::solvers {

/// A name as users see it, and the kinds of problems that it solves; source and sentence are those of the friction
/// solver where it is both.
struct SolverInfo {
  std::string_view name;
  std::string_view source;
  std::string_view sentence;
  const FrictionSolver* friction = nullptr;  ///< of frictional contact problems
  const LcpSolver* lcp = nullptr;            ///< of LCPs and mixed LCPs

  /// Several algorithms in turn for one of them: reports name the one that gave the answer.
  bool portfolio() const;
  /// The forms of problems that it takes: "local" and "global" of friction, "lcp".
  std::vector<std::string_view> takes() const;
};

/// The solvers of frictional contact problems, the default first. Each says whether it takes the local form, the global
/// one, or both.
std::span<const FrictionSolver* const> friction_solvers();

/// The solvers of LCPs and mixed LCPs, the default first.
std::span<const LcpSolver* const> lcp_solvers();

/// Every name once, the default first.
std::span<const SolverInfo> solver_infos();

/// The solver of that name, or nullptr.
const SolverInfo* find_solver(std::string_view name);

/// The friction solver of that name, or nullptr.
const FrictionSolver* find_friction_solver(std::string_view name);

/// The LCP solver of that name, or nullptr.
const LcpSolver* find_lcp_solver(std::string_view name);

}  // namespace stiction::solvers
