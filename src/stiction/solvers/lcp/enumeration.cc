#include "stiction/solvers/lcp/enumeration.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/assert.h"
#include "stiction/base/infinity.h"
#include "stiction/solvers/deadline.h"
#include "stiction/solvers/lcp/lcp_measure.h"
#include "stiction/solvers/lcp/small_lp.h"

namespace stiction::solvers {
namespace {

struct Search {
  const MixedLcp& problem;
  const EnumerationOptions& options;
  VectorX& z;
  int n;
  Deadline deadline;
  LpScaling scaled{problem};
  LcpNoSolutionProof proof = {};
  VectorX w = {}, terms = {};
  bool doubtful = false;  // some case was neither solved nor refuted
  bool stopped = false;   // a limit was reached
  SolveReport report = {};

  bool explore(LpDictionary& dictionary);
  bool accept(const LpDictionary& dictionary);
  void refute(const LpDictionary& dictionary);
  int most_violated_pair(const LpDictionary& dictionary) const;
};

// The vertex of the dictionary, if it solves the problem; the best one stays in z.
bool Search::accept(const LpDictionary& dictionary) {
  VectorX candidate = dictionary.solve_basis(scaled).cwiseProduct(scaled.column) * scaled.q_scale;
  for (int i = 0; i < n; ++i) {
    if (problem.is_complementarity[i] != 0) candidate[i] = std::max(0.0, candidate[i]);
  }
  const double residual = lcp_measure(problem, candidate, w, terms);
  if (report.residual < 0 || residual < report.residual) {
    report.residual = residual;
    z = candidate;
  }
  return residual <= options.tolerance;
}

// The open pair whose z and w are both farthest from zero; then any open pair; -1: all are settled.
int Search::most_violated_pair(const LpDictionary& dictionary) const {
  std::vector<double> values(2 * n, 0.0);
  for (int r = 0; r < n; ++r) values[dictionary.basic[r]] = dictionary.value[r];
  int best = -1;
  double largest = -infinity;
  for (int i = 0; i < n; ++i) {
    if (dictionary.sign[i] != LpSign::nonnegative || dictionary.sign[n + i] != LpSign::nonnegative) continue;
    const double size = std::min(values[i], values[n + i]);
    if (size <= largest) continue;
    largest = size;
    best = i;
  }
  return best;
}

void Search::refute(const LpDictionary& dictionary) {
  VectorX y = dictionary.multipliers(scaled).cwiseProduct(scaled.row);
  const double size = y.lpNorm<Eigen::Infinity>();
  if (size > 0) y /= size;
  if (!y.allFinite() || !refutes(problem, y, dictionary.sign, options)) doubtful = true;
  proof.nodes.push_back(-1);
  proof.multipliers.push_back(y);
}

// True: z solves the problem.
bool Search::explore(LpDictionary& dictionary) {
  stopped = stopped || ++report.iterations > options.max_nodes || deadline.passed();
  if (stopped) return false;
  switch (dictionary.make_feasible(scaled)) {
    case LpEnd::infeasible:
      refute(dictionary);
      return false;
    case LpEnd::stalled:
      doubtful = true;
      break;
    case LpEnd::feasible:
      if (accept(dictionary)) return true;
  }
  const int pair = most_violated_pair(dictionary);
  if (pair < 0) {
    doubtful = true;
    return false;
  }
  proof.nodes.push_back(pair);
  for (const int variable : {n + pair, pair}) {  // z = 0 first, then w = 0: the order of the proof
    LpDictionary child = dictionary;
    child.sign[variable] = LpSign::zero;
    if (explore(child)) return true;
  }
  return false;
}

}  // namespace

// In the problem's own units; t is what an answer within the tolerance may be off by.
bool refutes(const MixedLcp& problem, const VectorX& y, const std::vector<LpSign>& sign,
             const EnumerationOptions& options) {
  const auto n = problem.q.size();
  const double q_largest = problem.q.lpNorm<Eigen::Infinity>();
  const double t = options.tolerance * problem.q.norm();
  const double noise = 8e-16 * static_cast<double>(n + 4);
  double bound = y.dot(problem.q) + noise * y.cwiseAbs().dot(problem.q.cwiseAbs()) + t * y.lpNorm<1>();
  double wrong = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    if (sign[j] == LpSign::nonnegative && y[j] < 0) return false;
    const double c = problem.M.col(j).dot(y);
    const double error = noise * problem.M.col(j).cwiseAbs().dot(y.cwiseAbs());
    const LpSign kind = sign[n + j];
    const double column = problem.M.col(j).lpNorm<Eigen::Infinity>();
    const double part = kind == LpSign::free ? std::abs(c) + error : std::max(0.0, c + error);
    if (kind != LpSign::zero && column > 0) wrong += part * q_largest / column;
    const double d = problem.M(j, j) > 0 ? problem.M(j, j) : 1.0;
    if (kind != LpSign::free) bound += t * (std::abs(c) + error) / d;
  }
  return bound < 0 && -bound >= 1.1 * options.radius * wrong;
}

SolveReport solve_enumeration(const MixedLcp& problem, const EnumerationOptions& options, VectorX& z,
                              LcpNoSolutionProof* proof) {
  const auto n = problem.q.size();
  STICTION_ASSERT(problem.M.rows() == n && problem.M.cols() == n, "M must be n x n for n values of q");
  STICTION_ASSERT(static_cast<Eigen::Index>(problem.is_complementarity.size()) == n, "one flag per row");
  z = VectorX::Constant(n, std::numeric_limits<double>::quiet_NaN());
  if (!problem.M.allFinite() || !problem.q.allFinite()) return {};
  Search search{problem, options, z, static_cast<int>(n), Deadline(options.time_limit)};
  LpDictionary root(search.scaled, problem.is_complementarity);
  if (search.explore(root)) {
    search.report.termination = Termination::solved;
  } else if (search.stopped) {
    const bool late = search.deadline.passed();
    search.report.termination = late ? Termination::time_limit : Termination::not_found;
  } else if (!search.doubtful) {
    search.report.termination = Termination::no_solution;
    if (proof != nullptr) *proof = std::move(search.proof);
  }
  return search.report;
}

}  // namespace stiction::solvers
