#include "stiction/events/impacts/impact_outcome.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "stiction/model/stribeck.h"

namespace stiction {
namespace {

double kinetic_energy(const ImpactProblem& problem, const VectorX& velocity) {
  return 0.5 * velocity.dot(problem.mass * velocity);
}

// p_t against the slip, as one number: -p_t . v_t.
double friction_loss(const ImpactContact& contact, const ImpactOutcome& outcome) {
  const int first = contact.first_row + 1;
  return -outcome.impulse.segment(first, contact.tangents)
              .dot(outcome.contact_velocity.segment(first, contact.tangents));
}

struct Limits {
  double speed, impulse;
};

// (4.13) for one contact, and what it violates.
void judge_contact(const ImpactContact& contact, double mu_min, const Limits& limits, ImpactOutcome& outcome) {
  const double p_n = outcome.impulse[contact.first_row], p_t = tangential_norm(contact, outcome.impulse);
  const double slip = tangential_norm(contact, outcome.contact_velocity);
  const bool slips = slip > limits.speed, pushes = std::max(p_n, p_t) > limits.impulse;
  const double mu = stribeck_friction(contact, contact.dynamic_friction, slips ? slip : 0);
  outcome.state.push_back(!pushes ? ImpactState::open : slips ? ImpactState::slip : ImpactState::stick);
  outcome.friction.push_back(stribeck_friction(contact, mu_min, slip));
  const bool outside = p_n < -limits.impulse || p_t > mu * std::max(p_n, 0.0) + limits.impulse;
  outcome.leaves_cone |= outside;
  outcome.penetrates |= outcome.contact_velocity[contact.first_row] < -limits.speed;
  // At the edge and against the slip: the loss is mu p_n |v_t|.
  const double short_of = mu * p_n * slip - friction_loss(contact, outcome);
  outcome.obeys_coulomb &= !outside && (!slips || short_of <= 1e3 * limits.impulse * slip);
}

}  // namespace

ImpactScales impact_scales(const ImpactProblem& problem) {
  ImpactScales scales;
  if (problem.J.rows() == 0) return scales;
  scales.speed = (problem.J * problem.velocity).cwiseAbs().maxCoeff();
  const MatrixX moved = problem.mass.llt().solve(problem.J.transpose());
  const double mobility = (problem.J.array() * moved.transpose().array()).rowwise().sum().maxCoeff();
  scales.impulse = mobility > 0 ? scales.speed / mobility : 0;
  scales.energy = kinetic_energy(problem, problem.velocity);
  return scales;
}

double stribeck_friction(const ImpactContact& contact, double mu_min, double slip) {
  return stribeck_curve(mu_min, contact.static_friction, contact.transition_speed, contact.exponent, slip);
}

double tangential_norm(const ImpactContact& contact, const VectorX& rows) {
  return rows.segment(contact.first_row + 1, contact.tangents).norm();
}

double rebound(const ImpactContact& contact, double v_n) {
  return -contact.restitution * std::min(v_n, 0.0);
}

void judge_outcome(const ImpactProblem& problem, const std::vector<int>& contacts, const std::vector<double>& mu_min,
                   double tolerance, ImpactOutcome& outcome) {
  const ImpactScales scales = impact_scales(problem);
  const Limits limits{tolerance * scales.speed,
                      tolerance * std::max(scales.impulse, outcome.impulse.cwiseAbs().maxCoeff())};
  const VectorX before = problem.J * problem.velocity;
  outcome.contact_velocity = problem.J * outcome.velocity;
  outcome.energy_change = kinetic_energy(problem, outcome.velocity) - scales.energy;
  outcome.gains_energy = outcome.energy_change > tolerance * scales.energy;
  for (size_t c = 0; c < problem.contacts.size(); ++c) judge_contact(problem.contacts[c], mu_min[c], limits, outcome);
  for (const int c : contacts) {
    const ImpactContact& contact = problem.contacts[c];
    const double wanted = rebound(contact, before[contact.first_row]);
    outcome.keeps_restitution &= std::abs(outcome.contact_velocity[contact.first_row] - wanted) <= 10 * limits.speed;
  }
  outcome.objective = 0;
  for (const int c : outcome.examined) {
    const double d = problem.contacts[c].static_friction - outcome.friction[c];
    const double slip = tangential_norm(problem.contacts[c], outcome.contact_velocity);
    outcome.objective += d * d + slip * slip;
  }
}

}  // namespace stiction
