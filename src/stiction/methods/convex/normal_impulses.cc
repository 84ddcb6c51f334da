#include "stiction/methods/convex/normal_impulses.h"

#include <algorithm>
#include <cmath>

namespace stiction::methods {

namespace {

using solvers::SolveReport;
using solvers::Termination;

// Pivots of A_N below this, relative to its diagonal: a contact whose velocity the others determine.
constexpr double normal_rank = 1e-11;
// Velocities below this share of the fastest are zero: their contacts stay closed.
constexpr double closed_velocity = 1e-9;
// An impulse this much below zero, relative to the largest, is rounding.
constexpr double impulse_rounding = 1e-12;
// Of a solution found by other means, what may be left of the velocities.
constexpr double solved_velocity = 1e-10;
// Impulses below this share of the largest are off the support of an interior point's answer.
constexpr double support_share = 1e-7;
constexpr double least_norm_tolerance = 1e-12;

struct PhaseOne {
  const ConvexRows& rows;
  NormalImpulses& out;
  int n;

  PhaseOne(const ConvexRows& r, NormalImpulses& o) : rows(r), out(o), n(r.normal_count()) {}

  void measure_velocity();
  double worst_velocity(const std::vector<int>& set) const;
  double lowest() const { return n == 0 ? 0.0 : *std::min_element(out.w.begin(), out.w.end()); }
  double largest() const;
  bool nonnegative() const { return lowest() >= -impulse_rounding * largest(); }
  void clip();
  bool take_least_norm(const std::vector<int>& set);
  bool find_closed();
  bool optimise_norm();
  bool solve_nonnegative();
  void solve_pseudo_inverse();
};

double PhaseOne::largest() const {
  double most = 0;
  for (const double w : out.w) most = std::max(most, std::abs(w));
  return most;
}

void PhaseOne::measure_velocity() {
  out.velocity.assign(rows.b.begin(), rows.b.begin() + n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) out.velocity[i] += rows.at(i, j) * out.w[j];
  }
}

double PhaseOne::worst_velocity(const std::vector<int>& set) const {
  double worst = 0;
  for (const int i : set) worst = std::max(worst, std::abs(out.velocity[i]));
  return worst;
}

void PhaseOne::clip() {
  for (double& w : out.w) w = std::max(w, 0.0);
}

// (1) over `set`, of least norm, zero elsewhere; true where it solves (1). One refinement for what rounding leaves.
bool PhaseOne::take_least_norm(const std::vector<int>& set) {
  const size_t k = set.size();
  out.factor.form(rows.A.data(), rows.size(), set, normal_rank);
  out.weights.resize(k);
  for (size_t i = 0; i < k; ++i) out.weights[i] = rows.weight[set[i]];
  std::fill(out.w.begin(), out.w.end(), 0.0);
  out.right.resize(k);
  out.x.resize(k);
  for (int pass = 0; pass < 2; ++pass) {
    measure_velocity();
    for (size_t i = 0; i < k; ++i) out.right[i] = -out.velocity[set[i]];
    out.factor.solve(out.right.data(), out.x.data());
    out.factor.project(out.weights.data(), out.x.data());
    for (size_t i = 0; i < k; ++i) out.w[set[i]] += out.x[i];
  }
  measure_velocity();
  return worst_velocity(set) <= solved_velocity * out.fastest;
}

// Complementary impulses by Lemke's algorithm, and the contacts that their velocities leave closed.
bool PhaseOne::find_closed() {
  out.matrix.resize(static_cast<size_t>(n) * n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) out.matrix[static_cast<size_t>(j) * n + i] = rows.at(i, j);
  }
  out.right.assign(rows.b.begin(), rows.b.begin() + n);
  out.velocity.resize(n);
  const SolveReport report = solvers::solve_lemke({n, out.matrix.data(), out.right.data()}, false, {}, out.lemke,
                                                  out.w.data(), out.velocity.data());
  if (report.termination != Termination::solved) return false;
  out.closed.clear();
  for (int i = 0; i < n; ++i) {
    if (out.velocity[i] <= closed_velocity * out.fastest) out.closed.push_back(i);
  }
  return true;
}

// The least norm over w >= 0 from complementary impulses in w: w + N y with N the null space over the closed contacts.
bool PhaseOne::optimise_norm() {
  const int k = static_cast<int>(out.closed.size());
  out.factor.form(rows.A.data(), rows.size(), out.closed, normal_rank);
  const int m = out.factor.null_count();
  out.qp.reset(m);
  for (int i = 0; i < k; ++i) {
    const double t = rows.weight[out.closed[i]], w = t * out.w[out.closed[i]];
    double* G = out.qp.add_row(w);
    out.qp.cone_sizes.push_back(1);
    for (int j = 0; j < m; ++j) G[j] = t * out.factor.null_vector(j)[i];
    for (int j = 0; j < m; ++j) {
      out.qp.v[j] += w * G[j];
      for (int l = 0; l < m; ++l) out.qp.U[static_cast<size_t>(j) * m + l] += G[l] * G[j];
    }
    out.qp.constant += w * w / 2;
  }
  const SolveReport report = solvers::solve_cone_qp(out.qp, {.tolerance = least_norm_tolerance}, out.qp_memory, out.y);
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < m; ++j) out.w[out.closed[i]] += out.factor.null_vector(j)[i] * out.y[j];
  }
  return report.residual <= 1e-6;
}

bool PhaseOne::solve_nonnegative() {
  out.closed.resize(n);
  for (int i = 0; i < n; ++i) out.closed[i] = i;
  if (take_least_norm(out.closed) && nonnegative()) return true;
  if (!find_closed()) return false;
  out.y = out.w;  // complementary, though not of least norm
  if (take_least_norm(out.closed) && nonnegative()) return true;
  out.w = out.y;
  if (!optimise_norm()) return false;
  // The impulses that are not zero solve (1) by themselves, with least norm: exactly so where that has no negative one.
  out.matrix.assign(out.w.begin(), out.w.end());
  const double least = support_share * largest();
  out.support.clear();
  for (int i = 0; i < n; ++i) {
    if (out.w[i] > least) out.support.push_back(i);
  }
  const bool solved = take_least_norm(out.support) && nonnegative();
  if (solved && worst_velocity(out.closed) <= 10 * closed_velocity * out.fastest) return true;
  std::copy_n(out.matrix.begin(), n, out.w.begin());
  return true;
}

void PhaseOne::solve_pseudo_inverse() {
  out.closed.clear();
  for (int i = 0; i < n; ++i) {
    if (rows.b[i] <= 0) out.closed.push_back(i);
  }
  take_least_norm(out.closed);
}

}  // namespace

SolveReport find_normal_impulses(const ConvexRows& rows, ConvexImpulseOptions::PhaseOne phase_one,
                                 NormalImpulses& result) {
  PhaseOne phase(rows, result);
  result.w.assign(rows.normal_count(), 0.0);
  result.fastest = 0;
  for (const double b : rows.b) result.fastest = std::max(result.fastest, std::abs(b));
  SolveReport report;
  report.termination = Termination::solved;
  report.residual = 0;
  if (phase_one == ConvexImpulseOptions::PhaseOne::pseudo_inverse) {
    phase.solve_pseudo_inverse();
  } else if (phase.solve_nonnegative()) {
    phase.clip();
  } else {
    std::fill(result.w.begin(), result.w.end(), 0.0);
    report = {};
  }
  phase.measure_velocity();
  return report;
}

}  // namespace stiction::methods
