#include "stiction/solvers/registry.h"

#include <array>

namespace stiction::solvers {

namespace {

constexpr std::array<SolverInfo, 2> infos = {{
    {"auto", "stiction", "the solver that suits the method's problem: lemke for the LCP of stewart-trinkle"},
    {"lemke", "lemke1965",
     "complementary pivoting with the lexicographic rule, warm-started from the last step's basis"},
}};

}  // namespace

std::span<const SolverInfo> solver_infos() {
  return infos;
}

const SolverInfo* find_solver(std::string_view name) {
  for (const SolverInfo& info : infos) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

}  // namespace stiction::solvers
