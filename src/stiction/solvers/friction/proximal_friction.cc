#include "stiction/solvers/friction/proximal_friction.h"

#include <algorithm>

#include "stiction/solvers/friction/friction_solve.h"

namespace stiction::solvers {

NewtonResult run_proximal(const ScaledFriction& s, const ProximalOptions& options, NewtonWorkspace& newton,
                          ProximalWorkspace& w, double* r) {
  w.center.assign(r, r + s.row_count);
  w.trial.resize(s.row_count);
  w.u.resize(s.row_count);
  const auto residual_of = [&](const double* x) {
    scaled_velocity(s, x, w.u.data());
    return scaled_residual(s, x, w.u.data());
  };
  NewtonResult result;
  result.residual = residual_of(r);
  double shift = options.start, residual = result.residual;
  for (int k = 0; k < options.steps && result.residual > options.tolerance && !options.deadline.passed(); ++k) {
    NewtonOptions inner;
    inner.tolerance = std::max(0.3 * options.tolerance, 0.05 * residual);
    inner.steps = 40;
    inner.poor_steps = 12;
    inner.memory = 4;
    inner.shift = shift;
    inner.center = w.center.data();
    inner.deadline = options.deadline;
    w.trial = w.center;
    const NewtonResult step = run_newton(s, inner, newton, w.trial.data());
    result.steps += step.steps;
    result.factorizations += step.factorizations;
    const double reached = residual_of(w.trial.data());
    if (reached < result.residual) {
      result.residual = reached;
      std::copy_n(w.trial.data(), s.row_count, r);
    }
    if (step.solved || reached < 0.9 * residual) {
      w.center.swap(w.trial);
      residual = reached;
    }
    shift = step.solved ? std::max(options.lowest, options.shrink * shift) : std::min(1e3, options.grow * shift);
  }
  result.solved = result.residual <= options.tolerance;
  return result;
}

void take_proximal_steps(FrictionSolve& solve, int steps, double shrink, double grow) {
  auto options = solve.common<ProximalOptions>();
  options.steps = steps;
  options.shrink = shrink;
  options.grow = grow;
  FrictionMemory& m = solve.memory();
  solve.keep(proximal_friction, run_proximal(m.scaled, options, m.newton, m.proximal, solve.r()));
}

constinit const FrictionSolver proximal_friction = {
    .name = "proximal",
    .source = "rockafellar1976",
    .sentence = "proximal point around Newton: redundant contacts get a compliance that fades out",
    .run = [](FrictionSolve& solve) { take_proximal_steps(solve, solve.limit(500)); }};

}  // namespace stiction::solvers
