#include "papers/rodriguez2010/slip_states.h"

#include <cmath>

#include <Eigen/LU>

namespace stiction::papers::rodriguez2010 {

namespace {

// p of assumed states.
Vector4 solve_states(const ImpactProblem& problem, const int slip[2]) {
  const Eigen::Matrix4d W = problem.J * problem.mass.inverse() * problem.J.transpose();
  const Vector4 before = problem.J * problem.velocity;
  Eigen::Matrix4d rows = W;
  Vector4 right = -before;
  for (int c = 0; c < 2; ++c) {
    right[2 * c] *= 1 + restitution;
    if (slip[c] == 0) continue;
    rows.row(2 * c + 1).setZero();
    rows(2 * c + 1, 2 * c + 1) = 1;
    rows(2 * c + 1, 2 * c) = slip[c] * mu_d;
    right[2 * c + 1] = 0;
  }
  return rows.lu().solve(right);
}

bool agrees(const LawfulOutcome& outcome, const Vector4& after) {
  for (int c = 0; c < 2; ++c) {
    const double p_n = outcome.impulse[2 * c], p_t = outcome.impulse[2 * c + 1];
    if (p_n < 0) return false;
    if (outcome.slip[c] == 0 ? std::abs(p_t) > mu_s * p_n : outcome.slip[c] * after[2 * c + 1] <= 0) return false;
  }
  return true;
}

}  // namespace

std::vector<LawfulOutcome> enumerate_slip_states(const ImpactProblem& problem) {
  std::vector<LawfulOutcome> found;
  for (const int at_ground : {0, 1, -1}) {
    for (const int at_wall : {0, 1, -1}) {
      if (at_ground == 0 && at_wall == 0) continue;
      LawfulOutcome outcome{.slip = {at_ground, at_wall}, .impulse = {}, .velocity = {}};
      outcome.impulse = solve_states(problem, outcome.slip);
      outcome.velocity = problem.velocity + problem.mass.inverse() * problem.J.transpose() * outcome.impulse;
      if (agrees(outcome, problem.J * outcome.velocity)) found.push_back(outcome);
    }
  }
  return found;
}

}  // namespace stiction::papers::rodriguez2010
