#include "stiction/methods/position_repair.h"

#include <algorithm>
#include <cmath>

#include "stiction/contact/anchors.h"

namespace stiction::methods {

namespace {

// Slip below this fraction of the velocities that the island's rows had to stop counts as stick, as in anchors.cc.
constexpr double stick_fraction = 1e-7;

// Of the repair problem, over the diagonal of W.
constexpr double relative_compliance = 1e-3;

double scalar_velocity(const StepProblem& step, const ScalarRow& scalar, const VectorX& v) {
  const RowBlock& block = step.blocks[scalar.block];
  double u = scalar.surface;
  for (int side = 0; side < 2; ++side) {
    if (block.tree[side] < 0) continue;
    const VelocityTree& tree = step.trees[block.tree[side]];
    u += step.jacobian_block(scalar.block, side).row(0).dot(v.segment(tree.offset, tree.size));
  }
  return u;
}

// Walks the island's blocks in local order, as form_velocity_problem.
struct RepairProblem {
  const StepProblem& step;
  const IslandRows& rows;
  const StepAnswer& answer;
  const RepairOptions& options;
  IslandFrictionProblem& result;
  double still = 0;     // m/s: slower than this is stick
  double smallest = 0;  // m: less than this is not repaired
  int k = 0;            // local block
  bool needed = false;

  double impulse(int block, int r) const { return answer.impulse[step.blocks[block].first_row + r]; }
  void add_bilateral();
  void add_normal(double rate);
  void add_contact(const ContactRows& contact);
  void hold(const ContactRows& contact);
  void add_scalar(const ScalarRow& scalar);
};

void RepairProblem::add_bilateral() {
  constexpr std::array<double, 6> q = {};
  result.add({.law = FrictionBlock::Law::bilateral}, {.block = k, .count = rows.row_count(k)}, q);
  ++k;
}

// `rate`: what the gap would be at the end of the step, over h.
void RepairProblem::add_normal(double rate) {
  needed |= rate * step.step < -smallest;
  const std::array<double, 1> q = {std::max(rate, -options.max_recovery_speed)};
  result.add({.law = FrictionBlock::Law::contact}, {.block = k, .count = 1}, q);
}

void RepairProblem::add_contact(const ContactRows& contact) {
  const Vector4 u = contact::contact_velocity(step, contact, answer.v_end);
  add_normal(u[0] + contact.gap / step.step);
  const bool sticks = rows.row_count(k) >= 3 && impulse(contact.block, 0) > 0 && std::hypot(u[1], u[2]) <= still;
  if (sticks) hold(contact);
  k += contact.rolling >= 0 ? 2 : 1;
}

void RepairProblem::hold(const ContactRows& contact) {
  const std::array<double, 3> axes = {contact.friction[0], contact.friction[1], contact.torsion};
  Vector2 back = Vector2::Zero();
  if (options.close_drift) {
    needed |= contact.drift.norm() > smallest;
    back = contact.drift / step.step;
    if (back.norm() > options.max_recovery_speed) back *= options.max_recovery_speed / back.norm();
  }
  RowSelection selection{.block = k};
  FrictionBlock block{.law = FrictionBlock::Law::bounded, .bound = impulse(contact.block, 0)};
  std::array<double, 3> q = {};
  for (int r = 1; r < rows.row_count(k); ++r) {
    if (axes[r - 1] <= 0) continue;
    block.axes[selection.count] = axes[r - 1];
    q[selection.count] = r < 3 ? back[r - 1] : 0.0;
    selection.row[selection.count++] = r;
  }
  if (selection.count > 0) result.add(block, selection, q);
}

void RepairProblem::add_scalar(const ScalarRow& scalar) {
  const double u = scalar_velocity(step, scalar, answer.v_end);
  if (scalar.kind == ScalarRow::Kind::limit) {
    add_normal(u + scalar.gap / step.step);
  } else if (std::abs(u) <= still && scalar.bound > 0) {
    constexpr std::array<double, 1> q = {};
    result.add({.law = FrictionBlock::Law::bounded, .axes = {1, 0, 0}, .bound = scalar.bound}, {.block = k, .count = 1},
               q);
  }
  ++k;
}

void soften(FrictionProblem& problem) {
  for (int i = 0; i < problem.block_count(); ++i) {
    const int n = problem.blocks[i].row_count;
    if (problem.blocks[i].law == FrictionBlock::Law::bilateral) continue;
    int k = problem.row_start[i];
    while (problem.column[k] != i) ++k;
    for (int r = 0; r < n; ++r) problem.value[problem.value_start[k] + r * n + r] *= 1 + relative_compliance;
  }
}

double largest_free_velocity(const StepProblem& step, const contact::Island& island) {
  double largest = 0;
  for (const int c : island.contacts) {
    const Vector4 u = contact::contact_velocity(step, step.contacts[c], step.v_free);
    largest = std::max(largest, u.lpNorm<Eigen::Infinity>());
  }
  for (const int s : island.scalars)
    largest = std::max(largest, std::abs(scalar_velocity(step, step.scalars[s], step.v_free)));
  return largest;
}

}  // namespace

bool form_repair_problem(const StepProblem& step, const contact::Island& island, std::span<const int> blocks,
                         const IslandRows& rows, const StepAnswer& answer, const RepairOptions& options,
                         IslandFrictionProblem& result) {
  result.clear();
  RepairProblem walk{step, rows, answer, options, result};
  const double speed = largest_free_velocity(step, island);
  walk.still = stick_fraction * speed;
  walk.smallest = options.tolerance * step.step * speed;
  for (size_t b = 0; b < island.bilaterals.size(); ++b) walk.add_bilateral();
  for (const int c : island.contacts) walk.add_contact(step.contacts[c]);
  for (const int s : island.scalars) walk.add_scalar(step.scalars[s]);
  if (!walk.needed) return false;
  result.form_matrix(step, blocks, rows);
  soften(result.problem);
  return true;
}

}  // namespace stiction::methods
