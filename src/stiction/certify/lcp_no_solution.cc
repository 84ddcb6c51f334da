#include "stiction/certify/lcp_no_solution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stiction/base/assert.h"
#include "stiction/base/infinity.h"

namespace stiction::certify {
namespace {

// What is known of a pair in the present case.
enum class Side : std::uint8_t { open, z_zero, w_zero };

struct Checker {
  const MixedLcp& problem;
  const LcpNoSolutionProof& proof;
  const NoSolutionOptions& options;
  Eigen::Index n = problem.q.size();
  double rounding = 0;  // bound of the relative error of a sum of n products, and of what is added to it here
  double t = 0;         // largest w of an answer that counts as solved
  VectorX unit = {};    // u
  std::vector<Side> side = {};
  size_t node = 0;
  size_t leaf = 0;
  NoSolutionCheck result = {false, infinity, 0, {}};

  void prepare();
  bool fail(std::string_view reason);
  bool walk();
  bool branch(int pair);
  bool check_leaf(const VectorX& y);
  double wrong_part(Eigen::Index j, double c, double error) const;
};

void Checker::prepare() {
  side.assign(n, Side::open);
  rounding = static_cast<double>(4 * n + 16) * std::numeric_limits<double>::epsilon();
  const double size = problem.q.norm();
  t = options.tolerance * (size > 0 ? size : 1.0) * (1 + rounding);
  unit.resize(n);
  const double q_largest = problem.q.lpNorm<Eigen::Infinity>();
  for (Eigen::Index j = 0; j < n; ++j) {
    const double column = problem.M.col(j).lpNorm<Eigen::Infinity>();
    unit[j] = q_largest > 0 && column > 0 ? q_largest / column : 1.0;
  }
}

bool Checker::fail(std::string_view reason) {
  if (result.reason.empty()) result.reason = reason;
  return false;
}

// The part of c_j that could help a solution: all of it where z_j is free, what is positive where z_j >= 0, nothing
// where z_j = 0. An upper bound.
double Checker::wrong_part(Eigen::Index j, double c, double error) const {
  if (problem.is_complementarity[j] == 0) return std::abs(c) + error;
  return side[j] == Side::z_zero ? 0.0 : std::max(0.0, c + error);
}

bool Checker::check_leaf(const VectorX& y) {
  if (y.size() != n || !y.allFinite()) return fail("multipliers of a leaf have the wrong size or are not finite");
  double bound = y.dot(problem.q) + rounding * y.cwiseAbs().dot(problem.q.cwiseAbs());
  double slack = 0;  // of answers that are right up to t
  double wrong = 0;  // sum of wrong parts in units of u
  for (Eigen::Index i = 0; i < n; ++i) {
    const bool equation = problem.is_complementarity[i] == 0;
    if (!equation && side[i] != Side::w_zero && y[i] < 0) return fail("a multiplier of an inequality is negative");
    slack += std::abs(y[i]);
    const double c = problem.M.col(i).dot(y);
    const double error = rounding * problem.M.col(i).cwiseAbs().dot(y.cwiseAbs());
    wrong += wrong_part(i, c, error) * unit[i];
    const double d = problem.M(i, i) > 0 ? problem.M(i, i) : 1.0;
    if (!equation) slack += (std::abs(c) + error) / d;
  }
  bound += t * slack * (1 + rounding);
  if (!(bound < 0)) return fail("the multipliers of a leaf do not refute it: y . q is not negative enough");
  const double radius = wrong > 0 ? -bound / wrong * (1 - rounding) : infinity;
  result.radius = std::min(result.radius, radius);
  if (!(radius >= options.radius)) return fail("the multipliers of a leaf refute it only near the origin");
  return true;
}

bool Checker::branch(int pair) {
  if (pair >= n || problem.is_complementarity[pair] == 0) return fail("a node splits on something other than a pair");
  if (side[pair] != Side::open) return fail("a node splits on a pair that is settled");
  for (const Side value : {Side::z_zero, Side::w_zero}) {
    side[pair] = value;
    if (!walk()) return false;
  }
  side[pair] = Side::open;
  return true;
}

bool Checker::walk() {
  if (node >= proof.nodes.size()) return fail("the tree ends before all cases are covered");
  const int pair = proof.nodes[node++];
  if (pair >= 0) return branch(pair);
  if (leaf >= proof.multipliers.size()) return fail("a leaf has no multipliers");
  ++result.leaves;
  return check_leaf(proof.multipliers[leaf++]);
}

}  // namespace

NoSolutionCheck check_no_solution(const MixedLcp& problem, const LcpNoSolutionProof& proof,
                                  const NoSolutionOptions& options) {
  const auto n = problem.q.size();
  STICTION_ASSERT(problem.M.rows() == n && problem.M.cols() == n, "M must be n x n for n values of q");
  STICTION_ASSERT(static_cast<Eigen::Index>(problem.is_complementarity.size()) == n, "one flag per row");
  Checker checker{problem, proof, options};
  if (!problem.M.allFinite() || !problem.q.allFinite()) {
    checker.fail("the problem is not finite");
  } else {
    checker.prepare();
    checker.result.proved = checker.walk();
  }
  if (checker.result.proved && checker.node != proof.nodes.size()) {
    checker.result.proved = checker.fail("the tree goes on after all cases are covered");
  }
  if (!checker.result.proved) checker.result.radius = 0;
  return checker.result;
}

}  // namespace stiction::certify
