#include "stiction/methods/shared/position_repair.h"

#include <algorithm>
#include <cmath>

namespace stiction::methods {

namespace {

using Law = FrictionBlock::Law;

// On the change of impulses, over the diagonal of W.
constexpr double relative_compliance = 1e-6;

// The fastest row of the island's contacts and scalars in the free motion: right-hand sides without what is a gap over
// h.
double largest_free_velocity(const StepProblem& step, const contact::Island& island, const FrictionProblem& velocity,
                             int block) {
  double largest = 0;
  const auto count = [&](double open) {
    const FrictionBlock& own = velocity.blocks[block++];
    const double* q = velocity.q.data() + own.first_row;
    for (int r = 0; r < own.row_count; ++r) largest = std::max(largest, std::abs(r == 0 ? q[r] - open : q[r]));
  };
  for (const int c : island.contacts) {
    count(step.contacts[c].normal_bias);
    if (step.contacts[c].rolling >= 0) ++block;
  }
  for (const int s : island.scalars) {
    const ScalarRow& scalar = step.scalars[s];
    count(scalar.is_limit() && step.normal_law == NormalLaw::gap ? std::max(scalar.gap, 0.0) / step.step
                                                                 : scalar.bias - scalar.surface);
  }
  return largest;
}

// Walks the blocks of the velocity problem in their order: looks for what is to be repaired, and once there is a
// problem for it, changes its right-hand side.
struct Repair {
  const StepProblem& step;
  const StepAnswer& answer;
  const RepairOptions& options;
  const IslandFrictionProblem& velocity;
  IslandFrictionProblem* repair = nullptr;
  double speed = 0;     // m/s: of the fastest row in the free motion
  double smallest = 0;  // m: less than this is not repaired
  int block = 0;
  bool needed = false;

  void walk(const contact::Island& island);
  void add(int row, double rate) {
    if (repair != nullptr) repair->problem.q[velocity.problem.blocks[block].first_row + row] += rate;
  }
  void recover(double gap);
  void close(const ContactRows& contact);
  void add_contact(const ContactRows& contact);
};

void Repair::recover(double gap) {
  if (gap >= 0) return;
  needed |= gap < -smallest;
  add(0, std::max(gap / step.step, -options.max_recovery_speed));
}

void Repair::close(const ContactRows& contact) {
  needed |= contact.drift.norm() > smallest;
  if (repair == nullptr) return;
  const Vector2 back = repair_velocity(contact.drift, step.step, options);
  const RowSelection& rows = velocity.selection[block];
  for (int r = 1; r < rows.count; ++r) {
    if (rows.row[r] < 3) add(r, back[rows.row[r] - 1]);
  }
}

void Repair::add_contact(const ContactRows& contact) {
  const bool rebounds = contact.normal_bias < 0;
  if (!rebounds) recover(contact.gap);
  const bool pressed = answer.impulse[step.blocks[contact.block].first_row] > 0 && !contact.drift.isZero(0);
  if (options.close_drift && pressed && contact::sticks(step, contact, answer, speed, options.slip_tolerance)) {
    close(contact);
  }
  block += contact.rolling >= 0 ? 2 : 1;
}

void Repair::walk(const contact::Island& island) {
  block = static_cast<int>(island.bilaterals.size());
  for (const int c : island.contacts) add_contact(step.contacts[c]);
  for (const int s : island.scalars) {
    if (step.scalars[s].kind == ScalarRow::Kind::limit) recover(step.scalars[s].gap);
    ++block;
  }
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

RepairNeed::RepairNeed(const RepairOptions& asked, double h, double speed)
    : options(asked), fastest(speed), smallest(asked.tolerance * h * speed), rest(asked.resting_overlap * h * speed) {}

bool RepairNeed::has(const StepProblem& step, const ContactRows& contact, const StepAnswer& answer) const {
  const bool pressed = answer.impulse[step.blocks[contact.block].first_row] > 0;
  const bool opens = pressed && contact.gap > 0 && contact.gap <= rest;
  if (contact.normal_bias >= 0 && (overlaps(contact.gap) || opens)) return true;
  return options.close_drift && pressed && contact.drift.norm() > smallest &&
         contact::sticks(step, contact, answer, fastest, options.slip_tolerance);
}

Vector2 repair_velocity(const Vector2& drift, double h, const RepairOptions& options) {
  const Vector2 back = drift / h;
  const double speed = back.norm();
  return speed > options.max_recovery_speed ? Vector2(back * (options.max_recovery_speed / speed)) : back;
}

bool form_repair_problem(const StepProblem& step, const contact::Island& island, const StepAnswer& answer,
                         const RepairOptions& options, const IslandFrictionProblem& velocity, std::span<const double> r,
                         IslandFrictionProblem& repair) {
  Repair walk{step, answer, options, velocity};
  walk.speed = largest_free_velocity(step, island, velocity.problem, static_cast<int>(island.bilaterals.size()));
  walk.smallest = options.tolerance * step.step * walk.speed;
  walk.walk(island);
  if (!walk.needed) return false;
  repair = velocity;
  walk.repair = &repair;
  walk.walk(island);
  soften(r, repair.problem);
  return true;
}

}  // namespace stiction::methods
