#include "stiction/solvers/registry.h"

#include <algorithm>
#include <array>

namespace stiction::solvers {

// One line per solver: its file defines a FrictionSolver or LcpSolver of this name.
// clang-format off
#define STICTION_FRICTION_SOLVERS(solver) \
  solver(auto_friction) \
  solver(gauss_seidel_friction) \
  solver(newton_friction) \
  solver(newton_fb_friction) \
  solver(proximal_friction) \
  solver(interior_point_friction) \
  solver(admm_friction) \
  solver(pgs_friction) \
  solver(enumeration_friction) \
  solver(lemke_friction) \
  solver(body_friction)

#define STICTION_LCP_SOLVERS(solver) \
  solver(auto_lcp) \
  solver(lemke_lcp) \
  solver(newton_fb_lcp) \
  solver(pgs_lcp) \
  solver(enumeration_lcp)
// clang-format on

#define DECLARE(name) extern const FrictionSolver name;
STICTION_FRICTION_SOLVERS(DECLARE)
#undef DECLARE
#define DECLARE(name) extern const LcpSolver name;
STICTION_LCP_SOLVERS(DECLARE)
#undef DECLARE

namespace {

#define ADDRESS(name) &name,
constexpr std::array friction = {STICTION_FRICTION_SOLVERS(ADDRESS)};
constexpr std::array lcp = {STICTION_LCP_SOLVERS(ADDRESS)};
#undef ADDRESS

// The one of that name, or nullptr.
template <class Solver>
const Solver* find(std::span<const Solver* const> solvers, std::string_view name) {
  const auto found = std::find_if(solvers.begin(), solvers.end(), [&](const Solver* s) { return s->name == name; });
  return found == solvers.end() ? nullptr : *found;
}

std::vector<SolverInfo> make_infos() {
  std::vector<SolverInfo> infos;
  for (const FrictionSolver* s : friction)
    infos.push_back({s->name, s->source, s->sentence, s, find_lcp_solver(s->name)});
  for (const LcpSolver* s : lcp) {
    if (find_friction_solver(s->name) == nullptr) infos.push_back({s->name, s->source, s->sentence, nullptr, s});
  }
  return infos;
}

}  // namespace

bool SolverInfo::portfolio() const {
  return (friction != nullptr && friction->portfolio) || (lcp != nullptr && lcp->portfolio);
}

std::vector<std::string_view> SolverInfo::takes() const {
  std::vector<std::string_view> forms;
  if (friction != nullptr && friction->takes_local_form()) forms.emplace_back("local");
  if (friction != nullptr && friction->takes_global_form()) forms.emplace_back("global");
  if (lcp != nullptr) forms.emplace_back("lcp");
  return forms;
}

std::span<const FrictionSolver* const> friction_solvers() {
  return friction;
}

std::span<const LcpSolver* const> lcp_solvers() {
  return lcp;
}

std::span<const SolverInfo> solver_infos() {
  static const std::vector<SolverInfo> infos = make_infos();
  return infos;
}

const SolverInfo* find_solver(std::string_view name) {
  const auto infos = solver_infos();
  const auto found =
      std::find_if(infos.begin(), infos.end(), [&](const SolverInfo& info) { return info.name == name; });
  return found == infos.end() ? nullptr : &*found;
}

const FrictionSolver* find_friction_solver(std::string_view name) {
  return find(friction_solvers(), name);
}

const LcpSolver* find_lcp_solver(std::string_view name) {
  return find(lcp_solvers(), name);
}

}  // namespace stiction::solvers
