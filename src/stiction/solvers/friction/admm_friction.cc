#include "stiction/solvers/friction/admm_friction.h"

#include <algorithm>
#include <cmath>

#include "stiction/base/infinity.h"
#include "stiction/solvers/friction/friction_solve.h"
#include "stiction/solvers/friction/kernels/cone_projection.h"

namespace stiction::solvers {

namespace {

using Law = FrictionBlock::Law;

class Admm {
 public:
  Admm(const ScaledFriction& s, const AdmmOptions& options, BlockLu& lu, AdmmWorkspace& w)
      : s_(s), options_(options), lu_(lu), w_(w) {}
  NewtonResult run(double* r);

 private:
  void start(const double* r);
  double largest_eigenvalue();
  bool factor();
  void solve_linear();
  void project();
  void project_block(int i);
  void adapt_penalty();
  void measure(double* r);

  const ScaledFriction& s_;
  const AdmmOptions& options_;
  BlockLu& lu_;
  AdmmWorkspace& w_;
  NewtonResult result_;
  double rho_ = 1;
  double primal_ = 0, dual_ = 0;  // sums of squares since the last change of rho
};

// A few power iterations: the order of magnitude is enough.
double Admm::largest_eigenvalue() {
  for (int i = 0; i < s_.row_count; ++i) w_.f[i] = 1 + 0.1 * (i % 7);
  double size = 1;
  for (int k = 0; k < 10; ++k) {
    const double norm = length(w_.f.data(), s_.row_count);
    for (double& x : w_.f) x /= norm > 0 ? norm : 1.0;
    scaled_velocity(s_, w_.f.data(), w_.u.data());
    for (int i = 0; i < s_.row_count; ++i) w_.f[i] = w_.u[i] - s_.q[i];
    size = length(w_.f.data(), s_.row_count);
  }
  return size > 0 && size < infinity ? size : 1.0;
}

bool Admm::factor() {
  ++result_.factorizations;
  std::copy(s_.value.begin(), s_.value.end(), w_.value.begin());
  for (int i = 0; i < s_.block_count; ++i) {
    double* diagonal = w_.value.data() + s_.value_start()[s_.diagonal[i]];
    for (int a = 0; a < s_.dim[i]; ++a) diagonal[a * s_.dim[i] + a] += rho_ + options_.proximal;
  }
  return lu_.factor(s_, w_.value.data(), w_.active.data());
}

void Admm::start(const double* r) {
  const int n = s_.row_count;
  for (auto* vector : {&w_.f, &w_.y, &w_.z, &w_.last, &w_.u}) vector->resize(n);
  w_.value.resize(s_.value.size());
  w_.active.assign(s_.block_count, 1);
  rho_ = std::sqrt(0.1 * largest_eigenvalue());
  std::copy_n(r, n, w_.f.data());
  std::copy_n(r, n, w_.y.data());
  std::fill(w_.z.begin(), w_.z.end(), 0.0);
  scaled_velocity(s_, r, w_.u.data());
  result_.residual = scaled_residual(s_, r, w_.u.data());
}

void Admm::solve_linear() {
  for (int i = 0; i < s_.row_count; ++i) {
    w_.f[i] = -s_.q[i] + options_.proximal * w_.f[i] + rho_ * w_.y[i] + w_.z[i];
  }
  for (int i = 0; i < s_.block_count; ++i) {
    if (s_.law[i] != Law::contact) continue;
    const int first = s_.first[i];
    w_.f[first] -= s_.mu[i] * length(w_.z.data() + first + 1, s_.dim[i] - 1);
  }
  lu_.solve(s_, w_.f.data());
}

void Admm::project_block(int i) {
  const int first = s_.first[i], n = s_.dim[i];
  if (s_.law[i] == Law::contact) project_on_cone(w_.y.data() + first, n, s_.mu[i]);
  if (s_.law[i] == Law::bounded) project_on_ball(w_.y.data() + first, n, ball_radius(s_, i, w_.y.data()));
}

// y and z from f; contacts before the blocks whose radius they give.
void Admm::project() {
  w_.last = w_.y;
  for (int i = 0; i < s_.row_count; ++i) w_.y[i] = w_.f[i] - w_.z[i] / rho_;
  for (int i = 0; i < s_.block_count; ++i) {
    if (s_.law[i] == Law::contact) project_block(i);
  }
  for (int i = 0; i < s_.block_count; ++i) {
    if (s_.law[i] == Law::bounded) project_block(i);
  }
  for (int i = 0; i < s_.row_count; ++i) {
    const double gap = w_.f[i] - w_.y[i], change = rho_ * (w_.y[i] - w_.last[i]);
    w_.z[i] -= rho_ * gap;
    primal_ += gap * gap;
    dual_ += change * change;
  }
}

void Admm::adapt_penalty() {
  const double ratio = dual_ > 0 ? std::sqrt(primal_ / dual_) : 10.0;
  primal_ = dual_ = 0;
  if (ratio < 5 && ratio > 0.2) return;
  const double before = rho_;
  rho_ = std::clamp(rho_ * std::clamp(std::sqrt(ratio), 0.1, 10.0), 1e-8, 1e8);
  if (rho_ != before && !factor()) {
    rho_ = before;
    factor();
  }
}

void Admm::measure(double* r) {
  scaled_velocity(s_, w_.y.data(), w_.u.data());
  const double residual = scaled_residual(s_, w_.y.data(), w_.u.data());
  if (!(residual < result_.residual)) return;
  result_.residual = residual;
  std::copy_n(w_.y.data(), s_.row_count, r);
}

NewtonResult Admm::run(double* r) {
  start(r);
  if (!factor()) return result_;
  int until_change = 10, wait = 10;
  while (result_.steps < options_.steps && result_.residual > options_.tolerance && !options_.deadline.passed()) {
    solve_linear();
    project();
    ++result_.steps;
    if (result_.steps % 5 == 0) measure(r);
    if (--until_change == 0) {
      adapt_penalty();
      wait += result_.steps > 100 ? wait / 4 : 0;  // ever rarer: a penalty that keeps changing need not converge
      until_change = wait;
    }
  }
  result_.solved = result_.residual <= options_.tolerance;
  return result_;
}

}  // namespace

NewtonResult run_admm(const ScaledFriction& s, const AdmmOptions& options, BlockLu& lu, AdmmWorkspace& w, double* r) {
  return Admm(s, options, lu, w).run(r);
}

void take_admm_steps(FrictionSolve& solve, int steps) {
  auto options = solve.common<AdmmOptions>();
  options.steps = steps;
  solve.analyze();
  FrictionMemory& m = solve.memory();
  solve.keep(admm_friction, run_admm(m.scaled, options, m.newton.lu, m.admm, solve.r()));
}

constinit const FrictionSolver admm_friction = {
    .name = "admm",
    .source = "boyd2011",
    .sentence = "alternating directions with adaptive penalty: a linear system and a projection in turns",
    .run = [](FrictionSolve& solve) { take_admm_steps(solve, solve.limit(20000)); }};

}  // namespace stiction::solvers
