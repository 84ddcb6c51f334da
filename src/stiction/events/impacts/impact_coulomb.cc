// rodriguez2010 (4.16)-(4.22) with Coulomb's inequality in the place of (4.18), one choice of constrained velocities at
// a time.
//
//     minimise    |v_t|^2 of the free tangential rows, then |p|^2                          (4.17)
//     subject to  |p_t| <= mu p_n at every contact                                         (4.18) reversed, (4.19)
//                 v_n+ = -e v_n at every contact that takes part: p = p0 + R y             (4.11)
//                 |u+| <= |u-| in the metric of kinetic energy, where it would not hold by itself
//
// a convex programme over second-order cones (solvers/cone/cone_qp.h) for given coefficients of friction. Contacts
// begin with mu_s where they are examined and mu_d where they are constrained; one that slips outside the cone of
// (4.22) is given mu_d, and the programme is solved again. Free rows that the optimum brings to rest become equations,
// so that they rest exactly.
//
// The cones alone let friction push a contact along. So the third line of (4.13), p_t = -mu_d p_n v_t / |v_t| where a
// contact slips, is then asked for too, as equations with the directions of the last solution, until those agree; where
// that has an answer with the same slip states it is taken.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include "stiction/events/impacts/impact_outcome.h"
#include "stiction/solvers/cone/cone_qp.h"

namespace stiction {
namespace {

constexpr double short_impulse_weight = 1e-8;  // weight of |p|^2 against |v_t|^2, both in units of the impact
constexpr int max_turns = 12;                  // of the directions of slip, at most
constexpr double at_rest_below = 1e-3;         // of the speed: free rows below it are tried as equations

class CoulombProgramme {
 public:
  CoulombProgramme(const ImpactProblem& problem, const std::vector<int>& contacts, const VelocityConstraint& choice)
      : problem_(problem), contacts_(contacts), choice_(choice), scales_(impact_scales(problem)) {
    factor_.compute(problem.mass);
    response_ = factor_.solve(problem.J.transpose());
    before_ = problem.J * problem.velocity;
    W_ = problem.J * response_;
    for (const ImpactContact& contact : problem.contacts) mu_.push_back(contact.dynamic_friction);
    for (const int c : choice.examined) mu_[c] = problem.contacts[c].static_friction;
  }

  // The same with friction against the slip, from p of solve(); none when that has no answer.
  std::optional<VectorX> solve_against_slip(VectorX p, double tolerance) {
    for (int round = 0; round < max_turns; ++round) {
      const std::vector<VectorX> last = slip_;
      find_slip(p, tolerance);
      if (round > 0 && agrees(last)) return p;
      const std::optional<VectorX> next = solve_given_friction();
      if (!next) return {};
      p = *next;
    }
    return {};
  }

  // p over all rows, or none.
  std::optional<VectorX> solve(double tolerance) {
    for (size_t round = 0; round < contacts_.size() + 3; ++round) {
      const std::optional<VectorX> p = solve_given_friction();
      if (!p) return {};
      if (gains_energy(*p, tolerance) && !with_energy_) {
        with_energy_ = true;
        continue;
      }
      if (!lower_friction(*p, tolerance)) return p;
    }
    return {};
  }

 private:
  // Directions of slip, one per contact; empty where it rests. Contacts that slip have mu_d.
  void find_slip(const VectorX& p, double tolerance) {
    slip_.assign(problem_.contacts.size(), VectorX());
    const VectorX v = before_ + W_ * p;
    for (const int c : contacts_) {
      const ImpactContact& contact = problem_.contacts[c];
      const double speed = tangential_norm(contact, v);
      if (speed <= 10 * tolerance * scales_.speed) continue;
      slip_[c] = v.segment(contact.first_row + 1, contact.tangents) / speed;
      mu_[c] = stribeck_friction(contact, contact.dynamic_friction, speed);
    }
  }

  bool agrees(const std::vector<VectorX>& last) const {
    return std::all_of(contacts_.begin(), contacts_.end(), [&](int c) {
      return slip_[c].size() == last[c].size() && (slip_[c].size() == 0 || (slip_[c] - last[c]).norm() <= 1e-9);
    });
  }

  // The optimum, with rows at rest as equations where the cones allow that.
  std::optional<VectorX> solve_given_friction() {
    const std::vector<int> free(choice_.free_rows.begin() + choice_.normals, choice_.free_rows.end());
    const std::optional<VectorX> near = minimise({}, free);
    if (!near) return {};
    const VectorX v = before_ + W_ * *near;
    std::vector<int> rest, moving;
    for (const int row : free) (std::abs(v[row]) <= at_rest_below * scales_.speed ? rest : moving).push_back(row);
    if (rest.empty()) return near;
    const std::optional<VectorX> exact = minimise(rest, moving);
    return exact ? exact : near;
  }

  // p with `rest` at rest and the least |v| of `moving`.
  std::optional<VectorX> minimise(const std::vector<int>& rest, const std::vector<int>& moving) {
    gather_columns();
    if (!solve_equations(rest)) return {};
    if (R_.cols() == 0) return in_cones(p0_) ? std::optional<VectorX>(spread(p0_)) : std::nullopt;
    ConeQp qp;
    set_objective(moving, qp);
    set_cones(qp);
    if (with_energy_) set_energy_cone(qp);
    solvers::ConeQpWorkspace workspace;
    std::vector<double> y;
    const auto report = solvers::solve_cone_qp(qp, {.tolerance = 1e-12, .max_iterations = 60}, workspace, y);
    if (report.residual < 0 || report.residual > 1e-7) return {};
    return spread(p0_ + unit_ * (R_ * Eigen::Map<const VectorX>(y.data(), R_.cols())));
  }

  // Rows that may have an impulse: without friction only the normal.
  void gather_columns() {
    columns_.clear();
    for (const int c : contacts_) {
      const ImpactContact& contact = problem_.contacts[c];
      const int last = mu_[c] > 0 ? contact.tangents : 0;
      for (int t = 0; t <= last; ++t) columns_.push_back(contact.first_row + t);
    }
  }

  // p = p0 + R y: everything that keeps (4.11) and leaves `rest` at rest. False when nothing does.
  bool solve_equations(const std::vector<int>& rest) {
    std::vector<int> rows;
    VectorX right(static_cast<int>(contacts_.size() + rest.size()));
    for (const int c : contacts_) {
      const int row = problem_.contacts[c].first_row;
      right[static_cast<int>(rows.size())] = rebound(problem_.contacts[c], before_[row]) - before_[row];
      rows.push_back(row);
    }
    for (const int row : rest) {
      right[static_cast<int>(rows.size())] = -before_[row];
      rows.push_back(row);
    }
    MatrixX C(right.size(), static_cast<int>(columns_.size()));
    for (int i = 0; i < C.rows(); ++i) {
      for (int j = 0; j < C.cols(); ++j) C(i, j) = W_(rows[i], columns_[j]);
    }
    add_slip_equations(C, right);
    const Eigen::JacobiSVD<MatrixX> svd(C, Eigen::ComputeFullU | Eigen::ComputeFullV);
    int rank = 0;
    while (rank < svd.singularValues().size() && svd.singularValues()[rank] > 1e-10 * svd.singularValues()[0]) ++rank;
    const VectorX turned = svd.matrixU().leftCols(rank).transpose() * right;
    p0_ = svd.matrixV().leftCols(rank) * turned.cwiseQuotient(svd.singularValues().head(rank));
    R_ = svd.matrixV().rightCols(C.cols() - rank);
    unit_ = std::max(scales_.impulse, p0_.cwiseAbs().maxCoeff());
    return (C * p0_ - right).cwiseAbs().maxCoeff() <= 1e-9 * scales_.speed;
  }

  // p_t + mu p_n v_t / |v_t| = 0 where a contact slips, in units of velocity.
  void add_slip_equations(MatrixX& C, VectorX& right) const {
    int place = 0;
    for (const int c : contacts_) {
      const int tangents = mu_[c] > 0 ? problem_.contacts[c].tangents : 0, first = static_cast<int>(C.rows());
      if (!slip_.empty() && slip_[c].size() > 0 && tangents > 0) {
        C.conservativeResize(first + tangents, Eigen::NoChange);
        C.bottomRows(tangents).setZero();
        C.block(first, place + 1, tangents, tangents).setIdentity();
        C.block(first, place, tangents, 1) = mu_[c] * slip_[c];
        C.bottomRows(tangents) *= scales_.speed / scales_.impulse;
        right.conservativeResize(first + tangents);
        right.tail(tangents).setZero();
      }
      place += tangents + 1;
    }
  }

  // In units of speed and impulse: 1/2 |v|^2 + weight / 2 |p|^2.
  void set_objective(const std::vector<int>& moving, ConeQp& qp) const {
    const int n = static_cast<int>(R_.cols());
    qp.reset(n);
    MatrixX F(static_cast<int>(moving.size()), static_cast<int>(columns_.size()));
    VectorX f(F.rows());
    for (int i = 0; i < F.rows(); ++i) {
      for (int j = 0; j < F.cols(); ++j) F(i, j) = W_(moving[i], columns_[j]) * unit_ / scales_.speed;
      f[i] = before_[moving[i]] / scales_.speed;
    }
    f += F * p0_ / unit_;
    const double weight = moving.empty() ? 1 : short_impulse_weight;
    const MatrixX FR = F * R_;
    Eigen::Map<MatrixX>(qp.U.data(), n, n) = FR.transpose() * FR + weight * MatrixX::Identity(n, n);
    Eigen::Map<VectorX>(qp.v.data(), n) = FR.transpose() * f + weight * R_.transpose() * p0_ / unit_;
    qp.constant = 0.5 * f.squaredNorm() + 0.5 * weight * p0_.squaredNorm() / (unit_ * unit_);
  }

  void add_row(ConeQp& qp, double factor, const VectorX& row_of_R, double offset) const {
    double* row = qp.add_row(factor * offset);
    for (int j = 0; j < R_.cols(); ++j) row[j] = factor * row_of_R[j];
  }

  // (mu p_n, p_t), or p_n >= 0.
  void set_cones(ConeQp& qp) const {
    int place = 0;
    for (const int c : contacts_) {
      const int tangents = mu_[c] > 0 ? problem_.contacts[c].tangents : 0;
      const bool slips = !slip_.empty() && slip_[c].size() > 0;  // at the edge by its equations
      if (slips) add_row(qp, 1, R_.row(place), p0_[place] / unit_);
      for (int t = 0; t <= tangents; ++t, ++place) {
        if (!slips) add_row(qp, t == 0 && tangents > 0 ? mu_[c] : 1, R_.row(place), p0_[place] / unit_);
      }
      qp.cone_sizes.push_back(slips ? 1 : tangents + 1);
    }
  }

  // (|L^T u-|, L^T u+) with A = L L^T.
  void set_energy_cone(ConeQp& qp) const {
    const VectorX u = factor_.matrixU() * problem_.velocity;
    MatrixX moved(u.size(), static_cast<int>(columns_.size()));
    for (int j = 0; j < moved.cols(); ++j)
      moved.col(j) = factor_.matrixL().solve(problem_.J.row(columns_[j]).transpose());
    const double norm = u.norm();
    const MatrixX by_y = moved * R_ * (unit_ / norm);
    const VectorX fixed = (u + moved * p0_) / norm;
    add_row(qp, 1, VectorX::Zero(R_.cols()), 1 + 1e-10);
    for (int i = 0; i < u.size(); ++i) add_row(qp, 1, by_y.row(i), fixed[i]);
    qp.cone_sizes.push_back(static_cast<int>(u.size()) + 1);
  }

  VectorX spread(const VectorX& p) const {
    VectorX all = VectorX::Zero(problem_.J.rows());
    for (size_t j = 0; j < columns_.size(); ++j) all[columns_[j]] = p[static_cast<int>(j)];
    return all;
  }

  bool in_cones(const VectorX& p) const {
    const VectorX all = spread(p);
    return std::all_of(contacts_.begin(), contacts_.end(), [&](int c) {
      const double p_n = all[problem_.contacts[c].first_row], slack = 1e-9 * unit_;
      return p_n >= -slack && tangential_norm(problem_.contacts[c], all) <= mu_[c] * p_n + slack;
    });
  }

  bool gains_energy(const VectorX& p, double tolerance) const {
    return p.dot(before_) + 0.5 * p.dot(W_ * p) > tolerance * scales_.energy;
  }

  // Contacts that slip outside the cone of (4.22) get mu_d; true when there was one.
  bool lower_friction(const VectorX& p, double tolerance) {
    bool lowered = false;
    const VectorX v = before_ + W_ * p;
    for (const int c : contacts_) {
      const ImpactContact& contact = problem_.contacts[c];
      const double slip = tangential_norm(contact, v), p_n = p[contact.first_row];
      const double mu = stribeck_friction(contact, contact.dynamic_friction, slip);
      const bool outside =
          slip > tolerance * scales_.speed && tangential_norm(contact, p) > mu * p_n + tolerance * unit_;
      if (!outside || mu_[c] <= contact.dynamic_friction) continue;
      mu_[c] = contact.dynamic_friction;
      lowered = true;
    }
    return lowered;
  }

  const ImpactProblem& problem_;
  const std::vector<int>& contacts_;
  const VelocityConstraint& choice_;
  ImpactScales scales_;
  Eigen::LLT<MatrixX> factor_;
  MatrixX response_, W_;
  VectorX before_;
  std::vector<double> mu_;
  std::vector<VectorX> slip_;  // directions of slip, where they are asked for
  bool with_energy_ = false;
  std::vector<int> columns_;
  VectorX p0_;
  MatrixX R_;
  double unit_ = 1;  // of impulse
};

ImpactOutcome judged(const ImpactProblem& problem, const std::vector<int>& contacts, const VelocityConstraint& choice,
                     const VectorX& p, double tolerance) {
  ImpactOutcome outcome{.constrained_rows = choice.constrained_rows, .examined = choice.examined};
  outcome.impulse = p;
  outcome.velocity = problem.velocity + problem.mass.llt().solve(problem.J.transpose() * p);
  std::vector<double> mu_min;
  for (const ImpactContact& contact : problem.contacts) mu_min.push_back(contact.dynamic_friction);
  judge_outcome(problem, contacts, mu_min, tolerance, outcome);
  outcome.meets_rule = !outcome.leaves_cone && outcome.keeps_restitution;
  return outcome;
}

}  // namespace

std::optional<ImpactOutcome> coulomb_outcome(const ImpactProblem& problem, const std::vector<int>& contacts,
                                             const VelocityConstraint& choice, double tolerance) {
  CoulombProgramme programme(problem, contacts, choice);
  const std::optional<VectorX> p = programme.solve(0.1 * tolerance);
  if (!p) return {};
  ImpactOutcome outcome = judged(problem, contacts, choice, *p, tolerance);
  if (outcome.obeys_coulomb) return outcome;
  const std::optional<VectorX> against = programme.solve_against_slip(*p, 0.1 * tolerance);
  if (!against) return outcome;
  const ImpactOutcome better = judged(problem, contacts, choice, *against, tolerance);
  return better.obeys_coulomb && better.violations() == 0 && better.state == outcome.state ? better : outcome;
}

}  // namespace stiction
