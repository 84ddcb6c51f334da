#include "stiction/solvers/lcp/lcp_auto.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "stiction/base/assert.h"
#include "stiction/solvers/deadline.h"
#include "stiction/solvers/lcp/lcp_measure.h"
#include "stiction/solvers/lcp/mixed_lemke.h"

namespace stiction::solvers {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Tableau up to this size: n^2 numbers a pivot are cheaper than a sparse solve.
constexpr int kTableauRows = 250;

// Enumeration needs a few n^3 a case.
constexpr int kEnumerationRows = 400;
constexpr double kEnumerationWork = 4e9;

constexpr std::array<std::pair<LcpSolver, std::string_view>, 5> kNames = {{{LcpSolver::automatic, "auto"},
                                                                           {LcpSolver::lemke, "lemke"},
                                                                           {LcpSolver::newton_fb, "newton-fb"},
                                                                           {LcpSolver::pgs, "pgs"},
                                                                           {LcpSolver::enumeration, "enumeration"}}};

struct Chain {
  const MixedLcp& problem;
  const LcpOptions& options;
  LcpWorkspace& work;
  int n;
  bool mixed;
  Deadline deadline;
  double best = kInfinity;
  LcpReport report = {};

  const std::uint8_t* flags() const { return mixed ? problem.is_complementarity.data() : nullptr; }
  bool offer(std::string_view rung, const SolveReport& solve);
  bool ended() const { return report.solve.termination != Termination::not_found; }

  bool warm_basis(const VectorX& guess);
  bool lemke();
  bool tableau();
  bool sparse();
  bool ray();
  bool newton(bool warm);
  bool pgs();
  bool enumeration(int max_nodes);
  bool automatic(const VectorX& guess);
};

// Takes work.trial over where it is the best so far; true where it solves the problem or time is up.
bool Chain::offer(std::string_view rung, const SolveReport& solve) {
  report.solve.iterations += solve.iterations;
  const double residual = lcp_measure(problem, work.trial, work.w, work.terms);
  if (residual < best) {
    best = report.solve.residual = residual;
    report.rung = rung;
    report.solve.warm_started = solve.warm_started;
    work.best = work.trial;
  }
  if (best <= options.tolerance) {
    report.solve.termination = Termination::solved;
  } else if (deadline.passed()) {
    report.solve.termination = Termination::time_limit;
  }
  return ended();
}

// The basis of the guess. Pure LCPs: with the repairs of Lemke's warm start and pivoting off.
bool Chain::warm_basis(const VectorX& guess) {
  NewtonLcpOptions none;
  none.tolerance = options.tolerance;
  none.max_iterations = 0;
  none.warm_start = true;
  work.trial = guess;
  SolveReport solve = solve_newton_lcp(work.M, problem.q.data(), flags(), none, work.newton, work.trial.data());
  solve.warm_started = true;
  return offer("warm-basis", solve);
}

bool Chain::tableau() {
  LemkeOptions lemke;
  lemke.max_pivots = options.max_iterations;
  lemke.time_limit = deadline.left();
  work.trial.resize(n);
  work.w.resize(n);
  const SolveReport solve =
      solve_lemke({n, problem.M.data(), problem.q.data()}, false, lemke, work.lemke, work.trial.data(), work.w.data());
  return offer("lemke", solve);
}

bool Chain::sparse() {
  SparseLemkeOptions lemke;
  lemke.lemke.max_pivots = options.max_iterations;
  lemke.time_limit = deadline.left();
  work.trial.resize(n);
  work.w.resize(n);
  const SolveReport solve =
      solve_sparse_lemke(work.M, problem.q.data(), false, lemke, work.sparse_lemke, work.trial.data(), work.w.data());
  return offer("sparse-lemke", solve);
}

// A ray whose z refutes the problem.
bool Chain::ray() {
  if (work.sparse_lemke.ray.empty()) return false;
  VectorX y = Eigen::Map<const VectorX>(work.sparse_lemke.ray.data(), n);
  y /= y.lpNorm<Eigen::Infinity>();
  EnumerationOptions rules;
  rules.tolerance = options.tolerance;
  if (!y.allFinite() || !refutes(problem, y, std::vector<LpSign>(2 * n, LpSign::nonnegative), rules)) return false;
  report.proof = {{-1}, {y}};
  report.rung = "farkas";
  report.solve.termination = Termination::no_solution;
  return true;
}

bool Chain::lemke() {
  if (mixed) {
    LemkeOptions lemke;
    lemke.max_pivots = options.max_iterations;
    lemke.time_limit = deadline.left();
    const SolveReport solve = solve_mixed_lemke(problem, work.trial, lemke);
    return offer("mixed-lemke", solve);
  }
  if (n > kTableauRows && (sparse() || ray())) return true;
  return tableau();
}

bool Chain::newton(bool warm) {
  NewtonLcpOptions rules;
  rules.tolerance = options.tolerance;
  rules.warm_start = warm;
  rules.time_limit = deadline.left();
  if (options.max_iterations > 0) rules.max_iterations = options.max_iterations;
  work.trial.resize(n);
  return offer("newton-fb", solve_newton_lcp(work.M, problem.q.data(), flags(), rules, work.newton, work.trial.data()));
}

bool Chain::pgs() {
  PgsLcpOptions rules;
  rules.tolerance = options.tolerance;
  rules.warm_start = options.warm_start;
  rules.time_limit = deadline.left();
  if (options.max_iterations > 0) rules.max_sweeps = options.max_iterations;
  return offer("pgs", solve_pgs_lcp(work.M, problem.q.data(), flags(), rules, work.pgs, work.trial.data()));
}

bool Chain::enumeration(int max_nodes) {
  EnumerationOptions rules;
  rules.tolerance = options.tolerance;
  rules.time_limit = deadline.left();
  if (max_nodes > 0) rules.max_nodes = max_nodes;
  const SolveReport solve = solve_enumeration(problem, rules, work.trial, &report.proof);
  if (solve.termination != Termination::no_solution) return offer("enumeration", solve);
  report.solve.iterations += solve.iterations;
  report.solve.termination = Termination::no_solution;
  report.rung = report.proof.nodes.size() == 1 ? "farkas" : "enumeration";
  return true;
}

bool Chain::automatic(const VectorX& guess) {
  if (options.warm_start && warm_basis(guess)) return true;
  if (lemke() || newton(false)) return true;
  if (n > kEnumerationRows) return false;
  const double cases = kEnumerationWork / (10.0 * n * n * n + 1000);
  return enumeration(static_cast<int>(std::clamp(cases, 1.0, 1e6)));
}

}  // namespace

std::string_view lcp_solver_name(LcpSolver solver) {
  for (const auto& [value, name] : kNames) {
    if (value == solver) return name;
  }
  return "auto";
}

std::optional<LcpSolver> find_lcp_solver(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

LcpReport solve_lcp(LcpSolver solver, const MixedLcp& problem, const LcpOptions& options, LcpWorkspace& workspace,
                    VectorX& z) {
  const int n = static_cast<int>(problem.q.size());
  STICTION_ASSERT(problem.M.rows() == n && problem.M.cols() == n, "M must be n x n for n values of q");
  STICTION_ASSERT(static_cast<int>(problem.is_complementarity.size()) == n, "one flag per row");
  STICTION_ASSERT(!options.warm_start || z.size() == n, "a guess has one value per row");
  const bool mixed = std::any_of(problem.is_complementarity.begin(), problem.is_complementarity.end(),
                                 [](std::uint8_t flag) { return flag == 0; });
  Chain chain{problem, options, workspace, n, mixed, Deadline(options.time_limit)};
  workspace.best.setZero(n);
  if (problem.M.allFinite() && problem.q.allFinite()) {
    workspace.M.assign_dense(n, problem.M.data());
    if (options.warm_start) {
      workspace.trial = z;
    } else {
      workspace.trial.setZero(n);
    }
    switch (solver) {
      case LcpSolver::automatic:
        chain.automatic(z);
        break;
      case LcpSolver::lemke:
        chain.lemke();
        break;
      case LcpSolver::newton_fb:
        chain.newton(options.warm_start);
        break;
      case LcpSolver::pgs:
        chain.pgs();
        break;
      case LcpSolver::enumeration:
        chain.enumeration(options.max_iterations);
    }
  }
  z = workspace.best;
  return std::move(chain.report);
}

}  // namespace stiction::solvers
