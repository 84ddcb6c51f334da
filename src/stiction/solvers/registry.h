// The numerical solvers that users can name: one line each.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "stiction/solvers/friction/friction_solver.h"

namespace stiction::solvers {

/// A solver as users see it.
struct SolverInfo {
  std::string_view name;
  std::string_view source;
  std::string_view sentence;
};

/// All solvers, the default first.
std::span<const SolverInfo> solver_infos();

/// The solver of that name, or nullptr.
const SolverInfo* find_solver(std::string_view name);

/// The friction solver of that name.
std::optional<FrictionSolver> find_friction_solver(std::string_view name);

}  // namespace stiction::solvers
