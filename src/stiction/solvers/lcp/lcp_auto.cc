#include "stiction/solvers/lcp/lcp_auto.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stiction/base/assert.h"
#include "stiction/solvers/lcp/lcp_measure.h"
#include "stiction/solvers/lcp/lcp_solve.h"
#include "stiction/solvers/lcp/mixed_lemke.h"

namespace stiction::solvers {
namespace {

// Tableau up to this size: n^2 numbers per pivot are cheaper than a sparse solve.
constexpr int tableau_rows = 250;

// Enumeration needs a few n^3 per case.
constexpr int enumeration_rows = 400;
constexpr double enumeration_work = 4e9;

// The basis of the guess. Pure LCPs: with the repairs of Lemke's warm start and pivoting off.
bool warm_basis(LcpSolve& s, const VectorX& guess) {
  NewtonLcpOptions none;
  none.tolerance = s.options.tolerance;
  none.max_iterations = 0;
  none.warm_start = true;
  s.work.trial = guess;
  SolveReport solve =
      solve_newton_lcp(s.work.M, s.problem.q.data(), s.flags(), none, s.work.newton, s.work.trial.data());
  solve.warm_started = true;
  return s.offer("warm-basis", solve);
}

bool tableau(LcpSolve& s) {
  LemkeOptions lemke;
  lemke.max_pivots = s.options.max_iterations;
  lemke.time_limit = s.deadline.left();
  s.work.trial.resize(s.n);
  s.work.w.resize(s.n);
  const SolveReport solve = solve_lemke({s.n, s.problem.M.data(), s.problem.q.data()}, false, lemke, s.work.lemke,
                                        s.work.trial.data(), s.work.w.data());
  return s.offer("lemke", solve);
}

bool sparse(LcpSolve& s) {
  SparseLemkeOptions lemke;
  lemke.lemke.max_pivots = s.options.max_iterations;
  lemke.time_limit = s.deadline.left();
  s.work.trial.resize(s.n);
  s.work.w.resize(s.n);
  const SolveReport solve = solve_sparse_lemke(s.work.M, s.problem.q.data(), false, lemke, s.work.sparse_lemke,
                                               s.work.trial.data(), s.work.w.data());
  return s.offer("sparse-lemke", solve);
}

// A ray whose z refutes the problem.
bool ray(LcpSolve& s) {
  if (s.work.sparse_lemke.ray.empty()) return false;
  VectorX y = Eigen::Map<const VectorX>(s.work.sparse_lemke.ray.data(), s.n);
  y /= y.lpNorm<Eigen::Infinity>();
  EnumerationOptions rules;
  rules.tolerance = s.options.tolerance;
  if (!y.allFinite() || !refutes(s.problem, y, std::vector<LpSign>(2 * s.n, LpSign::nonnegative), rules)) return false;
  s.report.proof = {{-1}, {y}};
  s.report.rung = "farkas";
  s.report.solve.termination = Termination::no_solution;
  return true;
}

bool lemke(LcpSolve& s) {
  if (s.mixed) {
    LemkeOptions lemke;
    lemke.max_pivots = s.options.max_iterations;
    lemke.time_limit = s.deadline.left();
    const SolveReport solve = solve_mixed_lemke(s.problem, s.work.trial, lemke);
    return s.offer("mixed-lemke", solve);
  }
  if (s.n > tableau_rows && (sparse(s) || ray(s))) return true;
  return tableau(s);
}

bool newton(LcpSolve& s, bool warm) {
  NewtonLcpOptions rules;
  rules.tolerance = s.options.tolerance;
  rules.warm_start = warm;
  rules.time_limit = s.deadline.left();
  if (s.options.max_iterations > 0) rules.max_iterations = s.options.max_iterations;
  s.work.trial.resize(s.n);
  return s.offer("newton-fb",
                 solve_newton_lcp(s.work.M, s.problem.q.data(), s.flags(), rules, s.work.newton, s.work.trial.data()));
}

bool pgs(LcpSolve& s) {
  PgsLcpOptions rules;
  rules.tolerance = s.options.tolerance;
  rules.warm_start = s.options.warm_start;
  rules.time_limit = s.deadline.left();
  if (s.options.max_iterations > 0) rules.max_sweeps = s.options.max_iterations;
  return s.offer("pgs", solve_pgs_lcp(s.work.M, s.problem.q.data(), s.flags(), rules, s.work.pgs, s.work.trial.data()));
}

bool enumeration(LcpSolve& s, int max_nodes) {
  EnumerationOptions rules;
  rules.tolerance = s.options.tolerance;
  rules.time_limit = s.deadline.left();
  if (max_nodes > 0) rules.max_nodes = max_nodes;
  const SolveReport solve = solve_enumeration(s.problem, rules, s.work.trial, &s.report.proof);
  if (solve.termination != Termination::no_solution) return s.offer("enumeration", solve);
  s.report.solve.iterations += solve.iterations;
  s.report.solve.termination = Termination::no_solution;
  s.report.rung = s.report.proof.nodes.size() == 1 ? "farkas" : "enumeration";
  return true;
}

bool automatic(LcpSolve& s, const VectorX& guess) {
  if (s.options.warm_start && warm_basis(s, guess)) return true;
  if (lemke(s) || newton(s, false)) return true;
  if (s.n > enumeration_rows) return false;
  const double cases = enumeration_work / (10.0 * s.n * s.n * s.n + 1000);
  return enumeration(s, static_cast<int>(std::clamp(cases, 1.0, 1e6)));
}

}  // namespace

bool LcpSolve::offer(std::string_view rung, const SolveReport& solve) {
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

LcpReport solve_lcp(const LcpSolver& solver, const MixedLcp& problem, const LcpOptions& options,
                    LcpWorkspace& workspace, VectorX& z) {
  const int n = static_cast<int>(problem.q.size());
  STICTION_ASSERT(problem.M.rows() == n && problem.M.cols() == n, "M must be n x n for n values of q");
  STICTION_ASSERT(static_cast<int>(problem.is_complementarity.size()) == n, "one flag per row");
  STICTION_ASSERT(!options.warm_start || z.size() == n, "a guess has one value per row");
  const bool mixed = std::any_of(problem.is_complementarity.begin(), problem.is_complementarity.end(),
                                 [](std::uint8_t flag) { return flag == 0; });
  LcpSolve solve{problem, options, workspace, n, mixed, Deadline(options.time_limit)};
  workspace.best.setZero(n);
  if (problem.M.allFinite() && problem.q.allFinite()) {
    workspace.M.assign_dense(n, problem.M.data());
    if (options.warm_start) {
      workspace.trial = z;
    } else {
      workspace.trial.setZero(n);
    }
    solver.run(solve, z);
  }
  z = workspace.best;
  return std::move(solve.report);
}

constinit const LcpSolver auto_lcp = {.name = "auto",
                                      .source = "stiction",
                                      .sentence = "pivoting, and a declared chain of others behind it",
                                      .run = [](LcpSolve& s, const VectorX& guess) { automatic(s, guess); },
                                      .portfolio = true};

constinit const LcpSolver lemke_lcp = {
    .name = "lemke",
    .source = "lemke1965",
    .sentence = "complementary pivoting with the lexicographic rule: a tableau, sparse, or for mixed problems",
    .run = [](LcpSolve& s, const VectorX& /*guess*/) { lemke(s); },
    .portfolio = true};

constinit const LcpSolver newton_fb_lcp = {
    .name = "newton-fb",
    .source = "deluca1996",
    .sentence = "Newton on the Fischer-Burmeister function, polished by the LU of its basis",
    .run = [](LcpSolve& s, const VectorX& /*guess*/) { newton(s, s.options.warm_start); }};

constinit const LcpSolver pgs_lcp = {.name = "pgs",
                                     .source = "cryer1971",
                                     .sentence = "projected Gauss-Seidel, row by row",
                                     .run = [](LcpSolve& s, const VectorX& /*guess*/) { pgs(s); }};

constinit const LcpSolver enumeration_lcp = {
    .name = "enumeration",
    .source = "stiction",
    .sentence = "all cases, by branch and bound, with a proof where none has an answer",
    .run = [](LcpSolve& s, const VectorX& /*guess*/) { enumeration(s, s.options.max_iterations); }};

}  // namespace stiction::solvers
