#include "papers/rodriguez2010/free_bodies.h"

namespace stiction::papers::rodriguez2010 {

namespace {

// Velocity of the point at `arm` of a body along an axis, as a row over that body's velocities.
void fill(ImpactProblem& problem, int row, int dimension, int body, const Vector3& arm, const Vector3& axis) {
  const Vector3 moment = arm.cross(axis);
  if (dimension == 2) {
    problem.J.block(row, 3 * body, 1, 3) = Eigen::RowVector3d(axis.x(), axis.y(), moment.z());
  } else {
    problem.J.block(row, 6 * body, 1, 3) = axis.transpose();
    problem.J.block(row, 6 * body + 3, 1, 3) = moment.transpose();
  }
}

}  // namespace

void add_body(ImpactProblem& problem, double mass, const Vector3& inertia, const VectorX& velocity) {
  const auto first = problem.velocity.size(), n = velocity.size();
  const MatrixX others = problem.mass;
  problem.mass.setZero(first + n, first + n);
  problem.mass.topLeftCorner(first, first) = others;
  if (n == 3) {
    problem.mass.diagonal().tail(3) = Vector3(mass, mass, inertia.z());
  } else {
    problem.mass.diagonal().tail(6) << mass, mass, mass, inertia;
  }
  problem.velocity.conservativeResize(first + n);
  problem.velocity.tail(n) = velocity;
}

void add_touch(ImpactProblem& problem, int dimension, const Touch& touch, const Surface& surface) {
  const int tangents = dimension - 1, first = static_cast<int>(problem.J.rows());
  const Vector3& n = touch.normal;
  const Vector3 t = dimension == 2 ? Vector3(n.y(), -n.x(), 0) : Vector3(n.unitOrthogonal());
  const Vector3 axes[3] = {n, t, n.cross(t)};
  problem.J.conservativeResize(first + dimension, problem.velocity.size());
  problem.J.bottomRows(dimension).setZero();
  for (int r = 0; r <= tangents; ++r) {
    fill(problem, first + r, dimension, touch.b, touch.arm_b, axes[r]);
    if (touch.a >= 0) fill(problem, first + r, dimension, touch.a, touch.arm_a, -axes[r]);
  }
  problem.contacts.push_back({.first_row = first,
                              .tangents = tangents,
                              .restitution = surface.restitution,
                              .static_friction = surface.mu_s,
                              .dynamic_friction = surface.mu_d});
}

ImpactProblem row_of_balls(const std::vector<double>& masses, const std::vector<double>& velocities,
                           double restitution) {
  const int n = static_cast<int>(masses.size());
  ImpactProblem problem;
  problem.mass = Eigen::Map<const VectorX>(masses.data(), n).asDiagonal();
  problem.velocity = Eigen::Map<const VectorX>(velocities.data(), n);
  problem.J.setZero(n - 1, n);
  for (int k = 0; k + 1 < n; ++k) {
    problem.J(k, k) = -1;
    problem.J(k, k + 1) = 1;
    problem.contacts.push_back({.first_row = k, .tangents = 0, .restitution = restitution});
  }
  return problem;
}

}  // namespace stiction::papers::rodriguez2010
