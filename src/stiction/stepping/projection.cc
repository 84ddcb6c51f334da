#include "stiction/stepping/projection.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/dense.h"

namespace stiction {

namespace {

constexpr double rank_tolerance = 1e-10;

// Rows of closing joints only, their violation in the bias (h = 1).
void assemble_joints(const Model& model, const State& state, ProjectionWorkspace& w) {
  update_kinematics(model, state, 0, w.kinematics);
  std::fill(w.free_motion.implicit_diagonal.begin(), w.free_motion.implicit_diagonal.end(), 0.0);
  w.free_motion.v_free.setZero(model.v_size);
  w.free_motion.external_impulse.setZero(model.v_size);
  crba(model, w.kinematics, w.free_motion.implicit_diagonal, w.free_motion.recursion, w.problem.mass);
  contact::assemble_problem(model, state, w.kinematics, w.free_motion, {}, 1.0, {}, w.assembly, w.problem);
  StepProblem& problem = w.problem;
  for (size_t i = 0; i < problem.bilateral_bias.size(); ++i) problem.bilateral_bias[i] -= problem.bilateral_surface[i];
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

// d of one island, into p.change.
void correct_island(const contact::Island& island, ProjectionWorkspace& p) {
  const StepProblem& problem = p.problem;
  p.blocks.clear();
  p.value.clear();
  for (const int b : island.bilaterals) {
    const BilateralRows& joint = problem.bilaterals[b];
    p.blocks.push_back(joint.block);
    for (int r = 0; r < problem.blocks[joint.block].row_count; ++r) {
      p.value.push_back(-problem.bilateral_bias[joint.first_bias + r]);
    }
  }
  if (p.blocks.empty() || !p.delassus.form(problem, island, p.blocks)) return;
  const int n = p.delassus.rows();
  std::vector<double>& W = p.delassus.matrix();
  p.scale.resize(n);
  unit_diagonal(W.data(), n, n, p.scale.data());
  for (int i = 0; i < n; ++i) p.value[i] *= p.scale[i];
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) W[static_cast<size_t>(j) * n + i] *= p.scale[i] * p.scale[j];
  }
  p.pivots.resize(n);
  p.multiplier.resize(n);
  const int rank = pivoted_cholesky(W.data(), n, rank_tolerance, p.pivots);
  solve_pivoted(W.data(), n, rank, p.pivots, p.value.data(), p.multiplier.data());
  for (int i = 0; i < n; ++i) p.multiplier[i] *= p.scale[i];
  p.delassus.apply(problem, island, p.multiplier, p.change);
}

}  // namespace

ProjectionWorkspace::ProjectionWorkspace(const Model& model)
    : kinematics(make_kinematics(model)),
      free_motion(make_free_motion(model)),
      assembly(contact::make_assembly(model)) {
  problem.mass.resize(model.mass_size);
}

double constraint_violation(const Model& model, const State& state, ProjectionWorkspace& w) {
  assemble_joints(model, state, w);
  return largest(w.problem.bilateral_bias);
}

int most_violated_joint(const Model& model, const State& state, ProjectionWorkspace& w) {
  const double most = constraint_violation(model, state, w);
  const StepProblem& problem = w.problem;
  for (size_t b = 0; b < problem.bilaterals.size(); ++b) {
    const BilateralRows& joint = problem.bilaterals[b];
    for (int r = 0; r < problem.blocks[joint.block].row_count; ++r) {
      if (std::abs(problem.bilateral_bias[joint.first_bias + r]) == most) return w.assembly.bilateral_joint[b];
    }
  }
  return -1;
}

double project_constraints(const Model& model, State& state, double tolerance, int steps, ProjectionWorkspace& w) {
  double violation = constraint_violation(model, state, w);
  for (int step = 0; step < steps && violation > tolerance; ++step) {
    w.islands.update(w.problem);
    w.change.setZero(model.v_size);
    for (int i = 0; i < w.islands.count(); ++i) correct_island(w.islands[i], w);
    if (!w.change.allFinite()) break;
    w.q = state.q;
    integrate_positions(model, w.change, 1.0, state.q);
    const double after = constraint_violation(model, state, w);
    if (!(after < violation)) {  // a start too far off: keep what there was
      state.q = w.q;
      break;
    }
    violation = after;
  }
  return violation;
}

}  // namespace stiction
