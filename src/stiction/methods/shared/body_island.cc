#include "stiction/methods/shared/body_island.h"

#include <algorithm>
#include <cmath>

#include "stiction/math/linear/quad.h"

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
  find_scales(step);
}

// Adds J v of one side to the rows of a block.
void BodyIsland::add_rates(std::span<const double> v, int block, int side, double* u) const {
  const BodyFrictionProblem& problem = form_.problem;
  const int body = problem.sides[block].body[side], rows = problem.blocks[block].row_count;
  if (body < 0) return;
  const VelocityBlock& velocities = problem.bodies[body];
  const int n = velocities.size;
  const double *J = problem.jacobian.data() + problem.sides[block].offset[side], *own = v.data() + velocities.offset;
  if (n == 6 && rows == 3) {
    for (int k = 0; k < 6; ++k) {
      for (int r = 0; r < 3; ++r) u[r] += J[6 * r + k] * own[k];
    }
    return;
  }
  for (int r = 0; r < rows; ++r, J += n) {
    if (n == 6) {
      u[r] += Eigen::Map<const Vector6>(J).dot(Eigen::Map<const Vector6>(own));
    } else {
      u[r] += Eigen::Map<const VectorX>(J, n).dot(Eigen::Map<const VectorX>(own, n));
    }
  }
}

// Both at once for three rows on six velocities, each with the sums of add_rates; false for others.
bool BodyIsland::add_both_rates(int block, int side, double* free, double* load) const {
  const BodyFrictionProblem& problem = form_.problem;
  const int body = problem.sides[block].body[side];
  if (body < 0 || problem.bodies[body].size != 6 || problem.blocks[block].row_count != 3) return false;
  const int first = problem.bodies[body].offset;
  const double* J = problem.jacobian.data() + problem.sides[block].offset[side];
  Half sum[3];
  for (int r = 0; r < 3; ++r) sum[r] = Half{free[r], load[r]};
  for (int k = 0; k < 6; ++k) {
    const Half v = {problem.v_free[first + k], load_[first + k]};
    for (int r = 0; r < 3; ++r) sum[r] += J[6 * r + k] * v;
  }
  for (int r = 0; r < 3; ++r) free[r] = sum[r][0], load[r] = sum[r][1];
  return true;
}

double BodyIsland::fastest_loaded_row(std::span<const double> v) const {
  const BodyFrictionProblem& problem = form_.problem;
  double fastest = 0;
  for (int b = 0; b < problem.block_count(); ++b) {
    const int first = problem.blocks[b].first_row;
    if (r_[first] == 0) continue;
    Rates u = {};
    for (int side = 0; side < 2; ++side) add_rates(v, b, side, u.data());
    for (int r = 0; r < problem.blocks[b].row_count; ++r) {
      fastest = std::max(fastest, std::abs(problem.bias[first + r] - open_[first + r] + u[r]));
    }
  }
  return fastest;
}

double BodyIsland::start_speed(const StepProblem& step) {
  for (size_t i = 0; i < v_.size(); ++i) v_[i] = step.v_start[form_.step_velocity[i]];
  return fastest_loaded_row(v_);
}

double BodyIsland::block_speed(int b) const {
  const BodyFrictionProblem& problem = form_.problem;
  const FrictionBlock& block = problem.blocks[b];
  const bool is_contact = block.law == FrictionBlock::Law::contact;
  Rates free = {}, load[2] = {};
  for (int side = 0; side < 2; ++side) {
    if (add_both_rates(b, side, free.data(), load[side].data())) continue;
    add_rates(problem.v_free, b, side, free.data());
    add_rates(load_, b, side, load[side].data());
  }
  double fastest = 0;
  for (int r = 0; r < block.row_count; ++r) {
    const int row = block.first_row + r;
    if (is_contact && form_.step_row[row] - form_.step_row[block.first_row] > 2) continue;  // spin
    fastest = std::max(
        {fastest, std::abs(load[0][r]), std::abs(load[1][r]), std::abs(problem.bias[row] - open_[row] + free[r])});
  }
  return fastest;
}

void BodyIsland::find_scales(const StepProblem& step) {
  const BodyFrictionProblem& problem = form_.problem;
  load_.resize(problem.v_free.size());
  for (size_t i = 0; i < load_.size(); ++i) load_[i] = problem.v_free[i] - step.v_start[form_.step_velocity[i]];
  body_scale_.assign(problem.bodies.size(), 0.0);
  scales_.resize(problem.blocks.size());
  fastest_ = 0;
  const auto rolls = [&](int b) {
    return problem.blocks[b].law == FrictionBlock::Law::bounded && problem.blocks[b].link >= 0;
  };
  for (int b = 0; b < problem.block_count(); ++b) {
    scales_[b] = block_speed(b);
    if (rolls(b)) continue;
    fastest_ = std::max(fastest_, scales_[b]);
    for (const int body : problem.sides[b].body) {
      if (body >= 0) body_scale_[body] = std::max(body_scale_[body], scales_[b]);
    }
  }
  for (int b = 0; b < problem.block_count(); ++b) {
    if (rolls(b)) continue;
    for (const int body : problem.sides[b].body) {
      if (body >= 0) scales_[b] = std::max(scales_[b], body_scale_[body]);
    }
  }
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
  recall_trends(step, island, memory);
  return keys > 0 ? static_cast<double>(known) / keys : 0.0;
}

void BodyIsland::recall_trends(const StepProblem& step, const contact::Island& island, const ImpulseMemory& memory) {
  trend_.assign(r_.size(), 0.0);
  for_each_contact(step, island, [&](const ContactRows& contact, int block) {
    const ImpulseMemory::Impulses trend = memory.trend(static_cast<int>(&contact - step.contacts.data()));
    const FrictionBlock& rows = form_.problem.blocks[block];
    const int first = step.blocks[contact.block].first_row;
    for (int row = rows.first_row; row < rows.first_row + rows.row_count; ++row) {
      trend_[row] = trend[form_.step_row[row] - first];
    }
  });
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
  const RepairNeed need(options, step.step, fastest_);
  const double rest = need.rest;
  bool needed = false;
  change_.assign(problem.bias.size(), 0.0);
  const auto recover = [&](double gap, int block) {
    if (gap >= -rest) return;
    change_[problem.blocks[block].first_row] += std::max((gap + rest) / step.step, -options.max_recovery_speed);
  };
  for_each_scalar(step, island, [&](const ScalarRow& scalar, int block) {
    if (!scalar.is_limit()) return;
    needed |= need.overlaps(scalar.gap);
    recover(scalar.gap, block);
  });
  for_each_contact(step, island, [&](const ContactRows& contact, int block) {
    needed |= need.has(step, contact, answer);
    if (contact.normal_bias >= 0) recover(contact.gap, block);  // negative: it rebounds
    const int first = step.blocks[contact.block].first_row;
    if (contact.normal_bias >= 0 && std::abs(contact.gap) <= rest && answer.impulse[first] > 0) {  // it rests
      change_[problem.blocks[block].first_row] = (std::min(contact.gap, 0.0) + rest) / step.step;
    }
    if (!options.close_drift || !(answer.impulse[first] > 0)) return;
    if (!contact::sticks(step, contact, answer, fastest_, options.slip_tolerance)) return;
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
