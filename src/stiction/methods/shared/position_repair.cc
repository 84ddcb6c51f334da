#include "stiction/methods/shared/position_repair.h"

#include <algorithm>
#include <cmath>

#include "stiction/problem/row_velocity.h"

namespace stiction::methods {

namespace {

using Law = FrictionBlock::Law;

// On the change of impulses, over the diagonal of W.
constexpr double relative_compliance = 1e-6;

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

// The fastest row of the island in the free motion.
double largest_free_velocity(const StepProblem& step, const contact::Island& island) {
  double largest = 0;
  for (const int c : island.contacts) {
    const Vector4 u = contact_velocity(step, step.contacts[c], step.v_free);
    largest = std::max(largest, u.lpNorm<Eigen::Infinity>());
  }
  for (const int s : island.scalars) {
    largest = std::max(largest, std::abs(scalar_velocity(step, step.scalars[s], step.v_free)));
  }
  return largest;
}

// Walks the blocks of the velocity problem in their order and changes the right-hand side.
struct Repair {
  const StepProblem& step;
  const StepAnswer& answer;
  const RepairOptions& options;
  IslandFrictionProblem& repair;
  double speed = 0;     // m/s: of the fastest row in the free motion
  double smallest = 0;  // m: less than this is not repaired
  int block = 0;
  bool needed = false;

  double& q(int row) { return repair.problem.q[repair.problem.blocks[block].first_row + row]; }
  void recover(double gap);
  void close(const ContactRows& contact);
  void add_contact(const ContactRows& contact);
};

void Repair::recover(double gap) {
  if (gap >= 0) return;
  needed |= gap < -smallest;
  q(0) += std::max(gap / step.step, -options.max_recovery_speed);
}

void Repair::close(const ContactRows& contact) {
  const Vector2 back = repair_velocity(contact.drift, step.step, options);
  needed |= contact.drift.norm() > smallest;
  const RowSelection& rows = repair.selection[block];
  for (int r = 1; r < rows.count; ++r) {
    if (rows.row[r] < 3) q(r) += back[rows.row[r] - 1];
  }
}

void Repair::add_contact(const ContactRows& contact) {
  const bool rebounds = contact.normal_bias < 0;
  if (!rebounds) recover(contact.gap);
  const bool pressed = answer.impulse[step.blocks[contact.block].first_row] > 0;
  if (options.close_drift && pressed && contact::sticks(step, contact, answer, speed, options.slip_tolerance)) {
    close(contact);
  }
  block += contact.rolling >= 0 ? 2 : 1;
}

// u = (W + C) r' + q - C r with C a multiple of W's diagonal.
void soften(std::span<const double> r, FrictionProblem& problem) {
  for (int i = 0; i < problem.block_count(); ++i) {
    const int n = problem.blocks[i].row_count, first = problem.blocks[i].first_row;
    if (problem.blocks[i].law == Law::bilateral) continue;
    int k = problem.row_start[i];
    while (problem.column[k] != i) ++k;
    for (int a = 0; a < n; ++a) {
      double& diagonal = problem.value[problem.value_start[k] + a * n + a];
      problem.q[first + a] -= relative_compliance * diagonal * r[first + a];
      diagonal *= 1 + relative_compliance;
    }
  }
}

}  // namespace

Vector2 repair_velocity(const Vector2& drift, double h, const RepairOptions& options) {
  const Vector2 back = drift / h;
  const double speed = back.norm();
  return speed > options.max_recovery_speed ? Vector2(back * (options.max_recovery_speed / speed)) : back;
}

bool form_repair_problem(const StepProblem& step, const contact::Island& island, const StepAnswer& answer,
                         const RepairOptions& options, const IslandFrictionProblem& velocity, std::span<const double> r,
                         IslandFrictionProblem& repair) {
  repair = velocity;
  Repair walk{step, answer, options, repair};
  walk.speed = largest_free_velocity(step, island);
  walk.smallest = options.tolerance * step.step * walk.speed;
  walk.block = static_cast<int>(island.bilaterals.size());
  for (const int c : island.contacts) walk.add_contact(step.contacts[c]);
  for (const int s : island.scalars) {
    if (step.scalars[s].kind == ScalarRow::Kind::limit) walk.recover(step.scalars[s].gap);
    ++walk.block;
  }
  if (!walk.needed) return false;
  soften(r, repair.problem);
  return true;
}

}  // namespace stiction::methods
