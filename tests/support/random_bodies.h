// Friction problems in body space for tests: random free bodies and trees with every law, and any small problem with a
// definite W as one body.
#pragma once

#include <random>

#include <Eigen/Cholesky>

#include "stiction/problem/body_friction_problem.h"
#include "support/small_friction.h"

namespace stiction::testing {

/// W = J M^-1 J^T and q = J v_free + bias, dense.
inline FrictionProblem condensed(const BodyFrictionProblem& problem) {
  const int rows = problem.row_count(), n = problem.velocity_count();
  MatrixX J = MatrixX::Zero(rows, n), inverse = MatrixX::Zero(n, n);
  for (int b = 0; b < problem.block_count(); ++b) {
    for (int side = 0; side < 2; ++side) {
      const int body = problem.sides[b].body[side];
      if (body < 0) continue;
      J.block(problem.blocks[b].first_row, problem.bodies[body].offset, problem.blocks[b].row_count,
              problem.bodies[body].size) = problem.jacobian_block(b, side);
    }
  }
  for (size_t b = 0; b < problem.bodies.size(); ++b) {
    const auto [offset, size, unused] = problem.bodies[b];
    inverse.block(offset, offset, size, size) =
        problem.mass_block(static_cast<int>(b)).llt().solve(MatrixX::Identity(size, size));
  }
  const VectorX q =
      J * Eigen::Map<const VectorX>(problem.v_free.data(), n) + Eigen::Map<const VectorX>(problem.bias.data(), rows);
  return friction_problem(problem.blocks, J * inverse * J.transpose(), q);
}

/// A problem with a definite W as one body with the mass W^-1 and J = 1.
inline BodyFrictionProblem as_one_body(const FrictionProblem& local) {
  const int n = local.row_count();
  const MatrixX W = MatrixX(matrix_of(local)), M = W.llt().solve(MatrixX::Identity(n, n));
  BodyFrictionProblem problem;
  problem.bodies = {{0, n, 0}};
  const MatrixX symmetric = 0.5 * (M + M.transpose());
  problem.mass.assign(symmetric.data(), symmetric.data() + n * n);
  problem.v_free = local.q;
  problem.blocks = local.blocks;
  problem.bias.assign(n, 0.0);
  problem.jacobian.assign(static_cast<size_t>(n) * n, 0.0);
  for (int i = 0; i < n; ++i) problem.jacobian[static_cast<size_t>(i) * n + i] = 1;
  for (const FrictionBlock& block : local.blocks) problem.sides.push_back({{0, -1}, {block.first_row * n, 0}});
  return problem;
}

/// What random_bodies makes.
struct RandomBodies {
  int bodies = 4;
  int contacts = 8;
  double mass_ratio = 10;
  bool every_law = true;  ///< otherwise contacts of three rows alone
};

/// Free bodies, one of them a tree of nine velocities, that touch each other and the ground and approach: J v_free is
/// the only source of q besides gaps that are not negative, so that an answer exists.
class RandomBodyMaker {
 public:
  BodyFrictionProblem make(const RandomBodies& wanted, unsigned seed) {
    random_.seed(seed);
    wanted_ = wanted;
    problem_.clear();
    for (int b = 0; b < wanted.bodies; ++b) add_body(wanted.every_law && b == 1 ? 9 : 6);
    for (int c = 0; c < wanted.contacts; ++c) add_contact();
    return problem_;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void add_body(int size) {
    MatrixX half(size, size);
    for (double& x : half.reshaped()) x = uniform(-0.2, 0.2);
    MatrixX M = half * half.transpose();
    M.diagonal().array() += 1;
    M *= std::pow(wanted_.mass_ratio, uniform(0, 1));
    problem_.bodies.push_back({problem_.velocity_count(), size, static_cast<int>(problem_.mass.size())});
    problem_.mass.insert(problem_.mass.end(), M.data(), M.data() + M.size());
    for (int i = 0; i < size; ++i) problem_.v_free.push_back(uniform(-1, 1));
  }

  void append(FrictionBlock block, int a, int b) {
    block.first_row = problem_.row_count();
    problem_.blocks.push_back(block);
    BodyRows sides;
    int side = 0;
    for (const int body : {a, b}) {
      if (body < 0) continue;
      sides.body[side] = body;
      sides.offset[side++] = static_cast<int>(problem_.jacobian.size());
      for (int i = 0; i < block.row_count * problem_.bodies[body].size; ++i) {
        problem_.jacobian.push_back(uniform(-1, 1));
      }
    }
    problem_.sides.push_back(sides);
    for (int i = 0; i < block.row_count; ++i) {
      const bool gap = block.law == Law::contact && i == 0 && integer(0, 2) == 0;
      problem_.bias.push_back(gap ? uniform(0, 0.5) : 0.0);
    }
  }

  void add_contact() {
    const int a = integer(0, wanted_.bodies - 1), b = integer(-1, a - 1), kind = wanted_.every_law ? integer(0, 8) : 0;
    const double mu = uniform(0.1, 0.8);
    if (kind <= 2) append(contact_block(3, mu, mu), a, b);
    if (kind == 3) append(contact_block(1), a, b);
    if (kind == 4) append(contact_block(3), a, b);
    if (kind == 5) append(contact_block(3, mu, 0.5 * mu), a, b);
    if (kind == 6) append(bounded_block(integer(1, 3), uniform(0, 0.5)), a, b);
    if (kind == 7) append(bilateral_block(integer(1, 2)), a, b);
    if (kind != 8) return;
    append(contact_block(4, mu, mu, 0.2 * mu), a, b);
    append(bounded_block(2, 0, problem_.block_count() - 1, 0.1), a, b);
  }

  std::mt19937 random_;
  RandomBodies wanted_;
  BodyFrictionProblem problem_;
};

/// The problem of a seed.
inline BodyFrictionProblem random_bodies(const RandomBodies& wanted, unsigned seed) {
  return RandomBodyMaker().make(wanted, seed);
}

}  // namespace stiction::testing
