// Outcomes of an impact that do not come from a choice of constrained velocities: Coulomb's law with (4.11) of
// rodriguez2010 as a complementarity problem, and the impulses in the cones that leave the least kinetic energy.
#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Cholesky>

#include "stiction/events/impacts/impact_outcome.h"
#include "stiction/problem/friction_matrix.h"
#include "stiction/solvers/cone/cone_qp.h"
#include "stiction/solvers/friction/block_gauss_seidel.h"
#include "stiction/solvers/friction/newton_friction.h"
#include "stiction/solvers/friction/proximal_friction.h"

namespace stiction {
namespace {

std::vector<double> dynamic_frictions(const ImpactProblem& problem) {
  std::vector<double> mu;
  for (const ImpactContact& contact : problem.contacts) mu.push_back(contact.dynamic_friction);
  return mu;
}

MatrixX delassus(const ImpactProblem& problem) {
  return problem.J * problem.mass.llt().solve(problem.J.transpose());
}

ImpactOutcome outcome_of(const ImpactProblem& problem, const std::vector<int>& contacts, ImpactOrigin origin,
                         const VectorX& p, double tolerance) {
  ImpactOutcome outcome{.origin = origin};
  outcome.impulse = p;
  outcome.velocity = problem.velocity + problem.mass.llt().solve(problem.J.transpose() * p);
  judge_outcome(problem, contacts, dynamic_frictions(problem), tolerance, outcome);
  outcome.meets_rule = !outcome.leaves_cone;
  return outcome;
}

// u_n = v_n+ + share e v_n, u_t = v_t+.
FrictionProblem newton_problem(const ImpactProblem& problem, const MatrixX& W, const std::vector<double>& mu,
                               double share) {
  FrictionProblem result;
  const VectorX before = problem.J * problem.velocity;
  result.q.assign(before.data(), before.data() + before.size());
  for (size_t c = 0; c < mu.size(); ++c) {
    const ImpactContact& contact = problem.contacts[c];
    append_contacts(result, contact.tangents + 1, std::span(&mu[c], 1));
    result.q[contact.first_row] -= share * rebound(contact, before[contact.first_row]);
  }
  set_matrix(result, W.sparseView(0, 0));
  return result;
}

// By the solvers that end soon: an impact may well have no answer, which the portfolio would look for at length.
bool solve(const FrictionProblem& problem, double tolerance, solvers::FrictionWorkspace& workspace,
           std::vector<double>& r) {
  struct Rung {
    const solvers::FrictionSolver& solver;
    int steps;
  };
  for (const auto& [solver, steps] : {Rung{solvers::newton_friction, 100}, Rung{solvers::gauss_seidel_friction, 500},
                                      Rung{solvers::proximal_friction, 100}}) {
    std::fill(r.begin(), r.end(), 0.0);
    const auto report = solvers::solve_friction(solver, problem,
                                                {.tolerance = 1e-3 * tolerance, .max_iterations = steps}, workspace, r);
    if (report.solve.termination == solvers::Termination::solved) return true;
  }
  return false;
}

// Contacts that slip outside the cone of (4.22) get mu_d; true when there was one.
bool lower_friction(const ImpactProblem& problem, const ImpactOutcome& outcome, std::vector<double>& mu) {
  bool lowered = false;
  for (size_t c = 0; c < mu.size(); ++c) {
    const ImpactContact& contact = problem.contacts[c];
    if (outcome.state[c] != ImpactState::slip || mu[c] <= contact.dynamic_friction) continue;
    mu[c] = contact.dynamic_friction;
    lowered = true;
  }
  return lowered;
}

// 1/2 |y - y-|^2 over y = L^T u / |L^T u-|, A = L L^T, with (v_n, mu v_t) in its cone at every contact; the multipliers
// are (p_n, p_t / mu) over `unit` of each contact, so that impulses of light and heavy bodies are of one size.
ConeQp energy_programme(const ImpactProblem& problem, std::vector<double>& unit) {
  const Eigen::LLT<MatrixX> factor(problem.mass);
  const VectorX start = factor.matrixU() * problem.velocity;
  const MatrixX rows = factor.matrixL().solve(problem.J.transpose());
  ConeQp qp;
  const int n = static_cast<int>(start.size());
  qp.reset(n);
  Eigen::Map<MatrixX>(qp.U.data(), n, n).setIdentity();
  Eigen::Map<VectorX>(qp.v.data(), n) = -start / start.norm();
  qp.constant = 0.5;
  for (const ImpactContact& contact : problem.contacts) {
    const double length = rows.col(contact.first_row).norm(), mu = contact.dynamic_friction;
    const int tangents = mu > 0 ? contact.tangents : 0;
    unit.push_back(length > 0 ? start.norm() / length : 0);
    for (int t = 0; t <= tangents; ++t) {
      const double factor_of_row = (t == 0 ? 1 : mu) / (length > 0 ? length : 1);
      Eigen::Map<VectorX>(qp.add_row(0), n) = factor_of_row * rows.col(contact.first_row + t);
    }
    qp.cone_sizes.push_back(tangents + 1);
  }
  return qp;
}

// The answer with given coefficients.
std::optional<VectorX> solve_newton(const ImpactProblem& problem, const std::vector<double>& mu, double share,
                                    double tolerance) {
  const MatrixX W = delassus(problem);
  std::vector<double> r(W.rows());
  solvers::FrictionWorkspace workspace;
  if (!solve(newton_problem(problem, W, mu, share), tolerance, workspace, r)) return {};
  return Eigen::Map<const VectorX>(r.data(), W.rows());
}

}  // namespace

std::optional<ImpactOutcome> complementarity_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                                     double share, double tolerance) {
  std::vector<double> mu;
  for (const ImpactContact& contact : problem.contacts) mu.push_back(contact.static_friction);
  for (size_t round = 0; round <= mu.size(); ++round) {
    const std::optional<VectorX> p = solve_newton(problem, mu, share, tolerance);
    if (!p) return {};
    ImpactOutcome outcome =
        outcome_of(problem, contacts, share < 1 ? ImpactOrigin::reduced : ImpactOrigin::complementarity, *p, tolerance);
    if (!lower_friction(problem, outcome, mu)) return outcome;
  }
  return {};
}

std::optional<ImpactOutcome> dynamic_friction_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                                      double tolerance) {
  // The slip after the impact decides the coefficient, and the coefficient the slip: by iteration, from mu_d.
  constexpr int rounds = 40, undamped = 5;
  constexpr double same = 1e-11;
  std::vector<double> mu = dynamic_frictions(problem);
  std::optional<ImpactOutcome> first;
  for (int round = 0; round < rounds; ++round) {
    const std::optional<VectorX> p = solve_newton(problem, mu, 1, tolerance);
    if (!p) return first;
    ImpactOutcome outcome = outcome_of(problem, contacts, ImpactOrigin::complementarity, *p, tolerance);
    double change = 0;
    for (size_t c = 0; c < mu.size(); ++c) {
      if (outcome.state[c] != ImpactState::slip) continue;
      const double next = round < undamped ? outcome.friction[c] : (mu[c] + outcome.friction[c]) / 2;
      change = std::max(change, std::abs(next - mu[c]));
      mu[c] = next;
    }
    if (change <= same) return outcome;
    if (!first) first = std::move(outcome);
  }
  return first;
}

ImpactOutcome least_energy_outcome(const ImpactProblem& problem, const std::vector<int>& contacts, double tolerance) {
  std::vector<double> unit, y;
  solvers::ConeQpWorkspace workspace;
  const ConeQp qp = energy_programme(problem, unit);
  solvers::solve_cone_qp(qp, {.tolerance = 1e-14}, workspace, y);
  VectorX p = VectorX::Zero(problem.J.rows());
  double e = 1;
  for (size_t c = 0, next = 0; c < problem.contacts.size(); ++c) {
    const int first = problem.contacts[c].first_row;
    for (int t = 0; t < qp.cone_sizes[c]; ++t, ++next) {
      p[first + t] = workspace.multipliers[next] * unit[c] * (t == 0 ? 1 : problem.contacts[c].dynamic_friction);
    }
  }
  for (const int c : contacts) e = std::min(e, problem.contacts[c].restitution);
  const ImpactOutcome bounced = outcome_of(problem, contacts, ImpactOrigin::least_energy, (1 + e) * p, tolerance);
  return bounced.violations() == 0 ? bounced : outcome_of(problem, contacts, ImpactOrigin::least_energy, p, tolerance);
}

}  // namespace stiction
