#include "stiction/solvers/registry.h"

#include <array>

namespace stiction::solvers {

namespace {

struct Entry {
  SolverInfo info;
  FrictionSolver solver;
};

constexpr std::array<Entry, 10> entries = {{
    {{"auto", "stiction",
      "the solver that suits the problem, and a declared chain of others behind it until one reaches the tolerance"},
     FrictionSolver::automatic},
    {{"gauss-seidel", "jean1999", "one contact at a time, each solved exactly, with Anderson acceleration"},
     FrictionSolver::block_gs},
    {{"newton", "alart1991",
      "nonsmooth Newton on the Alart-Curnier equations with a line search, on a sparse block LU"},
     FrictionSolver::newton},
    {{"newton-fb", "fukushima2002", "the same Newton steps, globalised by the Fischer-Burmeister merit function"},
     FrictionSolver::newton_fb},
    {{"proximal", "rockafellar1976",
      "proximal point around Newton: redundant contacts get a compliance that fades out"},
     FrictionSolver::proximal},
    {{"interior-point", "acary2023", "primal-dual interior point on the second-order cone with De Saxce's term inside"},
     FrictionSolver::interior_point},
    {{"admm", "boyd2011", "alternating directions with adaptive penalty: a linear system and a projection in turns"},
     FrictionSolver::admm},
    {{"pgs", "jean1999", "projected Gauss-Seidel, row by row: the baseline of real-time engines; slow to converge"},
     FrictionSolver::projected_gs},
    {{"enumeration", "stiction", "small problems by brute force: every pattern of open, stick and slip"},
     FrictionSolver::enumeration},
    {{"lemke", "lemke1965",
      "complementary pivoting with the lexicographic rule on a polyhedral cone; warm-started in stewart-trinkle"},
     FrictionSolver::polyhedral_lemke},
}};

constexpr std::array<SolverInfo, entries.size()> make_infos() {
  std::array<SolverInfo, entries.size()> infos = {};
  for (size_t i = 0; i < entries.size(); ++i) infos[i] = entries[i].info;
  return infos;
}

constexpr std::array<SolverInfo, entries.size()> infos = make_infos();

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

std::optional<FrictionSolver> find_friction_solver(std::string_view name) {
  for (const Entry& entry : entries) {
    if (entry.info.name == name) return entry.solver;
  }
  return std::nullopt;
}

}  // namespace stiction::solvers
