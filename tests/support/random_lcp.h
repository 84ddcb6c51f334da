// Random mixed LCPs of every class that solvers are asked to solve, and two oracles.
#pragma once

#include <random>
#include <vector>

#include <Eigen/LU>

#include "stiction/problem/lcp.h"

namespace stiction::testing {

/// What is known of M.
enum class LcpKind {
  p_matrix,    ///< exactly one answer
  low_rank,    ///< positive semidefinite of half rank: an answer wherever z >= 0, w >= 0 is feasible
  copositive,  ///< nonnegative with a positive diagonal: an answer always
  arbitrary,   ///< anything, in (-1, 1)
  integer,     ///< small integers: degenerate and singular patterns
};

inline constexpr LcpKind all_lcp_kinds[] = {LcpKind::p_matrix, LcpKind::low_rank, LcpKind::copositive,
                                            LcpKind::arbitrary, LcpKind::integer};

/// n rows, about `equation_share` of them equations.
inline MixedLcp random_mixed_lcp(LcpKind kind, int n, std::mt19937& random, double equation_share = 0) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> small(-2, 2);
  const auto draw = [&] { return kind == LcpKind::integer ? static_cast<double>(small(random)) : uniform(random); };
  MixedLcp problem = {MatrixX::NullaryExpr(n, n, draw), VectorX::NullaryExpr(n, draw), {}};
  MatrixX& M = problem.M;
  if (kind == LcpKind::p_matrix) M = (M * M.transpose() + (M - M.transpose())).eval() + 0.1 * MatrixX::Identity(n, n);
  if (kind == LcpKind::low_rank) M = (M.leftCols((n + 1) / 2) * M.leftCols((n + 1) / 2).transpose()).eval();
  if (kind == LcpKind::copositive) M = (M.cwiseAbs() + 0.1 * MatrixX::Identity(n, n)).eval();
  for (int i = 0; i < n; ++i) problem.is_complementarity.push_back(uniform(random) >= 2 * equation_share - 1);
  return problem;
}

/// As a mixed LCP without equations.
inline MixedLcp all_pairs(const Lcp& problem) {
  return {problem.M, problem.q, std::vector<std::uint8_t>(problem.q.size(), 1)};
}

/// Does some invertible pattern have an answer? 2^n patterns, singular ones skipped: "false" proves nothing.
inline bool some_pattern_solves(const MixedLcp& problem, VectorX& z) {
  const int n = static_cast<int>(problem.q.size());
  for (int mask = 0; mask < (1 << n); ++mask) {
    MatrixX B = MatrixX::Identity(n, n);
    bool possible = true;
    for (int i = 0; i < n; ++i) {
      if (mask >> i & 1) B.col(i) = -problem.M.col(i);
      possible = possible && (problem.is_complementarity[i] != 0 || (mask >> i & 1));
    }
    const Eigen::FullPivLU<MatrixX> lu(B);
    if (!possible || !lu.isInvertible()) continue;
    const VectorX x = lu.solve(problem.q);
    for (int i = 0; i < n; ++i) possible = possible && (problem.is_complementarity[i] == 0 || x[i] >= -1e-12);
    if (!possible) continue;
    z = VectorX::Zero(n);
    for (int i = 0; i < n; ++i) z[i] = (mask >> i & 1) ? x[i] : 0.0;
    return true;
  }
  return false;
}

}  // namespace stiction::testing
