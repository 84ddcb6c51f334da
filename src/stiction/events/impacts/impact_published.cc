// rodriguez2010 (4.16)-(4.22) as printed. With the free tangential velocities v as unknowns (4.9) and (4.11) give
//
//     p_n = a + B v            minimise |v|^2  subject to  p_n >= 0                        (4.17), (4.19)
//
// which is all that is left of the rule: see the readings of simultaneous_impact.h. Where the optimum sits on p_n = 0
// it is solved for again with those impulses as equations, and clamped there.
#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "stiction/events/impacts/impact_outcome.h"
#include "stiction/solvers/cone/cone_qp.h"

namespace stiction {
namespace {

// (4.9) as a function of the free tangential velocities.
struct PublishedLaw {
  VectorX change;           // of theta* with v = 0
  MatrixX B;                // p_n of the contacts that take part by v
  VectorX a;                // p_n with v = 0
  std::vector<int> places;  // of the normals among choice.rows
};

PublishedLaw make_law(const ImpactProblem& problem, const std::vector<int>& contacts,
                      const VelocityConstraint& choice) {
  PublishedLaw law;
  const VectorX before = problem.J * problem.velocity;
  law.change.resize(static_cast<int>(choice.free_rows.size()));
  for (int i = 0; i < law.change.size(); ++i) law.change[i] = -before[choice.free_rows[i]];
  for (const int c : contacts) {
    const ImpactContact& contact = problem.contacts[c];
    const auto free = std::find(choice.free_rows.begin(), choice.free_rows.begin() + choice.normals, contact.first_row);
    if (free != choice.free_rows.begin() + choice.normals) {
      law.change[free - choice.free_rows.begin()] += rebound(contact, before[contact.first_row]);  // (4.11)
    }
    law.places.push_back(static_cast<int>(std::lower_bound(choice.rows.begin(), choice.rows.end(), contact.first_row) -
                                          choice.rows.begin()));
  }
  const auto tangents = law.change.size() - choice.normals;
  law.a.resize(static_cast<int>(contacts.size()));
  law.B.resize(law.a.size(), tangents);
  for (int i = 0; i < law.a.size(); ++i) {
    law.a[i] = choice.law.row(law.places[i]).dot(law.change);
    law.B.row(i) = choice.law.row(law.places[i]).tail(tangents);
  }
  return law;
}

// The shortest v with a + B v >= 0, near enough to say which rows are zero; v = 0 when there is none.
VectorX approach_optimum(const PublishedLaw& law, double impulse) {
  const int n = static_cast<int>(law.B.cols());
  const double rate = law.B.cwiseAbs().maxCoeff(), speed = rate > 0 ? impulse / rate : 1;
  ConeQp qp;
  qp.reset(n);
  for (int i = 0; i < n; ++i) qp.U[static_cast<size_t>(i) * n + i] = 1;
  for (int i = 0; i < law.a.size(); ++i) {
    double* row = qp.add_row(law.a[i] / impulse);
    for (int j = 0; j < n; ++j) row[j] = law.B(i, j) * speed / impulse;
    qp.cone_sizes.push_back(1);
  }
  solvers::ConeQpWorkspace workspace;
  std::vector<double> y;
  const auto report = solvers::solve_cone_qp(qp, {.tolerance = 1e-11}, workspace, y);
  if (report.residual < 0 || report.residual > 1e-8) return VectorX::Zero(n);
  return speed * Eigen::Map<const VectorX>(y.data(), n);
}

// The optimum with the impulses that are zero there as equations; `clamped` says which.
VectorX find_optimum(const PublishedLaw& law, double impulse, double tolerance, std::vector<bool>& clamped) {
  clamped.assign(law.a.size(), false);
  VectorX v = VectorX::Zero(law.B.cols());
  if (v.size() == 0 || law.a.minCoeff() >= -tolerance * impulse) return v;
  v = approach_optimum(law, impulse);
  std::vector<int> zero;
  for (int i = 0; i < law.a.size(); ++i) {
    if (std::abs(law.a[i] + law.B.row(i).dot(v)) <= 1e-5 * impulse) zero.push_back(i);
  }
  if (zero.empty()) return v;
  MatrixX B(static_cast<int>(zero.size()), law.B.cols());
  VectorX right(B.rows());
  for (int i = 0; i < B.rows(); ++i) {
    B.row(i) = law.B.row(zero[i]);
    right[i] = -law.a[zero[i]];
  }
  const VectorX exact = B.completeOrthogonalDecomposition().solve(right);
  if ((law.a + law.B * exact).minCoeff() < -tolerance * impulse) return v;
  for (const int i : zero) clamped[i] = true;
  return exact;
}

}  // namespace

ImpactOutcome published_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                const VelocityConstraint& choice, double tolerance) {
  ImpactOutcome outcome{.constrained_rows = choice.constrained_rows, .examined = choice.examined};
  PublishedLaw law = make_law(problem, contacts, choice);
  const VectorX no_slip = choice.law * law.change;
  const double impulse = std::max(impact_scales(problem).impulse, no_slip.cwiseAbs().maxCoeff());
  std::vector<bool> clamped;
  law.change.tail(law.B.cols()) += find_optimum(law, impulse, tolerance, clamped);
  VectorX p = choice.law * law.change;
  for (size_t i = 0; i < contacts.size(); ++i) p[law.places[i]] = clamped[i] ? 0 : p[law.places[i]];

  outcome.velocity = problem.velocity + choice.response * law.change;
  outcome.impulse = VectorX::Zero(problem.J.rows());
  VectorX stuck = outcome.impulse;  // with v = 0, for mu_f
  for (size_t i = 0; i < choice.rows.size(); ++i) {
    outcome.impulse[choice.rows[i]] = p[static_cast<int>(i)];
    stuck[choice.rows[i]] = no_slip[static_cast<int>(i)];
  }
  std::vector<double> mu_min;
  for (const ImpactContact& contact : problem.contacts) {
    const double p_n = std::abs(stuck[contact.first_row]), p_t = tangential_norm(contact, stuck);
    mu_min.push_back(p_t < contact.dynamic_friction * p_n ? p_t / p_n : contact.dynamic_friction);  // (4.21)
  }
  judge_outcome(problem, contacts, mu_min, tolerance, outcome);
  const double least = -tolerance * impulse;
  for (const int c : contacts) outcome.meets_rule &= outcome.impulse[problem.contacts[c].first_row] >= least;  // (4.19)
  for (const int c : choice.examined) {
    if (outcome.state[c] != ImpactState::slip) continue;
    const ImpactContact& contact = problem.contacts[c];
    outcome.meets_rule &=
        tangential_norm(contact, outcome.impulse) - outcome.friction[c] * outcome.impulse[contact.first_row] >=
        least;  // (4.18)
  }
  return outcome;
}

}  // namespace stiction
