// Stacks of free boxes on the ground as step problems, and their polyhedral LCP: what tests and benchmarks of solvers
// and of the certificate work on. Written from trinkle2003 (25)-(37) without using any method of the project.
#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "stiction/problem/lcp.h"
#include "stiction/problem/step_problem.h"

namespace stiction::testing {

/// What to stack.
struct StackOptions {
  int boxes = 1;
  bool tower = true;  ///< on top of each other; otherwise side by side on the ground
  double friction = 0.5;
  double mass_ratio = 1;  ///< mass of a box over that of the one below
  double step = 1.0 / 60;
  double push = 0;    ///< m/s: size of random start velocities
  double jitter = 0;  ///< m: size of random gaps
  Vector3 gravity = {0, 0, -9.81};
  unsigned seed = 1;
};

namespace detail {

struct StackBuilder {
  const StackOptions& options;
  StepProblem problem;
  std::mt19937 random;

  double uniform(double size) { return size * std::uniform_real_distribution<double>(-1, 1)(random); }

  // A free box of unit size: velocity = (linear, angular) of its centre in world axes.
  void add_box(double mass) {
    const int index = static_cast<int>(problem.trees.size());
    problem.trees.push_back({6 * index, 6, 36 * index});
    Matrix6 M = Matrix6::Zero();
    M.diagonal() << mass, mass, mass, mass / 6, mass / 6, mass / 6;
    problem.mass.insert(problem.mass.end(), M.data(), M.data() + 36);
  }

  // Rows (normal z, x, y) of the velocity of body b over body a (-1: ground) at a point given from each centre.
  void add_contact(int a, int b, const Vector3& arm_a, const Vector3& arm_b) {
    RowBlock block;
    block.first_row = problem.row_count;
    block.row_count = 3;
    const int body[2] = {b, a};
    const Vector3 arm[2] = {arm_b, arm_a};
    for (int side = 0; side < (a < 0 ? 1 : 2); ++side) {
      block.tree[side] = body[side];
      block.offset[side] = static_cast<int>(problem.jacobian.size());
      append_rows(arm[side], side == 0 ? 1.0 : -1.0);
    }
    ContactRows contact;
    contact.block = static_cast<int>(problem.blocks.size());
    contact.gap = options.jitter > 0 ? std::abs(uniform(options.jitter)) : 0.0;
    contact.normal_bias = contact.gap / options.step;
    contact.friction = {options.friction, options.friction};
    problem.blocks.push_back(block);
    problem.contacts.push_back(contact);
    problem.row_count += 3;
  }

  void append_rows(const Vector3& arm, double sign) {
    for (const Vector3& axis : {Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(0, 1, 0)}) {
      const Vector3 turn = arm.cross(axis);
      for (int i = 0; i < 3; ++i) problem.jacobian.push_back(sign * axis[i]);
      for (int i = 0; i < 3; ++i) problem.jacobian.push_back(sign * turn[i]);
    }
  }

  void add_velocities() {
    const int size = 6 * static_cast<int>(problem.trees.size());
    problem.v_start = VectorX::Zero(size);
    problem.external_impulse = VectorX::Zero(size);
    for (int i = 0; i < size; ++i) problem.v_start[i] = options.push > 0 ? uniform(options.push) : 0.0;
    problem.v_free = problem.v_start;
    for (size_t t = 0; t < problem.trees.size(); ++t) {
      const double mass = problem.mass[36 * t];
      problem.external_impulse.segment<3>(6 * t) = mass * options.step * options.gravity;
      problem.v_free.segment<3>(6 * t) += options.step * options.gravity;
    }
  }
};

}  // namespace detail

/// Boxes of unit size, each face contact four points: every box has two more contact normals than it needs.
inline StepProblem box_stack(const StackOptions& options) {
  detail::StackBuilder builder{options, {}, std::mt19937(options.seed)};
  builder.problem.step = options.step;
  for (int k = 0; k < options.boxes; ++k) builder.add_box(std::pow(options.mass_ratio, k));
  for (int k = 0; k < options.boxes; ++k) {
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        builder.add_contact(options.tower ? k - 1 : -1, k, {x, y, 0.5}, {x, y, -0.5});
      }
    }
  }
  builder.add_velocities();
  return builder.problem;
}

/// Dense Jacobian of all rows and dense inverse mass, for oracles.
inline MatrixX dense_jacobian(const StepProblem& problem) {
  MatrixX J = MatrixX::Zero(problem.row_count, problem.v_free.size());
  for (size_t b = 0; b < problem.blocks.size(); ++b) {
    const RowBlock& block = problem.blocks[b];
    for (int side = 0; side < 2; ++side) {
      if (block.tree[side] < 0) continue;
      const VelocityTree& tree = problem.trees[block.tree[side]];
      J.block(block.first_row, tree.offset, block.row_count, tree.size) =
          problem.jacobian_block(static_cast<int>(b), side);
    }
  }
  return J;
}

/// The mass matrix of all trees.
inline MatrixX dense_mass(const StepProblem& problem) {
  MatrixX M = MatrixX::Zero(problem.v_free.size(), problem.v_free.size());
  for (size_t t = 0; t < problem.trees.size(); ++t) {
    const VelocityTree& tree = problem.trees[t];
    M.block(tree.offset, tree.offset, tree.size, tree.size) = problem.mass_block(static_cast<int>(t));
  }
  return M;
}

/// A contact-only step problem with the friction circle replaced by `directions` vectors, as trinkle2003 (47): z holds
/// for each contact p_n, then the beta of each direction, then sigma.
struct PolyhedralLcp {
  Lcp lcp;
  MatrixX impulse_of_z;  ///< rows of the step problem from z
  int directions = 0;
};

/// See PolyhedralLcp.
inline PolyhedralLcp polyhedral_lcp(const StepProblem& problem, int directions) {
  const int contacts = static_cast<int>(problem.contacts.size());
  const int width = directions + 2;
  const MatrixX J = dense_jacobian(problem);
  PolyhedralLcp result;
  result.directions = directions;
  result.impulse_of_z = MatrixX::Zero(problem.row_count, contacts * width);
  MatrixX& P = result.impulse_of_z;
  for (int c = 0; c < contacts; ++c) {
    const int row = problem.blocks[problem.contacts[c].block].first_row;
    P(row, c * width) = 1;
    for (int d = 0; d < directions; ++d) {
      const double angle = 2 * std::numbers::pi * d / directions;
      P(row + 1, c * width + 1 + d) = std::cos(angle);
      P(row + 2, c * width + 1 + d) = std::sin(angle);
    }
  }
  const MatrixX G = J.transpose() * P;
  result.lcp.M = G.transpose() * dense_mass(problem).ldlt().solve(G);
  result.lcp.q = G.transpose() * problem.v_free;
  for (int c = 0; c < contacts; ++c) {
    const int sigma = c * width + width - 1;
    result.lcp.q[c * width] += problem.contacts[c].normal_bias;
    result.lcp.M(sigma, c * width) = problem.contacts[c].friction[0];
    for (int d = 0; d < directions; ++d) {
      result.lcp.M(c * width + 1 + d, sigma) = 1;
      result.lcp.M(sigma, c * width + 1 + d) = -1;
    }
  }
  return result;
}

/// Impulses and end velocity of an answer of the LCP.
inline StepAnswer step_answer(const StepProblem& problem, const PolyhedralLcp& polyhedral, const VectorX& z) {
  StepAnswer answer;
  answer.impulse = polyhedral.impulse_of_z * z;
  answer.v_end =
      problem.v_free + dense_mass(problem).ldlt().solve(dense_jacobian(problem).transpose() * answer.impulse);
  return answer;
}

}  // namespace stiction::testing
