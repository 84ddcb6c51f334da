#include "stiction/events/event_impact.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <optional>

#include "stiction/events/contact_modes.h"
#include "stiction/events/impacts/impact_outcome.h"
#include "stiction/model/stribeck.h"

namespace stiction {

namespace {

constexpr double joint_rank = 1e-10;
// Surface velocities that no observer shares, relative to the velocities of the impact.
constexpr double shared = 1e-9;
// Of velocities that are sums of others, relative to those.
constexpr double rounding = 1e-14;
// v_s of contacts whose static friction states none: rodriguez2010's.
constexpr double default_transition_speed = 1.4e-4;
// Times that slip directions of an impact are set anew, and how far its impulses may move by that.
constexpr int exact_sweeps = 4;
constexpr double exact_share = 1e-4;
// A contact slips through a small impact when its slip is so many times the approach; tolerance of the impact's modes.
constexpr double slip_beside = 1e4, small_tolerance = 1e-9;

// An orthonormal basis of what is orthogonal to the columns of C.
MatrixX orthogonal_to(const MatrixX& C) {
  const Eigen::Index n = C.rows();
  if (C.cols() == 0) return MatrixX::Identity(n, n);
  Eigen::ColPivHouseholderQR<MatrixX> qr(C.rows(), C.cols());
  qr.setThreshold(joint_rank);
  qr.compute(C);
  const MatrixX Q = qr.householderQ() * MatrixX::Identity(n, n);
  return Q.rightCols(n - qr.rank());
}

// Rows of the law out of the island's, and back.
struct LawRows {
  MatrixX T;  // law's rows x island's rows: u_law = T u, p = T^T p_law
  std::vector<ImpactContact> contacts;
};

ImpactContact contact_law(const contact::Contact& contact, double restitution, double friction) {
  const Material& m = *contact.material;
  return {.restitution = restitution,
          .static_friction = friction * static_factor(m),
          .dynamic_friction = friction,
          .transition_speed = m.stribeck_velocity > 0 ? m.stribeck_velocity : default_transition_speed};
}

LawRows make_rows(const InstantRows& rows, const InstantIsland& island, const ImpactSettings& settings) {
  const Eigen::Index size = island.a0.size();
  std::vector<VectorX> lines;
  LawRows result;
  for (const InstantItem& item : island.items) {
    const int first = static_cast<int>(lines.size());
    lines.push_back(VectorX::Unit(size, item.first));
    ImpactContact law;
    if (item.contact >= 0) {
      const contact::Contact& contact = rows.contacts[item.contact];
      Tangents tangents;
      if (item.rows >= 3) {
        const MatrixX B = island.B.middleCols(item.first, 3);
        tangents = mobile_tangents(B.transpose() * B, contact.material->friction);
      }
      const double largest = std::max(tangents.friction[0], tangents.friction[1]);
      law = contact_law(contact, settings.restitution[item.contact], largest);
      law.tangents = static_cast<int>(tangents.axes.size());
      for (size_t k = 0; k < tangents.axes.size(); ++k) {
        const Vector2 axis = tangents.friction[k] / largest * tangents.axes[k];
        lines.push_back(axis[0] * VectorX::Unit(size, item.first + 1) + axis[1] * VectorX::Unit(size, item.first + 2));
      }
    } else {
      law.tangents = 0;
    }
    law.first_row = first;
    result.contacts.push_back(law);
  }
  result.T.resize(static_cast<Eigen::Index>(lines.size()), size);
  for (size_t i = 0; i < lines.size(); ++i) result.T.row(static_cast<Eigen::Index>(i)) = lines[i];
  return result;
}

// The rows' velocities, and where each item's rows are in InstantRows::problem.
VectorX island_velocities(const InstantRows& rows, const InstantIsland& island) {
  VectorX u = VectorX::Zero(island.a0.size());
  for (const InstantItem& item : island.items) {
    const int block =
        item.contact >= 0 ? rows.problem.contacts[item.contact].block : rows.problem.scalars[item.scalar].block;
    u.segment(item.first, item.rows) = rows.velocity.segment(rows.problem.blocks[block].first_row, item.rows);
  }
  return u;
}

// Speeds of one, so that nothing in the law is small because the impact is.
void scale_speeds(double factor, ImpactProblem& problem) {
  problem.velocity *= factor;
  for (ImpactContact& contact : problem.contacts) contact.transition_speed *= factor;
}

void scale_outcomes(double factor, ImpactResult& result) {
  for (ImpactOutcome& outcome : result.outcomes) {
    outcome.velocity *= factor;
    outcome.impulse *= factor;
    outcome.contact_velocity *= factor;
    outcome.energy_change *= factor * factor;
  }
}

// The island's problem with the impact's rebounds as "accelerations" to be undone, so that its modes' forces are the
// impulses of the outcome, without the tolerance of the solver that found it.
std::optional<VectorX> exact_impulses(const InstantIsland& island, const VectorX& u, const ImpactSettings& settings,
                                      const ImpactOutcome& outcome, const VectorX& p) {
  if (!outcome.obeys_coulomb || !outcome.keeps_restitution) return std::nullopt;
  ModeProblem problem;
  problem.island = island;
  VectorX& a0 = problem.island.a0;
  a0 = u;
  const VectorX after = u + island.B.transpose() * (island.B * p);
  for (size_t i = 0; i < island.items.size(); ++i) {
    const InstantItem& item = island.items[i];
    const double e = item.contact >= 0 ? settings.restitution[item.contact] : 0.0;
    if (u[item.first] < 0) a0[item.first] *= 1 + e;
    ContactMode mode;
    mode.closed = outcome.state[i] != ImpactState::open;
    mode.slips = outcome.state[i] == ImpactState::slip && item.rows >= 3;
    Vector3 slip = Vector3::Zero();
    if (mode.slips) slip.head<2>() = after.segment<2>(item.first + 1);
    mode.direction = slip.norm() > 0 ? Vector3(slip.normalized()) : slip;
    problem.add(mode);
    problem.slip.back() = slip;
    // A disc: ellipses are left as the solver found them.
    if (item.rows >= 3) problem.axes.back() = Vector3(outcome.friction[i], outcome.friction[i], 0);
  }
  // From the outcome's own impulses: where contacts are redundant only these are known to be in the cones.
  VectorX exact = p;
  const VectorX target = a0;
  for (int sweep = 0; sweep < exact_sweeps; ++sweep) {
    for (size_t i = 0; i < island.items.size(); ++i) {
      const InstantItem& item = island.items[i];
      if (!problem.modes[i].closed) exact.segment(item.first, item.rows).setZero();
      if (!problem.modes[i].slips) continue;
      const Vector3 ratio = slip_ratio(problem.axes[i], problem.slip[i], problem.modes[i].direction);
      exact.segment<2>(item.first + 1) = exact[item.first] * ratio.head<2>();
    }
    a0 = target + island.B.transpose() * (island.B * exact);
    const ModeSolution solution = solve_modes(problem, false);
    exact += solution.force;
    const VectorX end = u + island.B.transpose() * (island.B * exact);
    for (size_t i = 0; i < island.items.size(); ++i) {
      if (problem.modes[i].slips) problem.slip[i].head<2>() = end.segment<2>(island.items[i].first + 1);
    }
  }
  const VectorX moved = island.B * (exact - p);
  if (!(moved.norm() <= exact_share * (island.B * p).norm())) return std::nullopt;
  return exact;
}

// An impact that is slow beside the slip of its contacts changes no direction of slip: with those given it is a problem
// of modes, like that of accelerations. The one outcome goes into impact.result.
bool resolve_small_impact(const InstantRows& rows, const InstantIsland& island, const ImpactSettings& settings,
                          const LawRows& law, EventImpact& impact) {
  const VectorX u = island_velocities(rows, island);
  double approach = 0;
  for (const InstantItem& item : island.items) approach = std::max(approach, -u[item.first]);
  ModeProblem problem;
  problem.island = island;
  problem.island.a0 = u;
  for (size_t i = 0; i < island.items.size(); ++i) {
    const InstantItem& item = island.items[i];
    const double e = item.contact >= 0 ? settings.restitution[item.contact] : 0.0;
    if (u[item.first] < 0) problem.island.a0[item.first] *= 1 + e;
    const double mu = law.contacts[i].dynamic_friction;
    Vector3 slip = Vector3::Zero();
    if (item.rows >= 3) slip.head<2>() = u.segment<2>(item.first + 1);
    ContactMode mode;
    mode.slips = slip.norm() > slip_beside * approach;
    if (mode.slips) {
      problem.island.a0.segment<2>(item.first + 1).setZero();  // does not matter
      mode.direction = slip.normalized();
    } else {
      slip.setZero();
    }
    problem.add(mode);
    problem.slip.back() = slip;
    if (item.rows >= 3) problem.axes.back() = Vector3(mu, mu, 0);
  }
  const ModeSearch search = find_modes(rows, small_tolerance, problem);
  if (!search.found) return false;
  ImpactOutcome outcome;
  outcome.origin = ImpactOrigin::complementarity;
  outcome.impulse = law.T * search.solution.force;
  outcome.velocity = impact.problem.velocity + impact.problem.J.transpose() * outcome.impulse;
  std::vector<int> contacts(law.contacts.size());
  std::vector<double> least;
  for (size_t i = 0; i < contacts.size(); ++i) {
    contacts[i] = static_cast<int>(i);
    least.push_back(law.contacts[i].dynamic_friction);
  }
  judge_outcome(impact.problem, contacts, least, settings.law.tolerance, outcome);
  impact.result.outcomes = {outcome};
  impact.result.picked = 0;
  return true;
}

bool isotropic(const InstantRows& rows, const InstantIsland& island) {
  return std::all_of(island.items.begin(), island.items.end(), [&](const InstantItem& item) {
    if (item.contact < 0) return true;
    const Material& m = *rows.contacts[item.contact].material;
    return m.friction[0] == m.friction[1];
  });
}

}  // namespace

bool resolve_event_impact(const InstantRows& rows, const VectorX& v, const InstantIsland& island,
                          const ImpactSettings& settings, EventImpact& impact) {
  for (const InstantItem& item : island.items) {
    if (item.contact >= 0) impact.contacts.push_back(item.contact);
    if (item.scalar >= 0) impact.limits.push_back(item.scalar);
  }
  const LawRows law = make_rows(rows, island, settings);
  const MatrixX Q = orthogonal_to(island.C);
  VectorX y(static_cast<Eigen::Index>(island.velocities.size()));
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = v[island.velocities[i]];
  y = island.factor.matrixU() * y;
  ImpactProblem& problem = impact.problem;
  problem.mass = MatrixX::Identity(Q.cols(), Q.cols());
  problem.J = law.T * (Q.transpose() * island.B).transpose();
  problem.velocity = Q.transpose() * y;
  problem.contacts = law.contacts;
  const VectorX u = law.T * island_velocities(rows, island), offset = u - problem.J * problem.velocity;
  const double speed = u.lpNorm<Eigen::Infinity>();
  const double noise = rounding * (problem.J.cwiseAbs() * problem.velocity.cwiseAbs()).lpNorm<Eigen::Infinity>();
  if (offset.lpNorm<Eigen::Infinity>() > std::max(rounding * speed, noise)) {
    const Eigen::CompleteOrthogonalDecomposition<MatrixX> cod(problem.J);
    const VectorX observer = cod.solve(offset);
    if ((problem.J * observer - offset).lpNorm<Eigen::Infinity>() > std::max(shared * speed, noise)) return false;
    problem.velocity += observer;
  }
  scale_speeds(1 / speed, problem);
  impact.result = solve_simultaneous_impact(problem, settings.law);
  scale_speeds(speed, problem);
  scale_outcomes(speed, impact.result);
  if (impact.result.picked < 0 && !resolve_small_impact(rows, island, settings, law, impact)) return false;
  const ImpactOutcome& picked = impact.result.outcomes[impact.result.picked];
  impact.velocity_change = VectorX::Zero(v.size());
  VectorX p = law.T.transpose() * picked.impulse;
  if (isotropic(rows, island)) {
    if (const auto exact = exact_impulses(island, island_velocities(rows, island), settings, picked, p)) {
      p = *exact;
    }
  }
  const VectorX change = island.B * p;  // not the difference of velocities: that is rounded
  island.add_motion(change, impact.velocity_change);
  impact.row_impulse = VectorX::Zero(rows.problem.row_count);
  for (const InstantItem& item : island.items) {
    const int block =
        item.contact >= 0 ? rows.problem.contacts[item.contact].block : rows.problem.scalars[item.scalar].block;
    impact.row_impulse.segment(rows.problem.blocks[block].first_row, item.rows) = p.segment(item.first, item.rows);
  }
  const VectorX joints = island.joint_forces(change - island.unconstrained * p);
  for (Eigen::Index k = 0; k < joints.size(); ++k) impact.row_impulse[island.joint_rows[k]] = joints[k];
  return true;
}

}  // namespace stiction
