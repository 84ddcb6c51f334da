// Impacts of free bodies in the plane and in space as plain data, for tests.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "stiction/events/impacts/simultaneous_impact.h"

namespace stiction::methods {

/// Material of every contact of an example.
struct ImpactMaterial {
  double e = 0, mu_s = 0, mu_d = 0;
};

/// Bodies of 3 (plane: x, y, angle) or 6 (space: linear, angular) velocities; contacts are added one at a time.
class ImpactBuilder {
 public:
  explicit ImpactBuilder(int dimension) : n_(dimension == 2 ? 3 : 6) {}

  /// `inertia` about the z axis in the plane, three principal ones in space.
  int add_body(double mass, const Vector3& inertia, const VectorX& velocity) {
    const int first = static_cast<int>(problem.velocity.size()), size = first + n_;
    problem.mass.conservativeResize(size, size);
    problem.mass.rightCols(n_).setZero();
    problem.mass.bottomRows(n_).setZero();
    for (int i = 0; i < n_; ++i) {
      const int linear = n_ == 3 ? 2 : 3;
      problem.mass(first + i, first + i) = i < linear ? mass : n_ == 3 ? inertia[2] : inertia[i - 3];
    }
    problem.velocity.conservativeResize(size);
    problem.velocity.tail(n_) = velocity;
    return first / n_;
  }

  /// Body b meets a (-1: the ground) at arms from their centres; n points from a to b.
  void add_contact(int a, const Vector3& arm_a, int b, const Vector3& arm_b, const Vector3& n,
                   const ImpactMaterial& material) {
    const int tangents = n_ == 3 ? 1 : 2, first = static_cast<int>(problem.J.rows());
    const Vector3 t = n_ == 3 ? Vector3(-n.y(), n.x(), 0) : Vector3(n.unitOrthogonal());
    const Vector3 axes[3] = {n, t, n.cross(t)};
    const MatrixX before = problem.J;
    problem.J.setZero(first + tangents + 1, problem.velocity.size());
    if (first > 0) problem.J.topLeftCorner(first, before.cols()) = before;
    for (int r = 0; r <= tangents; ++r) {
      fill(first + r, b, arm_b, axes[r]);
      if (a >= 0) fill(first + r, a, arm_a, -axes[r]);
    }
    problem.contacts.push_back({.first_row = first,
                                .tangents = tangents,
                                .restitution = material.e,
                                .static_friction = material.mu_s,
                                .dynamic_friction = material.mu_d});
  }

  ImpactProblem problem;

 private:
  void fill(int row, int body, const Vector3& arm, const Vector3& axis) {
    const Vector3 moment = arm.cross(axis);
    if (n_ == 3) {
      problem.J.block(row, 3 * body, 1, 3) << axis.x(), axis.y(), moment.z();
    } else {
      problem.J.block(row, 6 * body, 1, 3) = axis.transpose();
      problem.J.block(row, 6 * body + 3, 1, 3) = moment.transpose();
    }
  }

  int n_;
};

/// The paper's ball in its corner: contact 0 is the ground, contact 1 the wall at x = R; tangents +x and +y.
inline ImpactProblem corner_impact(double v_x, double v_y, double spin, const ImpactMaterial& material) {
  constexpr double m = 1, R = 0.5;
  ImpactProblem problem;
  problem.mass = Vector3(m, m, m * R * R / 2).asDiagonal();
  problem.velocity = Vector3(v_x, v_y, spin);
  problem.J.resize(4, 3);
  problem.J << 0, 1, 0, 1, 0, R, -1, 0, 0, 0, 1, R;
  for (int c = 0; c < 2; ++c) {
    problem.contacts.push_back({.first_row = 2 * c,
                                .tangents = 1,
                                .restitution = material.e,
                                .static_friction = material.mu_s,
                                .dynamic_friction = material.mu_d});
  }
  return problem;
}

/// Bodies and contacts at random, restitutions and coefficients of friction of their own; one contact approaches.
inline ImpactProblem random_impact(std::mt19937& random, int dimension) {
  std::uniform_real_distribution<double> unit(-1, 1), positive(0, 1);
  const auto vector = [&] { return Vector3(unit(random), unit(random), dimension == 2 ? 0 : unit(random)); };
  ImpactBuilder builder(dimension);
  const int bodies = 1 + static_cast<int>(random() % 3),
            contacts = 1 + static_cast<int>(random() % (dimension == 2 ? 6 : 4));
  for (int b = 0; b < bodies; ++b) {
    const Vector3 inertia =
        Vector3(1, 1, 1) * (0.2 + positive(random)) + 0.1 * Vector3(positive(random), positive(random), 0);
    builder.add_body(0.2 + 2 * positive(random), inertia,
                     VectorX::NullaryExpr(dimension == 2 ? 3 : 6, [&] { return unit(random); }));
  }
  const bool same_restitution = random() % 2 == 0;
  const double e = positive(random);
  for (int c = 0; c < contacts; ++c) {
    const int b = static_cast<int>(random() % bodies), a = static_cast<int>(random() % (bodies + 1)) - 1;
    const double mu_s = random() % 8 == 0 ? 0 : 1.2 * positive(random);
    const ImpactMaterial material{same_restitution ? e : positive(random), mu_s, mu_s * positive(random)};
    builder.add_contact(a == b ? -1 : a, vector(), b, vector(), vector().normalized(), material);
  }
  const VectorX v = builder.problem.J * builder.problem.velocity;
  if (v[0] > 0) builder.problem.velocity *= -1;
  return builder.problem;
}

}  // namespace stiction::methods
