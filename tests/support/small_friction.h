// Small friction problems for tests: blocks, a dense W and q; and a set that holds every law.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "stiction/math/types.h"
#include "stiction/problem/friction_matrix.h"
#include "stiction/problem/friction_problem.h"

namespace stiction::testing {

using Law = FrictionBlock::Law;

/// A problem from blocks (first_row is filled in), W and q.
inline FrictionProblem friction_problem(std::vector<FrictionBlock> blocks, const MatrixX& W, const VectorX& q) {
  FrictionProblem problem;
  int row = 0;
  for (FrictionBlock& block : blocks) {
    block.first_row = row;
    row += block.row_count;
  }
  problem.blocks = std::move(blocks);
  problem.q.assign(q.data(), q.data() + q.size());
  set_matrix(problem, SparseRows(W.sparseView(1, -1)));
  return problem;
}

inline FrictionBlock contact_block(int rows, double a = 0, double b = 0, double c = 0) {
  FrictionBlock block;
  block.row_count = rows;
  block.axes = {a, b, c};
  return block;
}

inline FrictionBlock bounded_block(int rows, double bound, int link = -1, double axis = 1) {
  FrictionBlock block;
  block.law = Law::bounded;
  block.row_count = rows;
  block.axes = {axis, rows > 1 ? axis : 0, rows > 2 ? axis : 0};
  block.bound = bound;
  block.link = link;
  return block;
}

inline FrictionBlock bilateral_block(int rows) {
  FrictionBlock block;
  block.law = Law::bilateral;
  block.row_count = rows;
  return block;
}

/// A positive definite matrix with couplings of order `coupling`.
inline MatrixX definite_matrix(int n, unsigned seed, double coupling = 0.3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixX A(n, n);
  for (int i = 0; i < n * n; ++i) A.data()[i] = uniform(random);
  return MatrixX::Identity(n, n) + coupling * A * A.transpose() / n;
}

/// A problem with a name.
struct NamedProblem {
  std::string name;
  FrictionProblem problem;
};

/// Every law and shape of block; W definite, so that an answer exists.
inline std::vector<NamedProblem> every_law() {
  std::vector<NamedProblem> problems;
  const auto add = [&](const std::string& name, std::vector<FrictionBlock> blocks, unsigned seed) {
    int rows = 0;
    for (const FrictionBlock& block : blocks) rows += block.row_count;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    VectorX q(rows);
    for (double& x : q) x = uniform(random);
    rows = 0;
    for (const FrictionBlock& block : blocks) {
      if (block.law == Law::contact) q[rows] -= 0.8;  // most of them touch
      rows += block.row_count;
    }
    problems.push_back({name, friction_problem(std::move(blocks), definite_matrix(rows, seed), q)});
  };
  for (unsigned k = 1; k <= 3; ++k) {
    const std::string n = "_" + std::to_string(k);
    const FrictionBlock round = contact_block(3, 0.4, 0.4);
    add("limits" + n, {contact_block(1), contact_block(1), contact_block(1)}, 10 + k);
    add("planar" + n, {contact_block(2, 0.5), contact_block(2, 0.2)}, 20 + k);
    add("round" + n, {round, round, contact_block(3, 0.9, 0.9)}, 30 + k);
    add("torsion" + n, {contact_block(4, 0.4, 0.4, 0.05), contact_block(4, 0.3, 0.3, 0.3)}, 40 + k);
    add("elliptic" + n, {contact_block(3, 0.6, 0.2), contact_block(3, 0.1, 0.5)}, 50 + k);
    add("joint_friction" + n, {bounded_block(1, 0.3), bounded_block(2, 0.2), bounded_block(3, 0.5)}, 60 + k);
    add("rolling" + n, {round, bounded_block(2, 0, 0, 0.1), round, bounded_block(3, 0, 2, 0.2)}, 70 + k);
    add("bilateral" + n, {bilateral_block(3), round, bilateral_block(1), round}, 80 + k);
    add("frictionless" + n, {contact_block(3), contact_block(3), round}, 90 + k);
    add("everything" + n,
        {bilateral_block(6), contact_block(1), contact_block(2, 0.3), round, contact_block(4, 0.5, 0.3, 0.1),
         bounded_block(1, 0.2), bounded_block(2, 0, 3, 0.05)},
        100 + k);
  }
  return problems;
}

}  // namespace stiction::testing
