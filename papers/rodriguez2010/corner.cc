#include "papers/rodriguez2010/corner.h"

#include <cmath>

#include <Eigen/QR>

namespace stiction::papers::rodriguez2010 {

double Flight::landing() const {
  return (rate.y() + std::sqrt(rate.y() * rate.y() + 2 * g * (start.y() - R))) / g;
}

double kinetic_energy(const Vector3& velocity) {
  return 0.5 * (m * velocity.head<2>().squaredNorm() + I * velocity.z() * velocity.z());
}

double potential_energy(const Vector3& position) {
  return m * g * position.y();
}

CornerImpact meet_corner(const CornerCase& start) {
  CornerImpact impact;
  impact.before = {{0, start.Q2, 0}, {start.Q1_dot, 0, 0}};
  impact.time = impact.before.landing();
  impact.wall_at = impact.place().x() + R;
  impact.problem.mass = Vector3(m, m, I).asDiagonal();
  impact.problem.velocity = impact.before.velocity(impact.time);
  impact.problem.J.resize(4, 3);
  impact.problem.J << 0, 1, 0,  // ground, normal
      1, 0, R,                  // ground, tangent
      -1, 0, 0,                 // wall, normal
      0, 1, R;                  // wall, tangent
  for (const int first_row : {0, 2}) {
    impact.problem.contacts.push_back({.first_row = first_row,
                                       .tangents = 1,
                                       .restitution = restitution,
                                       .static_friction = mu_s,
                                       .dynamic_friction = mu_d,
                                       .transition_speed = transition_speed,
                                       .exponent = transition_exponent});
  }
  return impact;
}

Vector4 shortest_impulse(const ImpactProblem& problem, const Vector3& velocity_after) {
  const VectorX change = problem.mass * (velocity_after - problem.velocity);
  return problem.J.transpose().completeOrthogonalDecomposition().solve(change);
}

Vector3 velocity_for_slip(const ImpactProblem& problem, CornerContact contact, double v_t) {
  Vector3 after(-restitution * problem.velocity[0], -restitution * problem.velocity[1], 0);
  after.z() = (v_t - after[contact == ground ? 0 : 1]) / R;
  return after;
}

}  // namespace stiction::papers::rodriguez2010
