#include "stiction/methods/shared/body_island.h"

#include <algorithm>
#include <cmath>

namespace stiction::methods {
namespace {

double limit_opening(const StepProblem& step, const ScalarRow& scalar) {
  return step.normal_law == NormalLaw::gap ? std::max(scalar.gap, 0.0) / step.step : scalar.bias - scalar.surface;
}

// Calls visit(contact, index of its block) for the island's contacts.
template <class Visit>
void for_each_contact(const StepProblem& step, const contact::Island& island, Visit&& visit) {
  int block = static_cast<int>(island.bilaterals.size() + island.scalars.size());
  for (const int c : island.contacts) {
    visit(step.contacts[c], block);
    block += step.contacts[c].rolling >= 0 ? 2 : 1;
  }
}

// Calls visit(scalar, index of its block).
template <class Visit>
void for_each_scalar(const StepProblem& step, const contact::Island& island, Visit&& visit) {
  int block = static_cast<int>(island.bilaterals.size());
  for (const int i : island.scalars) visit(step.scalars[i], block++);
}

// Calls visit(block of the step) for all blocks of the island.
template <class Visit>
void for_each_block(const StepProblem& step, const contact::Island& island, Visit&& visit) {
  for (const int b : island.bilaterals) visit(step.blocks[step.bilaterals[b].block]);
  for (const int i : island.scalars) visit(step.blocks[step.scalars[i].block]);
  for (const int c : island.contacts) {
    const ContactRows& contact = step.contacts[c];
    visit(step.blocks[contact.block]);
    if (contact.rolling >= 0) visit(step.blocks[step.rollings[contact.rolling].block]);
  }
}

}  // namespace

void BodyIsland::form(const StepProblem& step, const contact::Island& island) {
  body_form(step, {island.trees, island.bilaterals, island.scalars, island.contacts}, form_);
  BodyFrictionProblem& problem = form_.problem;
  open_.assign(problem.bias.size(), 0.0);
  for_each_scalar(step, island, [&](const ScalarRow& scalar, int block) {
    if (!scalar.is_limit()) return;
    const int row = problem.blocks[block].first_row;
    open_[row] = limit_opening(step, scalar);
    problem.bias[row] = scalar.surface + open_[row];
  });
  for_each_contact(step, island, [&](const ContactRows& contact, int block) {
    open_[problem.blocks[block].first_row] = std::max(contact.normal_bias, 0.0);
  });
  r_.assign(problem.bias.size(), 0.0);
  v_.resize(problem.v_free.size());
  fastest_ = fastest_row(problem.v_free, false);
}

double BodyIsland::fastest_row(std::span<const double> v, bool loaded) const {
  const BodyFrictionProblem& problem = form_.problem;
  double fastest = 0;
  for (int b = 0; b < problem.block_count(); ++b) {
    const FrictionBlock& block = problem.blocks[b];
    if (loaded && r_[block.first_row] == 0) continue;
    for (int row = block.first_row; row < block.first_row + block.row_count; ++row) {
      double u = 0;
      for (int side = 0; side < 2; ++side) {
        const int body = problem.sides[b].body[side];
        if (body < 0) continue;
        const VelocityBlock& velocities = problem.bodies[body];
        const double* J =
            problem.jacobian.data() + problem.sides[b].offset[side] + (row - block.first_row) * velocities.size;
        for (int i = 0; i < velocities.size; ++i) u += J[i] * v[velocities.offset + i];
      }
      fastest = std::max(fastest, std::abs(problem.bias[row] - open_[row] + u));
    }
  }
  return fastest;
}

double BodyIsland::start_speed(const StepProblem& step) {
  for (size_t i = 0; i < v_.size(); ++i) v_[i] = step.v_start[form_.step_velocity[i]];
  return fastest_row(v_, true);
}

double BodyIsland::recall(const StepProblem& step, const contact::Island& island, const ImpulseMemory& memory,
                          StepAnswer& answer) {
  int known = 0, keys = 0;
  const auto put = [&](const RowBlock& block, const double* values) {
    for (int i = 0; i < block.row_count; ++i) answer.impulse[block.first_row + i] = values == nullptr ? 0.0 : values[i];
  };
  const auto count = [&](const ImpulseMemory::Impulses* last) {
    ++keys;
    known += last != nullptr ? 1 : 0;
  };
  for (const int b : island.bilaterals) {
    const BilateralRows& joint = step.bilaterals[b];
    const RowBlock& block = step.blocks[joint.block];
    for (int i = 0; i < block.row_count; ++i) {
      answer.impulse[block.first_row + i] = memory.recall_bilateral(joint.first_bias + i);
    }
  }
  for (const int i : island.scalars) {
    const ImpulseMemory::Impulses* last = memory.recall(step.scalars[i].key);
    count(last);
    put(step.blocks[step.scalars[i].block], last != nullptr ? last->data() : nullptr);
  }
  for (const int c : island.contacts) {
    const ContactRows& contact = step.contacts[c];
    const ImpulseMemory::Impulses* last = memory.recall_contact(c, contact.key);
    count(last);
    put(step.blocks[contact.block], last != nullptr ? last->data() : nullptr);
    if (contact.rolling < 0) continue;
    put(step.blocks[step.rollings[contact.rolling].block], last != nullptr ? last->data() + 4 : nullptr);
  }
  for (size_t i = 0; i < r_.size(); ++i) r_[i] = answer.impulse[form_.step_row[i]];
  return keys > 0 ? static_cast<double>(known) / keys : 0.0;
}

void BodyIsland::write(const StepProblem& step, const contact::Island& island, StepAnswer& answer) const {
  for_each_block(step, island, [&](const RowBlock& block) {  // rows without friction have no row of the problem
    for (int i = 0; i < block.row_count; ++i) answer.impulse[block.first_row + i] = 0;
  });
  for (size_t i = 0; i < r_.size(); ++i) answer.impulse[form_.step_row[i]] = r_[i];
  for (size_t i = 0; i < v_.size(); ++i) answer.v_end[form_.step_velocity[i]] = v_[i];
}

bool BodyIsland::find_repair(const StepProblem& step, const contact::Island& island, const StepAnswer& answer,
                             const RepairOptions& options) {
  const BodyFrictionProblem& problem = form_.problem;
  const double smallest = options.tolerance * step.step * fastest_;
  const double rest = options.resting_overlap * step.step * fastest_;
  bool needed = false;
  change_.assign(problem.bias.size(), 0.0);
  const auto recover = [&](double gap, int block) {
    needed |= gap < -std::max(2 * rest, 4 * smallest);
    if (gap >= -rest) return;
    change_[problem.blocks[block].first_row] += std::max((gap + rest) / step.step, -options.max_recovery_speed);
  };
  for_each_scalar(step, island, [&](const ScalarRow& scalar, int block) {
    if (scalar.is_limit()) recover(scalar.gap, block);
  });
  for_each_contact(step, island, [&](const ContactRows& contact, int block) {
    if (contact.normal_bias >= 0) recover(contact.gap, block);  // negative: it rebounds
    const int first = step.blocks[contact.block].first_row;
    if (contact.normal_bias >= 0 && std::abs(contact.gap) <= rest && answer.impulse[first] > 0) {  // it rests
      needed |= contact.gap > 0;
      change_[problem.blocks[block].first_row] = (std::min(contact.gap, 0.0) + rest) / step.step;
    }
    if (!options.close_drift || !(answer.impulse[first] > 0)) return;
    if (!contact::sticks(step, contact, answer, fastest_, options.slip_tolerance)) return;
    needed |= contact.drift.norm() > smallest;
    const Vector2 back = repair_velocity(contact.drift, step.step, options);
    const FrictionBlock& rows = problem.blocks[block];
    for (int row = rows.first_row + 1; row < rows.first_row + rows.row_count; ++row) {
      const int axis = form_.step_row[row] - first;
      if (axis < 3) change_[row] += back[axis - 1];
    }
  });
  return needed;
}

void BodyIsland::write_repair(const StepAnswer& start, VectorX& position) const {
  for (size_t i = 0; i < v_.size(); ++i) {
    const int velocity = form_.step_velocity[i];
    position[velocity] += v_[i] - start.v_end[velocity];
  }
}

}  // namespace stiction::methods
