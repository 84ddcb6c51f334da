// Free bodies that hit each other and the ground at random points, as step problems at velocity level: redundant
// contacts, restitution, masses that differ.
#pragma once

#include <cmath>
#include <random>

#include "stiction/problem/step_problem.h"

namespace stiction::testing {

/// What to draw.
struct ImpactOptions {
  int bodies = 1;
  int contacts = 4;
  bool flat = false;         ///< all contacts of a body on one plane: redundant beyond three
  bool level = false;        ///< bodies do not tumble: flat contacts all stay closed
  double mass_decades = 0;   ///< masses from 10^-x to 10^x kg
  double restitution = -1;   ///< of all contacts; negative: each its own
  bool one_tangent = false;  ///< friction along t only
  double friction = -1;      ///< negative: each its own, 0..1.2
};

namespace detail {

struct ImpactBuilder {
  const ImpactOptions& options;
  std::mt19937_64& random;
  StepProblem problem = {};

  double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); }
  Vector3 vector() { return {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)}; }

  void add_body() {
    const int index = static_cast<int>(problem.trees.size());
    problem.trees.push_back({6 * index, 6, 36 * index});
    const double mass = std::pow(10.0, uniform(-1, 1) * options.mass_decades);
    Matrix6 M = Matrix6::Zero();
    M.diagonal() << mass, mass, mass, mass * uniform(0.1, 0.5), mass * uniform(0.1, 0.5), mass * uniform(0.1, 0.5);
    problem.mass.insert(problem.mass.end(), M.data(), M.data() + 36);
  }

  void append_rows(const Matrix3& axes, const Vector3& arm, double sign) {
    for (int r = 0; r < 3; ++r) {
      const Vector3 axis = axes.col(r), turn = arm.cross(axis);
      for (int i = 0; i < 3; ++i) problem.jacobian.push_back(sign * axis[i]);
      for (int i = 0; i < 3; ++i) problem.jacobian.push_back(sign * turn[i]);
    }
  }

  // B over A (-1: ground), the normal towards B.
  void add_contact(int A, int B, const Vector3& normal, const Vector3& arm_A, const Vector3& arm_B) {
    Matrix3 axes;
    axes.col(0) = normal.normalized();
    axes.col(1) =
        normal.cross(std::abs(normal.x()) < 0.7 * normal.norm() ? Vector3::UnitX() : Vector3::UnitY()).normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    RowBlock block;
    block.first_row = problem.row_count;
    block.row_count = 3;
    block.tree = {B, A};
    block.offset[0] = static_cast<int>(problem.jacobian.size());
    append_rows(axes, arm_B, 1);
    if (A >= 0) {
      block.offset[1] = static_cast<int>(problem.jacobian.size());
      append_rows(axes, arm_A, -1);
    }
    ContactRows contact;
    contact.block = static_cast<int>(problem.blocks.size());
    contact.key = problem.blocks.size();
    const double mu = options.friction >= 0 ? options.friction : uniform(0, 1.2);
    contact.friction = {mu, options.one_tangent ? 0.0 : mu};
    contact.restitution = options.restitution >= 0 ? options.restitution : uniform(0, 1);
    problem.blocks.push_back(block);
    problem.contacts.push_back(contact);
    problem.row_count += 3;
  }

  void set_velocities(const VectorX& v) {
    problem.v_start = problem.v_free = v;
    problem.external_impulse = VectorX::Zero(v.size());
    for (ContactRows& contact : problem.contacts) {
      contact.approach = 0;
      for (int side = 0; side < 2; ++side) {
        const RowBlock& block = problem.blocks[contact.block];
        if (block.tree[side] < 0) continue;
        contact.approach += problem.jacobian_block(contact.block, side).row(0).dot(v.segment<6>(6 * block.tree[side]));
      }
      contact.normal_bias = contact.restitution * std::min(0.0, contact.approach);
    }
  }
};

}  // namespace detail

/// A random problem.
inline StepProblem random_impact(const ImpactOptions& options, std::mt19937_64& random) {
  detail::ImpactBuilder build{options, random};
  build.problem.step = 1e-3;
  build.problem.normal_law = NormalLaw::rate;
  for (int i = 0; i < options.bodies; ++i) build.add_body();
  for (int i = 0; i < options.contacts; ++i) {
    const int B = i % options.bodies;
    const int A = B > 0 && build.uniform(0, 1) < 0.5 ? B - 1 : -1;  // on the body below, or on the ground
    Vector3 normal = build.vector() + Vector3(0, 0, 1.5), arm = build.vector();
    if (options.flat) {
      normal = Vector3::UnitZ();
      arm.z() = -1;
    }
    build.add_contact(A, B, normal, options.flat ? Vector3(arm.x(), arm.y(), 1) : build.vector(), arm);
  }
  VectorX v(6 * options.bodies);
  for (int i = 0; i < v.size(); ++i) v[i] = build.uniform(-1, 1);
  for (int b = 0; b < options.bodies; ++b) {
    v[6 * b + 2] = options.level ? -1.0 - b : v[6 * b + 2] - 1;
    if (options.level) v.segment<2>(6 * b + 3).setZero();
  }
  build.set_velocities(v);
  return build.problem;
}

}  // namespace stiction::testing
